import Router from '@koa/router'
import Koa, { type Context } from 'koa'
import { ProblemError } from '../core/problem.js'
import { truncate } from '../core/value-types.js'
import type { Services } from '../service/services.js'
import { type Identify, openCallerIdentification, withoutAuthentication } from './auth/identify-caller.js'
import { defaultLandingPages, type LandingPages, openLanding } from './html-pages/landing-page-urls.js'
import {
  defaultLongLivedResponseLimits,
  type LongLivedResponseLimits,
  openLongLivedResponses,
} from './limits/long-lived-responses.js'
import { limitRates, type RateLimit } from './limits/rate-limit.js'
import { openRoom } from './limits/shared-memory-budget.js'
import { openSlices } from './limits/time-slices.js'
import { defaultUpdateLimits, limitUpdates, type UpdateLimits } from './limits/update-limit.js'
import { dispatchByMount, methodsAt, unversionedMounts } from './mounts.js'
import type { Metrics } from './observability/prometheus-metrics.js'
import { openRequestRecorder, type RequestLog, recordingCaller } from './observability/request-log.js'
import { describeInterface, recordSchemas } from './openapi-document.js'
import type { ProgramInfo } from './program-info.js'
import { type BaseUrlOptions, type BaseUrls, openBaseUrls } from './proxies/base-url.js'
import { openClientKey } from './proxies/client-network.js'
import { openRecordRenderer } from './rendering/rendered-record.js'
import { defaultUploadLimits, openFormLimits, type UploadLimits } from './request/multipart-form.js'
import { isStrict, strictApplied } from './request/prefer-header.js'
import { refuseLongParameters } from './request/query-parameters.js'
import { stateOf } from './request-state.js'
import { handleErrors, type ReportError } from './response/problem-details.js'
import { registerRoutes } from './route/register-routes.js'
import { openRequestNames } from './route/request-names.js'
import { openMissingPage } from './routes/html-pages/page-responses.js'
import { openRoutes } from './routes.js'
import { openHostCheck } from './server/allowed-hosts.js'
import { cors, openOriginCheck, refuseCrossSitePosts } from './server/cors.js'

export interface AppOptions extends BaseUrlOptions {
  /** Who is calling; default: everybody is SELF. */
  readonly identify?: Identify
  /** In bytes; default: documents 64 MiB, records 1 MiB, a request 128 MiB, 1000 parts; all requests four times one. */
  readonly limits?: Partial<UploadLimits>
  /** Default: 256 answers at a time wait for changes, and streams say something every 15 seconds. */
  readonly waiting?: Partial<LongLivedResponseLimits>
  /** Default: `/schema-landing-page?…` and `/metadata-landing-page?…`. */
  readonly landingPages?: Partial<LandingPages>
  /**
   * Hosts that requests may name, where everybody may do everything; pages of other origins change nothing then.
   * Default: any, and no form of another site.
   */
  readonly hosts?: readonly string[]
  /** Web pages whose scripts may read answers and post, such as `http://localhost:*`; default: none. */
  readonly corsOrigins?: readonly string[]
  /** The program as `/actuator/info` shows it; default: its name alone. */
  readonly build?: ProgramInfo
  /** Told of bugs and failing machines; default: standard error. */
  readonly report?: ReportError
  /** Told of the requests that were answered. */
  readonly journal?: RequestLog | undefined
  /** What is measured; default: nothing. */
  readonly metrics?: Metrics | undefined
  /** What one client may send; default: anything. */
  readonly rateLimit?: RateLimit | undefined
  /** Default: 1000 updates are under way at once, and none is taken that would wait for more than 10 seconds. */
  readonly updates?: Partial<UpdateLimits>
}

/**
 * The HTTP interface over the services.
 * @throws TypeError for an option that is no URL or no address
 */
