import { defaults, serverDefaults } from '../config.js'
import { environmentOf, type Parser, serveGroup } from './options.js'
import { type Program, UsageError } from './program.js'
import { remoteOf } from './remote-options.js'

const serveOptions = [
  'host',
  'port',
  'former-base-url',
  'trusted-proxy',
  'schema-landing-page',
  'metadata-landing-page',
  'max-document',
  'allow-push',
  'sign',
  'follow',
  'push-to',
  'interval',
]

export function withServeCommand(parser: Parser, program: Program): Parser {
  const group = serveGroup
  parser.command(
    'serve',
    'Serve a repository over HTTP; makes it from the template where there is none',
    y =>
      y
        .config(environmentOf(serveOptions, ['former-base-url', 'trusted-proxy']))
        .option('host', {
          type: 'string',
          requiresArg: true,
          default: serverDefaults.host,
          group,
          describe: 'Address to listen on; everybody who reaches it has full rights',
        })
        .option('port', {
          type: 'number',
          requiresArg: true,
          default: serverDefaults.port,
          group,
          describe: '0 picks a free one',
        })
        .option('former-base-url', {
          type: 'string',
          array: true,
          requiresArg: true,
          default: [] as string[],
          group,
          describe: 'URLs it was known by before; they still mean our schemas',
        })
        .option('trusted-proxy', {
          type: 'string',
          array: true,
          requiresArg: true,
          default: [] as string[],
          group,
          describe: 'Address or subnet whose Forwarded and X-Forwarded-* headers are believed, or loopback',
        })
        .option('schema-landing-page', {
          type: 'string',
          requiresArg: true,
          group,
          describe: 'Page of a schema for people, with $(id) and $(version) in it',
          defaultDescription: 'our own',
        })
        .option('metadata-landing-page', {
          type: 'string',
          requiresArg: true,
          group,
          describe: 'Page of a metadata document for people, likewise',
          defaultDescription: 'our own',
        })
        .option('max-document', {
          type: 'number',
          requiresArg: true,
          default: serverDefaults.maxDocument,
          group,
          describe: 'Mebibytes a document may have',
        })
        .option('allow-push', {
          type: 'boolean',
          default: defaults.allowPush,
          group,
          describe: 'Take pushes of git clients, checked like updates over HTTP',
        })
        .option('sign', {
          type: 'string',
          requiresArg: true,
          group,
          describe: 'File of an ssh key to sign every commit with',
        })
        .option('follow', {
          type: 'string',
          requiresArg: true,
          group,
          describe: 'A repository (URL, path or name of a remote) to fetch from and serve, read-only',
        })
        .option('push-to', {
          type: 'string',
          requiresArg: true,
          group,
          describe: 'A repository to push every update to',
        })
        .option('interval', {
          type: 'string',
          requiresArg: true,
          group,
          describe: 'Time between two fetches, such as 500ms, 5s or 1m',
          defaultDescription: '5s',
        }),
    async argv => {
      if (argv.url !== undefined) throw new UsageError('serve works on a data folder: leave out --url.')
      if (!Number.isInteger(argv.port) || argv.port < 0 || argv.port > 65_535) {
        throw new UsageError('--port has to be a whole number from 0 to 65535.')
      }
      for (const name of ['schema-landing-page', 'metadata-landing-page'] as const) {
        const template = argv[name]
        if (template !== undefined && !/^(?:\/|https?:\/\/)[^\s]*\$\(id\)/.test(template)) {
          throw new UsageError(
            `--${name} has to be a path or an URL with $(id) in it: https://example.org/show?id=$(id)&version=$(version)`,
          )
        }
      }
      if (!(argv.maxDocument > 0)) throw new UsageError('--max-document has to be more than 0.')
      const remote = remoteOf(argv)
      // Only here: the other commands start faster without all that a server needs.
      const { runServer } = await import('./run-server.js')
      await runServer({ ...argv, remote }, program)
    },
  )
  return parser
}
