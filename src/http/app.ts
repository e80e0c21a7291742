import Router from '@koa/router'
import Koa, { type Context, type Middleware } from 'koa'
import { isPlain } from '../core/plain-mode.js'
import { ProblemError } from '../core/problem.js'
import { truncate } from '../core/value-types.js'
import type { Services } from '../service/services.js'
import {
  type Identify,
  openCallerIdentification,
  publicCallerOf,
  withoutAuthentication,
} from './auth/identify-caller.js'
import { cors } from './checks/cors.js'
import {
  openHostCheck,
  openOriginCheck,
  refuseCrossSitePosts,
  refuseMissingHost,
} from './checks/host-and-origin.js'
import { openFormLimits, type UploadLimits, uploadLimits } from './forms/upload-limits.js'
import {
  defaultLongLivedResponseLimits,
  type LongLivedResponseLimits,
  openLongLivedResponses,
} from './limits/long-lived-responses.js'
import { openMemoryBudget } from './limits/memory-budget.js'
import { limitRates, type RateLimit } from './limits/rate-limit.js'
import { noTimeSlices, openTimeSlices } from './limits/time-slices.js'
import { defaultUpdateLimits, limitUpdates, type UpdateLimits } from './limits/update-limit.js'
import { dispatchByMount, methodsAt, pathBelow, unversionedMounts } from './mounts.js'
import type { Metrics } from './observability/prometheus-metrics.js'
import { openRequestRecorder, type RequestLog, recordingCaller } from './observability/request-log.js'
import type { ServedFeature } from './open-feature.js'
import { describeInterface, recordSchemas } from './openapi-document.js'
import { defaultLandingPages, type LandingPages, openLandingPageUrls } from './page-urls/landing-page-urls.js'
import {
  type BaseUrlOptions,
  type BaseUrls,
  openBaseUrls,
  openClientKey,
} from './proxies/request-addresses.js'
import { openRecordRenderer } from './rendering/rendered-record.js'
import { requestState } from './request-state.js'
import { openRequestFrame, type ReportError } from './response/request-frame.js'
import { openResponseSignals } from './response/response-signals.js'
import type { ApiContext, ProgramInfo, UnmountedContext } from './route-context.js'
import { refuseMalformedAddress, registerRoutes } from './route-declaration/register-routes.js'
import { isStrict, openRequestNames, strictApplied } from './route-declaration/request-names.js'
import { type DescribedRoutes, openRoutes, type Routes, withFeatures } from './routes.js'
import type { StoppableApp } from './server/listen.js'

export interface AppOptions extends BaseUrlOptions {
  /** Determines the caller; default: every caller is SELF. */
  readonly identify?: Identify
  /** Limits of one request; default: {@link uploadLimits}. All requests together may have four times its size. */
  readonly limits?: Partial<UploadLimits>
  /** Limits of responses that wait for changes; default: 256 at a time, and a heartbeat every 15 seconds. */
  readonly waiting?: Partial<LongLivedResponseLimits>
  /** URL templates of the pages of records; default: `/schema-landing-page?…` and `/metadata-landing-page?…`. */
  readonly landingPages?: Partial<LandingPages>
  /**
   * For a server without authentication: the hosts that the header `Host` may name. With them, pages of other origins
   * cannot change records. Default: any host, and only POST requests of other sites' pages are refused.
   */
  readonly hosts?: readonly string[]
  /** Origins whose scripts may read responses and send changes, such as `http://localhost:*`; default: none. */
  readonly corsOrigins?: readonly string[]
  /** Name and version of this program, for pages and `/actuator/info`; default: its name only. */
  readonly build?: ProgramInfo
  /** Receives unexpected errors; default: standard error. */
  readonly report?: ReportError
  /** Receives messages for the operator of the server; default: none. */
  readonly note?: (line: string) => void
  /** Receives an entry for each answered request; default: none. */
  readonly journal?: RequestLog | undefined
  /** Collects the metrics of `/metrics`; default: the server has no metrics. */
  readonly metrics?: Metrics | undefined
  /** Limit of the requests of each client; default: none. */
  readonly rateLimit?: RateLimit | undefined
  /** Limits of updates. Default: 1000 run at once, and one that would wait for more than 10 seconds is refused. */
  readonly updates?: Partial<UpdateLimits>
}

