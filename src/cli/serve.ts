import { compose } from '../compose.js'
import { serverDefaults } from '../config.js'
import { ProblemError } from '../core/problem.js'
import { createApp } from '../http/app.js'
import { type BaseOptions, openBases } from '../http/base.js'
import { type Listening, listen } from '../http/server.js'
import { configOf, dataFolder, environmentOf, type Parser } from './options.js'
import { type Program, UsageError } from './program.js'
import { isFree, setOut } from './set-out.js'

const serveOptions = ['host', 'port', 'former-base-url', 'trusted-proxy', 'max-document']

export function withServeCommand(parser: Parser, program: Program): Parser {
  const { terminal } = program
  const group = 'Options of serve:'
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
        .option('max-document', {
          type: 'number',
          default: serverDefaults.maxDocument,
          group,
          describe: 'Mebibytes a document may have',
        }),
    async argv => {
      if (argv.url !== undefined) throw new UsageError('serve works on a data folder: leave out --url.')
      if (!Number.isInteger(argv.port) || argv.port < 0 || argv.port > 65_535) {
        throw new UsageError('--port has to be a whole number from 0 to 65535.')
      }
      if (!(argv.maxDocument > 0)) throw new UsageError('--max-document has to be more than 0.')
      const bases = {
        ...(argv.baseUrl === undefined ? {} : { baseUrl: argv.baseUrl }),
        formerBases: argv.formerBaseUrl,
        trustedProxies: argv.trustedProxy,
      }
      refuseBadBases(bases)
      const folder = dataFolder(argv.data)
      if (await isFree(folder)) {
        terminal.note(`Making ${folder} from the template…`)
        await setOut(folder)
      }

      // Heard from here on: a signal while it starts must not leave it half started.
      const stopped = nextSignal()
      const services = await compose(configOf(argv), {
        report: message => terminal.note(`${terminal.paintNote('yellow', 'note:')} ${message}`),
      })
      try {
        const maxDocument = argv.maxDocument * 2 ** 20
        const limits = { document: maxDocument, request: maxDocument * 2 }
        const app = createApp(services, { ...bases, limits })
        const server = await listenOn(app, argv.host, argv.port)
        await announce(program, server.url)
        await stopped
        await server.stop()
      } finally {
        await services.close()
      }
    },
  )
  return parser
}

/** `localhost` is 127.0.0.1 or ::1 as the machine likes; here it is the former, which every client tries. */
async function listenOn(app: ReturnType<typeof createApp>, host: string, port: number): Promise<Listening> {
  const loopback = host === 'localhost'
  try {
    const server = await listen(app, { host: loopback ? '127.0.0.1' : host, port })
    return loopback ? { ...server, url: `http://localhost:${server.port}/` } : server
  } catch (error) {
    const reason = refusals[(error as NodeJS.ErrnoException).code ?? '']
    if (reason === undefined) throw error
    throw new ProblemError(
      'unavailable',
      `Cannot listen on ${host}, port ${port}: ${reason}`,
      {},
      { cause: error },
    )
  }
}

const refusals: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program does already. Choose another with --port, or 0 for any free one.',
  EACCES: 'this needs rights you do not have. Choose a port from 1024 with --port.',
  EADDRNOTAVAIL: 'this machine does not have that address. See --host.',
  ENOTFOUND: 'there is no host of that name. See --host.',
}

/** Programs read the one line on standard output; a person has the hint on the same line. */
async function announce({ terminal }: Program, url: string): Promise<void> {
  const ready = `listening on ${url}`
  const hint = `try: curl ${url}api/v1/schemas`
  if (terminal.columns !== undefined) return terminal.print(`${ready}  –  ${hint}`)
  await terminal.print(ready)
  terminal.note(hint)
}

/** Resolves at the first request to end; at the second the process ends as it would without us. */
function nextSignal(): Promise<void> {
  return new Promise(resolve => {
    const signals = ['SIGINT', 'SIGTERM'] as const
    const heard = () => {
      for (const signal of signals) process.off(signal, heard)
      resolve()
    }
    for (const signal of signals) process.on(signal, heard)
  })
}

/** Before anything is made or opened: an option that is no URL or no address is a wrong command line. */
function refuseBadBases(options: BaseOptions): void {
  try {
    openBases(options)
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}
