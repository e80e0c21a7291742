import type { Context } from 'koa'
import type { ProblemKind } from '../../core/problem.js'
import type { Method, Operation, RequestBody, Responses, Schema } from '../openapi/specification-types.js'
import type { RequestParameter } from '../parameters/request-parameter.js'
import type { ProblemForm } from '../problems/problem-forms.js'
import type { RequestForm } from './request-form.js'

type Parameters = Readonly<Record<string, RequestParameter<unknown>>>

/** The values of a route's parameters. Each is parsed, and may be refused, when it is accessed first. */
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends RequestParameter<infer T> ? T : never
}

/**
 * Reads the form of a request, and returns the parts that the route declares.
 * @param admit as for `receiveForm`
 * @throws ProblemError
 * @see receiveForm
 */
type ReadForm<F> = (admit?: () => Promise<void>) => Promise<F>

/** What a route needs of a caller who is not an administrator. @see docs/run/access.md */
export type RouteAccess =
  /** This permission on the record that the path or the query names. */
  | 'READ'
  | 'WRITE'
  | 'ADMINISTRATE'
  /** A token, with the role to create records. */
  | 'create-role'
  /** A token. Each change of the request needs its own permission. */
  | 'token'
  /** Nothing. The response has only records that the caller may read. */
  | 'readable-records'
  /** Nothing. The response has the records that callers without a token may read. */
  | 'public-records'
  /** Nothing. The response is the same for every caller. */
  | 'none'
  /** The right to read everything. Every caller has it if all records are and were public. */
  | 'whole-repository'
  /** Only administrators may use the route. */
  | 'administrator'

/** Another representation of problems than problem details. */
export interface ProblemRepresentation<C> {
  /** Absent: the middleware of all requests answers the problems of the handler. */
  readonly form?: ProblemForm<C>
  responses(meanings: ProblemMeanings): Responses
}

/** A description of each problem of an operation; `true`: the general description. */
export type ProblemMeanings = Partial<Record<ProblemKind, string | true>>

/** The members of a route that the OpenAPI description needs. */
export interface DescribedRoute
  extends Pick<Operation, 'tags' | 'operationId' | 'summary' | 'description' | 'security'> {
  readonly method: Method
  /** Path below the mount, as in OpenAPI: `/schemas/{id}`. */
  readonly path: string
  /** Further paths with the same handler. */
  readonly alsoAt?: readonly string[]
  /** The route exists only at the root, not below other mounts. */
  readonly onlyAtRoot?: true
  readonly access: RouteAccess
  /** The response is always JSON. An `Accept` that excludes JSON is refused before the body is read. */
  readonly answers?: 'json'
  /** The request has a search in its body, and changes nothing. */
  readonly isSearch?: true
  /** The handler itself refuses unknown, long and undecodable parameters, in the form of its protocol. */
  readonly checksItsQuery?: true
  /** The body of the request, if the handler reads it itself. */
  readonly body?: RequestBody
  /** Successful responses. An entry replaces the response for a problem of the same status. */
  readonly responses: Responses
  /** Problems, beyond those that every request can have. */
  readonly problems?: ProblemMeanings
  /** Schemas that the responses refer to, by name among the components of the OpenAPI description. */
  readonly schemas?: Readonly<Record<string, Schema>>
  readonly parameters: Parameters
  readonly form?: RequestForm<unknown>
  readonly problemsAs?: Pick<ProblemRepresentation<never>, 'responses'>
}

interface RouteDeclaration<C, P extends Parameters, F> extends DescribedRoute {
  readonly parameters: P
  /** The form of the request, which the handler reads with `readForm`. */
  readonly form?: RequestForm<F>
  readonly problemsAs?: ProblemRepresentation<C>
  handle(ctx: Context, context: C, parameters: ParameterValues<P>, readForm: ReadForm<F>): unknown
}

/**
 * A route. Its declaration determines the OpenAPI description, the known names, the checks before the handler, and the
 * types of the handler's arguments.
 * @typeParam C context of the handlers
 */
export interface Route<C> extends DescribedRoute {
  readonly problemsAs?: ProblemRepresentation<C>
  handle(
    ctx: Context,
    context: C,
    parameters: ParameterValues<Parameters>,
    readForm: ReadForm<unknown>,
  ): unknown
  readParameters(ctx: Context): ParameterValues<Parameters>
}

/**
 * Returns the function that declares routes for handlers with a context of type `C`. The handler gets the values of the
 * declared parameters and parts, with their types:
 *
 *     const route = routesWith<ApiContext>()
 *     const readSchema = route({
 *       method: 'get',
 *       path: '/schemas/{id}',
 *       access: 'READ',
 *       parameters: { id: schemaId },
 *       // tags, operationId, summary, description, responses
 *       handle(ctx, context, { id }) { … },
 *     })
 */
export function routesWith<C>() {
  return <P extends Parameters, F>(declaration: RouteDeclaration<C, P, F>): Route<C> => {
    const readParameters = openReader(declaration.parameters)
    // The types P and F end here, so that routes fit in one list: only this reader and form supply this handler.
    return { ...declaration, readParameters } as unknown as Route<C>
  }
}

/** Keys of an object of {@link openReader}: symbols, so that no parameter can have the same key. */
const request = Symbol('request')
const parsed = Symbol('parsed')

/**
 * Makes objects with a getter for each parameter. The getters are on a prototype, so that a request allocates one small
 * object only.
 */
function openReader<P extends Parameters>(parameters: P): (ctx: Context) => ParameterValues<P> {
  class Reader {
    readonly [request]: Context
    /** Values that were accessed before, by the place of their parameter. */
    readonly [parsed]: unknown[] = []
    constructor(ctx: Context) {
      this[request] = ctx
    }
  }
  for (const [place, [name, parameter]] of Object.entries(parameters).entries()) {
    Object.defineProperty(Reader.prototype, name, {
      get(this: Reader) {
        const { [parsed]: values } = this
        if (!(place in values)) values[place] = parameter.read(this[request])
        return values[place]
      },
    })
  }
  return ctx => new Reader(ctx) as unknown as ParameterValues<P>
}
