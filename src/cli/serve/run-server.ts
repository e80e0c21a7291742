import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type ComposedServices, compose } from '../../compose/compose.js'
import { terminationSignals } from '../../core/child-processes.js'
import { isPlain } from '../../core/plain-mode.js'
import { ProblemError } from '../../core/problem.js'
import { type ConfiguredFeature, openersOf, tablesOf } from '../../feature.js'
import { features } from '../../features.js'
import { type AppOptions, createApp, prepareStreams } from '../../http/app.js'
import { loopbackHosts } from '../../http/checks/host-and-origin.js'
import { openMetrics } from '../../http/observability/prometheus-metrics.js'
import type { LandingPages } from '../../http/page-urls/landing-page-urls.js'
import { type BaseUrlOptions, openBaseUrls, openClientKey } from '../../http/proxies/request-addresses.js'
import { renderingThread } from '../../http/rendering/rendered-record.js'
import { listen, type RunningServer } from '../../http/server/listen.js'
import { leaveLauncher, useLauncher } from '../../store/process/launcher.js'
import { compileRecordSchema } from '../../store/records/validate-record.js'
import { fileLimitsOf } from '../arguments/file-limits.js'
import { configOf, dataFolder, unknownVariables } from '../arguments/shared-options.js'
import { type CommandContext, UsageError } from '../command-context.js'
import { packageVersion } from '../installed-package.js'
import { isMissingOrEmpty } from '../missing-or-empty.js'
import { authenticationOf } from './authentication-options.js'
import { openLog, type ServerLogger } from './logger.js'
import { type ServerOptions, serverOptionNames } from './server-options.js'
import { rateLimitOf } from './validate-server-options.js'

/**
 * By default V8 lets the heap grow to four times its live size between full collections. With two and a half times, a
 * server under load needs 80 MB less memory and 2 to 3 % more processor time.
 */
const heapGrowth = '--heap-growing-percent=150'

/** Serves the data folder until a termination signal comes. Makes the folder if it does not exist. */
export async function runServer(options: ServerOptions, program: CommandContext): Promise<void> {
  setFlagsFromString(heapGrowth)
  const log = await openLog(program.terminal, options)
  try {
    await serveUntilSignal(options, program, log)
  } finally {
    await log.close()
  }
}

async function serveUntilSignal(
  options: ServerOptions,
  program: CommandContext,
  log: ServerLogger,
): Promise<void> {
  const bases = basesOf(options)
  refuseBadBases(bases)
  const { identify, issuer } = await authenticationOf(options)
  const openers = await openersOf(features, options)
  const folder = dataFolder(options.data)
  const metrics = options.metrics ? await openMetrics() : undefined
  const hints = options.log === 'text'
  const config = configOf(options)
  const unknown = unknownVariables(serverOptionNames)
  if (unknown.length > 0) {
    log.note(`The environment has ${unknown.join(', ')}: there is no such option. It has no effect.`)
  }
  await makeDataFolder(folder, options.git, openers, hints ? program.terminal.note : () => undefined)

  // From here on a signal ends the start in order.
  const stopped = nextSignal()
  const ending = new AbortController()
  void stopped.then(() => ending.abort())
  if (!isPlain) useLauncher(log.note)
  const services = await compose(
    {
      ...config,
      ...(options.sign !== undefined && { sign: resolve(options.sign) }),
    },
    {
      serving: true,
      ending: ending.signal,
      readingThread: renderingThread,
      report: log.note,
      observer: metrics?.observer,
      features: openers,
      tables: tablesOf(features),
    },
  )
  try {
    if (!options.auth) noteAccessLists(services.accessListsOfOthers(), log)
    const app = createApp(services, { ...appOptionsOf(options, bases, log), identify, metrics })
    await issuer?.ready().catch(error => log.note(messageOf(error)))
    const server = await listenOn(app, openClientKey(bases), options)
    await announce(program, server.url, hints)
    const preparation = onceQuiet(() => void prepare(services, log))
    await stopped
    preparation.cancel()
    await server.stop()
  } finally {
    await services.close()
    leaveLauncher()
  }
}

/**
 * Makes the data folder if it does not exist: as a feature says, or from the template.
 * @param note receives a line that says what is made
 */
async function makeDataFolder(
  path: string,
  git: string,
  openers: readonly ConfiguredFeature[],
  note: (line: string) => void,
): Promise<void> {
  const isFree = await isMissingOrEmpty(path)
  for (const { fillFolder } of openers) if (await fillFolder({ path, isFree, git, note })) return
  if (!isFree) return
  note(`Making ${path} from the template…`)
  const { createFromTemplate } = await import('../create-from-template.js')
  await createFromTemplate(path)
}

