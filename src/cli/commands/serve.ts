import { defaultInterval, defaults, serverDefaults } from '../../config.js'
import { knownProxyHeaders } from '../../http/proxies/proxy-headers.js'
import { environmentOf, type Parser, serveGroup, unknownVariables } from '../arguments/shared-options.js'
import { type CommandContext, UsageError } from '../command-context.js'
import { remoteConfigOf } from '../serve/replication-options.js'
import { runningOptions, validateServerOptions, withRunningOptions } from '../serve/server-options.js'

const serveOptions = [
  'host',
  'port',
  'former-base-url',
  'trusted-proxy',
  'proxy-headers',
  'schema-landing-page',
  'metadata-landing-page',
  'max-document',
  'allow-push',
  'sign',
  'follow',
  'push-to',
  'ack-remote',
  'interval',
  'auth',
  'insecure',
  'jwt-secret-file',
  'oidc-issuer',
  'oidc-audience',
  'oidc-username-claim',
  'oidc-groups-claim',
  'create-role',
  ...runningOptions,
]

const accessGroup = 'Access:'

export function withServeCommand(parser: Parser, program: CommandContext): Parser {
  const group = serveGroup
  parser.command(
    'serve',
    'Serve a repository over HTTP; makes it from the template where there is none',
    y =>
      withRunningOptions(y)
        .config(environmentOf(serveOptions, ['former-base-url', 'trusted-proxy', 'cors-origin']))
        .option('host', {
          type: 'string',
          requiresArg: true,
          default: serverDefaults.host,
          group,
          describe: 'Address to listen on; others than of this machine need --auth',
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
          describe: 'Address or subnet of a proxy that is believed, or loopback',
        })
        .option('proxy-headers', {
          choices: knownProxyHeaders,
          requiresArg: true,
          default: knownProxyHeaders[0],
          group,
          describe: 'Which headers that proxy writes: X-Forwarded-*, or Forwarded',
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
        .option('ack-remote', {
          type: 'boolean',
          default: false,
          group,
          describe:
            'Answer an update when the repository of --push-to has it: several servers can share that',
        })
        .option('interval', {
          type: 'string',
          requiresArg: true,
          group,
          describe: 'Time between two fetches, such as 500ms, 5s or 1m',
          defaultDescription: `${defaultInterval / 1000}s`,
        })
        .option('auth', {
          type: 'boolean',
          default: false,
          group: accessGroup,
          describe: 'Ask for tokens; without it everybody has full rights',
        })
        .option('jwt-secret-file', {
          type: 'string',
          requiresArg: true,
          group: accessGroup,
          describe: 'File of the secret tokens are signed with; or METASTORE_JWT_SECRET has it',
        })
        .option('oidc-issuer', {
          type: 'string',
          requiresArg: true,
          group: accessGroup,
          describe: 'URL of an OpenID Connect issuer whose tokens are taken',
        })
        .option('oidc-audience', {
          type: 'string',
          requiresArg: true,
          group: accessGroup,
          describe: 'What its tokens have to be for (aud)',
        })
        .option('oidc-username-claim', {
          type: 'string',
          requiresArg: true,
          default: serverDefaults.usernameClaim,
          group: accessGroup,
          describe: 'The claim with the name that access lists have',
        })
        .option('oidc-groups-claim', {
          type: 'string',
          requiresArg: true,
          default: serverDefaults.groupsClaim,
          group: accessGroup,
          describe: 'The claim with the names of groups',
        })
        .option('create-role', {
          type: 'string',
          requiresArg: true,
          group: accessGroup,
          describe: 'Role that creating records needs, such as USER; default: any token will do',
        })
        .option('insecure', {
          type: 'boolean',
          default: false,
          group: accessGroup,
          describe: 'Let everybody who reaches another address than of this machine do everything',
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
      const remote = remoteConfigOf(argv)
      validateServerOptions(argv)
      // Only here: the other commands start faster without all that a server needs.
      const { runServer } = await import('../serve/run-server.js')
      await runServer({ ...argv, remote, unknownVariables: unknownVariables(serveOptions) }, program)
    },
  )
  return parser
}