export function createApp(services: Services, options: AppOptions = {}): Koa {
  const report = options.report ?? ((error, doing) => console.error(`${doing}:`, error))
  const { journal, metrics, identify = withoutAuthentication } = options
  const basesOf = onceARequest(openBaseUrls(options))
  const { identifyCaller, callerOf, clientOf } = openCallerIdentification(identify, openClientKey(options))
  const limits = openFormLimits({ ...defaultUploadLimits, ...options.limits }, clientOf)
  const routes = openRoutes(limits)
  const shared = {
    services,
    basesOf,
    callerOf: journal ? recordingCaller(callerOf) : callerOf,
    limits,
    names: openRequestNames(
      [...routes.versions.flatMap(version => version.routes), ...routes.unversioned],
      recordSchemas,
    ),
    waiting: openLongLivedResponses({ ...defaultLongLivedResponseLimits, ...options.waiting }, clientOf),
    landing: openLanding({ ...defaultLandingPages, ...options.landingPages }),
    slices: openSlices(),
    answerRoom: openRoom(
      mostAnswers,
      'The clients of this server have not taken the answers they asked for yet.',
      clientOf,
    ),
  }

  const app = new Koa()
  // what fails after the answer has begun, mostly clients that went away
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!lostConnections.has(error.code ?? '')) report(error, 'sending an answer')
  })
  const origins = options.corsOrigins ?? []
  const site = {
    ...shared,
    metrics,
    build: options.build ?? { name: 'git-metastore' },
    describe: (base: string, mount: string) => describeInterface(routes, base, mount),
  }
  app.use(
    handleErrors(
      report,
      openRequestRecorder(journal, metrics?.count),
      openMissingPage(site),
      services.isBehind,
    ),
  )
  if (origins.length > 0) app.use(cors(origins))
  if (options.rateLimit) app.use(limitRates(options.rateLimit, options))
  const refuseForeignHosts = options.hosts
    ? openHostCheck(options.hosts, ctx => basesOf(ctx).reached)
    : undefined
  const refuseForeignPages = options.hosts ? openOriginCheck(origins, basesOf) : refuseCrossSitePosts(origins)
  const limited = limitUpdates({ ...defaultUpdateLimits, ...options.updates })
  // together: each middleware of its own costs every request a promise
  app.use((ctx, next) => {
    refuseUnreadableAddress(ctx)
    if (isStrict(ctx)) ctx.set('Preference-Applied', strictApplied)
    if (ctx.querystring.length > 0) refuseLongParameters(ctx.query)
    refuseForeignHosts?.(ctx)
    refuseForeignPages(ctx)
    return limited(ctx, next)
  })

  app.use(identifyCaller)

  app.on('stop', shared.waiting.stop)

  const routers = new Map<string, Router>()
  function openRouter(mount: string): Router {
    const router = new Router({ ...strict, prefix: mount })
    routers.set(mount, router)
    return router
  }
  for (const mount of unversionedMounts)
    registerRoutes(openRouter(mount), routes.unversioned, { ...site, mount })
  for (const { api, routes: ofVersion } of routes.versions) {
    const { wire } = api
    const shown = openRecordRenderer(wire, shared.landing)
    for (const mount of wire.mounts)
      registerRoutes(openRouter(mount), ofVersion, { ...shared, wire, mount, shown })
  }
  app.use(dispatchByMount(routers))
  app.use(noRoute)
  return app
}

/** Bytes of all answers that clients have not taken yet. */
const mostAnswers = 256 * 2 ** 20

/** Koa compares streams with the classes of `fetch`, which Node.js loads when they are first named: that takes 50 ms. */
export function prepareStreams(): void {
  Reflect.get(globalThis, 'Response')
}

/** A path means one thing: `/Health` is nothing, nor is an item with a slash at its end. */
const strict = { strict: true, sensitive: true }

const lostConnections = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE'])

function onceARequest(open: (request: Context['req']) => BaseUrls): (ctx: Context) => BaseUrls {
  return ctx => {
    const state = stateOf(ctx)
    state.bases ??= open(ctx.req)
    return state.bases
  }
}

/** Refuses an address without a Host or with broken percent-encoding before anybody takes it for what it is not. */
function refuseUnreadableAddress(ctx: Context): void {
  // RFC 9112 §3.2; the server leaves it to us, as its own answer would have no body
  const { headers, rawHeaders, httpVersion } = ctx.req
  if (headers.host === undefined && httpVersion !== '1.0') {
    throw new ProblemError('malformed-request', 'The request has no Host header.')
  }
  if (hasTwoHosts(rawHeaders))
    throw new ProblemError('malformed-request', 'The request has two Host headers.')
  for (const part of [ctx.path, ctx.querystring]) {
    if (part.includes('%') && !isDecodable(part)) {
      throw new ProblemError('malformed-request', `The percent-encoding of "${truncate(part)}" is broken.`)
    }
  }
}

/** Node.js keeps the first one, a proxy may have looked at the other one. @param headers names and values in turn */
function hasTwoHosts(headers: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

/** What no route has taken: OPTIONS, a method the path does not have, or no path of ours. */
function noRoute(ctx: Context): void {
  const methods = methodsAt(ctx)
  if (methods.size === 0)
    throw new ProblemError('not-found', `There is nothing at ${truncate(ctx.path, 200)}.`)
  answerMethods(ctx, methods)
}

/** @throws ProblemError `method-not-allowed` */
function answerMethods(ctx: Context, methods: ReadonlySet<string>): void {
  const allow = [...methods, 'OPTIONS']
  if (ctx.method !== 'OPTIONS') {
    throw new ProblemError(
      'method-not-allowed',
      `${ctx.method} is not for ${truncate(ctx.path, 200)}; what is: ${allow.join(', ')}.`,
      { allow },
    )
  }
  ctx.status = 204
  ctx.set('Allow', allow.join(', '))
}
