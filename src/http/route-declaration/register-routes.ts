import type { ParsedUrlQuery } from 'node:querystring'
import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { type Principal, requireCreateRole, requireToken } from '../../core/access-control.js'
import { malformedRequest } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import type { Services } from '../../service/services.js'
import type { CallerOf } from '../auth/identify-caller.js'
import { receiveForm } from '../forms/multipart-form.js'
import type { FormLimits } from '../forms/upload-limits.js'
import { describedMount } from '../mounts.js'
import { requireJsonAccepted } from '../negotiation/content-negotiation.js'
import { refuseAt } from '../parameters/at-parameter.js'
import { answerProblems } from '../problems/problem-forms.js'
import { requireIfMatch } from '../request/conditional-headers.js'
import { requestState } from '../request-state.js'
import { namesOfRoute, type RequestNames } from './request-names.js'
import type { Route } from './route.js'

/** What the checks before handlers need. */
interface RegistrationContext {
  /** Path prefix of the routes, such as `/metastore/api/v1`. */
  readonly mount: string
  readonly services: Pick<Services, 'isBehind'>
  readonly callerOf: CallerOf
  readonly names: RequestNames
  readonly limits: FormLimits
}

/**
 * Registers each route at its paths below the mount. Before its handler runs, these are checked, in this order: the address, unknown
 * names, `at` on a route without a history, parameters that are parsed first, the caller, `Accept`.
 */
export function registerRoutes<C extends RegistrationContext>(
  router: Router,
  routes: readonly Route<C>[],
  context: C,
): void {
  for (const route of routes) {
    if (route.onlyAtRoot && context.mount !== '') continue
    const paths = [route.path, ...(route.alsoAt ?? [])].map(path => context.mount + routerPath(path, route))
    const described = describedMount(context.mount) + route.path
    const handle = handlerOf(route, context)
    const form = route.problemsAs?.form
    const answer = form && answerProblems(form, context, context.services.isBehind)
    router[route.method](paths, (ctx, next) => {
      requestState(ctx).route = described
      return answer ? answer(ctx, () => handle(ctx, next)) : handle(ctx, next)
    })
  }
}

function handlerOf<C extends RegistrationContext>(route: Route<C>, context: C): Middleware {
  const { names, callerOf, limits } = context
  const { query, parts: knownParts } = namesOfRoute(route)
  const takesPoint = query.has('at')
  const parameters = Object.values(route.parameters)
  const readFirst = Object.keys(route.parameters).filter(name => route.parameters[name]?.isReadFirst)
  const requireCaller = earlyCheckOf(route)
  const isRead = route.method === 'get'
  const cut = new Set(parameters.flatMap(({ isCut, described }) => (isCut ? [described.name] : [])))

  function checkAddress(ctx: Context): void {
    refuseMalformedAddress(ctx, cut)
    if (ctx.querystring.length === 0) return
    names.refuseUnknownParameters(ctx, query)
    if (!takesPoint) refuseAt(ctx, route)
  }

  async function readForm(ctx: Context, admit?: () => Promise<void>): Promise<unknown> {
    if (!route.form) throw new Error(`The route ${route.operationId} declares no form.`)
    const parts = await receiveForm(ctx, limits, admit)
    if (knownParts) names.refuseUnknownParts(ctx, parts, knownParts)
    return route.form.read(parts)
  }

  return ctx => {
    if (!route.checksItsQuery) checkAddress(ctx)
    const values = route.readParameters(ctx)
    for (const name of readFirst) Reflect.get(values, name)
    requireCaller?.(callerOf(ctx))
    if (route.answers === 'json') requireJsonAccepted(ctx.headers.accept)
    const answered = route.handle(ctx, context, values, admit => readForm(ctx, admit))
    return isRead && ctx.headers['if-match'] !== undefined ? requireTagOf(ctx, answered) : answered
  }
}

/**
 * Checks `If-Match` against an answer without an ETag. Handlers check it against the ETags that they send.
 * @throws ProblemError `precondition-failed`
 */
async function requireTagOf(ctx: Context, answered: unknown): Promise<void> {
  await answered
  const isSuccess = ctx.status >= 200 && ctx.status < 300
  if (isSuccess && !ctx.response.get('ETag')) requireIfMatch(ctx.headers['if-match'], undefined)
}

/**
 * The check of the caller that runs before a request is read further. The handlers check permissions on records. A POST
 * that needs a permission stores nothing, and its handler finds the record first.
 */
function earlyCheckOf<C>({ access, method }: Route<C>): ((caller: Principal) => void) | undefined {
  if (access === 'create-role') return requireCreateRole
  const isChange = method === 'put' || method === 'delete'
  return access === 'token' || isChange ? requireToken : undefined
}

/** Turns `/schemas/{id}/files/{path}` into `/schemas/:id/files/*path` for the router: `path` may contain slashes. */
function routerPath<C>(path: string, { parameters }: Route<C>): string {
  const withSlashes = new Set(
    Object.values(parameters).flatMap(({ described }) =>
      described['x-has-slashes'] ? [described.name] : [],
    ),
  )
  return path.replace(/\{(\w+)\}/g, (_, name: string) => (withSlashes.has(name) ? `*${name}` : `:${name}`))
}

/**
 * Refuses an address with broken percent-encoding, or with parameters that are too long. Each route calls this function
 * itself, so that the problem has the form of the route's problems.
 * @param cut parameters that may be long, because the text after a limit is ignored
 * @throws ProblemError `malformed-request`
 */
export function refuseMalformedAddress(ctx: Context, cut: ReadonlySet<string> = new Set()): void {
  for (const part of [ctx.path, ctx.querystring]) {
    if (part.includes('%') && !isDecodable(part))
      throw malformedRequest(`The percent-encoding of "${truncate(part)}" is broken.`)
  }
  if (ctx.querystring.length > 0) refuseLongParameters(ctx.query, cut)
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

/** Limits of the characters of a parameter's name and value. The value of a filter may name many resources. */
const maxNameLength = 100
const maxValueLength = 8192

/**
 * Refuses parameters that are too long before anything parses them.
 * @param cut names of parameters whose value may have any length
 * @throws ProblemError `malformed-request`
 */
function refuseLongParameters(query: ParsedUrlQuery, cut: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(query)) {
    const longest = Array.isArray(value) ? Math.max(...value.map(text => text.length)) : (value?.length ?? 0)
    if (name.length > maxNameLength) {
      throw malformedRequest(
        `The name of the parameter ${truncate(name)} has ${name.length} characters; the limit is ${maxNameLength}.`,
      )
    }
    if (longest > maxValueLength && !cut.has(name)) {
      throw malformedRequest(
        `The parameter ${name} has ${longest} characters; the limit is ${maxValueLength}. Send several requests.`,
      )
    }
  }
}