/** The services of a repository, and the features that are open over them. */
type ServicesWithFeatures = Services & { readonly features: readonly ServedFeature[] }

/**
 * Creates the Koa application that serves `services` over HTTP.
 * @throws TypeError if an option is not a URL or an address
 */
export function createApp(services: ServicesWithFeatures, options: AppOptions = {}): StoppableApp {
  const report = options.report ?? ((error, doing) => console.error(`${doing}:`, error))
  const { journal, metrics, corsOrigins = [], identify = withoutAuthentication } = options
  const basesOfRequest = openBaseUrls(options)
  const basesOf = (ctx: Context) => (requestState(ctx).bases ??= basesOfRequest(ctx.req))
  const addressOf = openClientKey(options)
  const routes = openRoutes(uploadLimits(options.limits), services.features)
  const described = withFeatures(routes, services.features)
  const isSearch = openSearchMatcher(described)
  const { identifyCaller, callerOf, clientOf } = openCallerIdentification(identify, addressOf, isSearch)
  const limits = openFormLimits(uploadLimits(options.limits), clientOf)
  const shared: SharedContext = {
    services,
    basesOf,
    callerOf: journal ? recordingCaller(callerOf) : callerOf,
    publicCaller: publicCallerOf(identify),
    limits,
    names: openRequestNames(
      [...described.versions.flatMap(version => version.routes), ...described.unversioned],
      recordSchemas,
    ),
    longLived: openLongLivedResponses({ ...defaultLongLivedResponseLimits, ...options.waiting }, clientOf),
    signals: openResponseSignals(clientOf),
    landing: openLandingPageUrls({ ...defaultLandingPages, ...options.landingPages }),
    slices: isPlain ? noTimeSlices : openTimeSlices(),
    responseMemory: openMemoryBudget(
      maxUnreadBytes,
      'Clients of this server have not read their responses yet.',
      clientOf,
    ),
  }
  const unversioned: UnmountedContext = {
    ...shared,
    metrics,
    sectionsOf: async (revision, caller, at) =>
      (
        await Promise.all(services.features.map(feature => feature.sections?.(revision, caller, at) ?? []))
      ).flat(),
    note: options.note ?? (() => undefined),
    build: options.build ?? { name: 'git-metastore' },
    describe: (base, mount) => describeInterface(described, base, mount),
  }

  const app = Object.assign(new Koa(), { endWaitingResponses: shared.signals.stop })
  // These errors come after the response has begun. In most cases the client has closed the connection.
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!lostConnections.has(error.code ?? '')) report(error, 'sending a response')
  })
  app.use(
    openRequestFrame({
      report,
      recordRequest: openRequestRecorder(journal, metrics?.count),
      answerInOtherForm: (ctx, problem) =>
        services.features.some(({ answerProblem, state }) =>
          answerProblem?.(ctx, problem, { ...unversioned, feature: state as never }),
        ),
      isBehind: services.isBehind,
    }),
  )
  if (corsOrigins.length > 0) app.use(cors(corsOrigins))
  if (options.rateLimit) app.use(limitRates(options.rateLimit, addressOf))
  app.use(openRequestChecks(options, basesOf, isSearch))
  app.use(identifyCaller)
  app.use(dispatchByMount(routerOpeners(routes, services.features, shared, unversioned)))
  app.use(answerWithoutRoute)
  return app
}

type SharedContext = Omit<ApiContext, 'recordFormat' | 'mount' | 'renderer'>