/** Warns of access lists that have no effect. @param count number of records */
function noteAccessLists(count: number, log: ServerLogger): void {
  if (count === 0) return
  const lists =
    count === 1 ? 'A record has an access list that names' : `${count} records have access lists that name`
  log.note(
    `${lists} other users, and this server runs without --auth: every caller may read, change and delete everything. ` +
      'See docs/run/access.md.',
  )
}

/** Milliseconds for which a server has to be quiet before it prepares for requests. */
const quietTime = 500
/** Share of that time for which the event loop of a quiet server works, at most. */
const quietShare = 0.2

/** Runs a job when the server is quiet for the first time, so that it delays no request. */
function onceQuiet(job: () => void): { cancel(): void } {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > quietShare) return
    clearInterval(timer)
    job()
  }, quietTime)
  return { cancel: () => clearInterval(timer) }
}

/**
 * Does slow work before a request needs it: starts a worker for validation, does the work of features, then compiles the
 * record schema and loads the classes of `fetch` (60 ms).
 */
async function prepare(services: ComposedServices, log: ServerLogger): Promise<void> {
  try {
    services.parts.validator.prepare()
    for (const feature of services.features) await feature.prepare?.()
    await compileRecordSchema()
    prepareStreams()
  } catch (error) {
    log.failed(error, 'preparing for requests')
  }
}

function basesOf(options: ServerOptions): BaseUrlOptions {
  return {
    ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
    formerBases: options.formerBaseUrl,
    trustedProxies: options.trustedProxy,
    proxyHeaders: options.proxyHeaders,
  }
}

function appOptionsOf(options: ServerOptions, bases: BaseUrlOptions, log: ServerLogger): AppOptions {
  return {
    ...bases,
    ...(options.auth ? {} : { hosts: hostsOf(options) }),
    limits: { ...fileLimitsOf(options), parts: options.maxParts },
    landingPages: landingPagesOf(options),
    build: { name: 'git-metastore', version: packageVersion() },
    note: log.note,
    corsOrigins: options.corsOrigin,
    rateLimit: rateLimitOf(options),
    updates: { maxConcurrent: options.maxUpdates, maxWaitMs: options.maxWait * 1000 },
    report: log.failed,
    journal: log,
  }
}

/** The text for the log if the issuer does not answer yet: the server starts all the same. Throws other errors. */
function messageOf(error: unknown): string {
  if (!(error instanceof ProblemError)) throw error
  return error.message
}

/** A landing page of another site serves both versions of the interface. */
function landingPagesOf({ schemaLandingPage, metadataLandingPage }: ServerOptions): Partial<LandingPages> {
  return {
    ...(schemaLandingPage ? { schema: schemaLandingPage, schemaV2: schemaLandingPage } : {}),
    ...(metadataLandingPage ? { metadata: metadataLandingPage, metadataV2: metadataLandingPage } : {}),
  }
}

/** Host names that a server without tokens accepts. */
function hostsOf({ host, baseUrl, formerBaseUrl }: ServerOptions): readonly string[] {
  const known = [...(baseUrl === undefined ? [] : [baseUrl]), ...formerBaseUrl]
  const own = host.includes(':') ? `[${host}]` : host
  return [...new Set([...loopbackHosts, own, ...known.map(url => new URL(url).hostname)])]
}

/** Listens on 127.0.0.1 for `localhost`: every client tries it; some machines resolve the name to ::1. */
async function listenOn(
  app: ReturnType<typeof createApp>,
  clientOf: ReturnType<typeof openClientKey>,
  options: ServerOptions,
): Promise<RunningServer> {
  const { host, port } = options
  const loopback = host === 'localhost'
  try {
    const server = await listen(app, {
      host: loopback ? '127.0.0.1' : host,
      port,
      clientOf,
      headersTimeout: options.headersTimeout * 1000,
      requestTimeout: options.requestTimeout * 1000,
      maxHeaderSize: options.maxHeaders * 1024,
      maxConnections: options.maxConnections,
    })
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

/** Prints one line on standard output, which programs read. On a terminal the hint stands on the same line. */
async function announce({ terminal }: CommandContext, url: string, hints: boolean): Promise<void> {
  const ready = `listening on ${url}`
  const hint = `try: curl ${url}api/v1/schemas`
  if (terminal.columns !== undefined) return terminal.print(`${ready}  –  ${hint}`)
  await terminal.print(ready)
  if (hints) terminal.note(hint)
}

/** Resolves at the first termination signal. The second one ends the process at once. */
function nextSignal(): Promise<void> {
  return new Promise(resolve => {
    const heard = () => {
      for (const signal of terminationSignals) process.off(signal, heard)
      resolve()
    }
    for (const signal of terminationSignals) process.on(signal, heard)
  })
}

/** Checks base URLs and proxies. @throws UsageError for an option that is no URL or no address */
function refuseBadBases(options: BaseUrlOptions): void {
  try {
    openBaseUrls(options)
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}