/** Opens the checks that need no caller, as one middleware: each middleware costs every request a promise. */
function openRequestChecks(
  { hosts, corsOrigins = [], updates }: AppOptions,
  basesOf: (ctx: Context) => BaseUrls,
  isSearch: (ctx: Context) => boolean,
): Middleware {
  const refuseForeignHosts = hosts ? openHostCheck(hosts, ctx => basesOf(ctx).reached) : undefined
  const refuseForeignPages = hosts ? openOriginCheck(corsOrigins, basesOf) : refuseCrossSitePosts(corsOrigins)
  const limited = limitUpdates({ ...defaultUpdateLimits, ...updates }, isSearch)
  return (ctx, next) => {
    refuseMissingHost(ctx)
    if (isStrict(ctx)) ctx.set('Preference-Applied', strictApplied)
    refuseForeignHosts?.(ctx)
    basesOf(ctx) // Refuses a request without a usable host, even if its response has no URL (RFC 9112 §3.2).
    refuseForeignPages(ctx)
    return limited(ctx, next)
  }
}

/** @returns functions that open the router of a mount, by mount, a path prefix such as `/api/v1` */
function routerOpeners(
  routes: Routes,
  features: readonly ServedFeature[],
  shared: SharedContext,
  unversioned: UnmountedContext,
): ReadonlyMap<string, () => Router> {
  const openers = new Map<string, () => Router>()
  for (const mount of unversionedMounts)
    openers.set(mount, () => {
      const router = new Router(exactPaths)
      registerRoutes(router, routes.unversioned, { ...unversioned, mount })
      for (const { routes: own = [], state } of features)
        registerRoutes(router, own, { ...unversioned, mount, feature: state as never })
      return router
    })
  for (const { api, routes: ofVersion } of routes.versions) {
    const { recordFormat } = api
    const renderer = openRecordRenderer(recordFormat, shared.landing)
    for (const mount of recordFormat.mounts)
      openers.set(mount, () => {
        const router = new Router(exactPaths)
        const context = { ...shared, recordFormat, mount, renderer }
        registerRoutes(router, ofVersion, context)
        for (const { versionRoutes, state } of features)
          registerRoutes(router, versionRoutes?.(api) ?? [], { ...context, feature: state as never })
        return router
      })
  }
  return openers
}

/** Returns whether a request has a search in its body, and changes nothing. */
function openSearchMatcher({ versions }: DescribedRoutes): (ctx: Context) => boolean {
  const patterns = versions.flatMap(({ api, routes }) =>
    routes
      .filter(({ isSearch }) => isSearch)
      .flatMap(({ path, alsoAt = [] }) => [path, ...alsoAt])
      .map(path => pathBelow(api.recordFormat.mounts, path.slice(1).replace(/\{\w+\}/g, '[^/]+'))),
  )
  return ({ method, path }) => method === 'POST' && patterns.some(pattern => pattern.test(path))
}

/** Limit of the bytes of all responses that are kept in memory until clients have read them. */
const maxUnreadBytes = 256 * 2 ** 20

/** Loads the classes of `fetch`, which Koa needs for streams, in advance: Node.js takes 50 ms for it. */
export function prepareStreams(): void {
  Reflect.get(globalThis, 'Response')
}

/** Options of routers: paths are case-sensitive, and a path with a slash at its end is another path. */
const exactPaths = { strict: true, sensitive: true }

const lostConnections = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE'])

/**
 * Answers a request that no route has handled: OPTIONS, a method that the path does not have, or an unknown path.
 * @throws ProblemError `malformed-request`, `not-found`, `method-not-allowed`
 */
function answerWithoutRoute(ctx: Context): void {
  refuseMalformedAddress(ctx)
  const methods = methodsAt(ctx)
  if (methods.size === 0)
    throw new ProblemError('not-found', `There is nothing at ${truncate(ctx.path, 200)}.`)
  const allow = [...methods, 'OPTIONS']
  if (ctx.method !== 'OPTIONS') {
    throw new ProblemError(
      'method-not-allowed',
      `${truncate(ctx.path, 200)} does not have the method ${ctx.method}, only ${allow.join(', ')}.`,
      { allow },
    )
  }
  ctx.status = 204
  ctx.set('Allow', allow.join(', '))
}
