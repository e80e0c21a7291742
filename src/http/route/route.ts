import type { Context, Middleware } from 'koa'
import type { ProblemKind } from '../../core/problem.js'
import type { FormPart } from '../forms/multipart-form.js'
import type { Method, Operation, RequestBody, Responses, Schema } from '../openapi/specification-types.js'
import type { RequestParameter } from '../request/request-parameter.js'

type Parameters = Readonly<Record<string, RequestParameter<unknown>>>

/** The values of a route's parameters. Each is parsed, and may be refused, when the handler reads it. */
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends RequestParameter<infer T> ? T : never
}

/**
 * Reads the form of a request. Its parts have the names that the route declares.
 * @param admit refuses the caller; called before a form is read that is not small
 * @throws ProblemError
 * @see receiveForm
 */
export type ReadForm = (admit?: () => Promise<void>) => Promise<readonly FormPart[]>

/** A representation of problems other than problem details. */
export interface ProblemRepresentation<C> {
  /** Answers the problems of the handlers after it. */
  openMiddleware(context: C): Middleware
  responses(meanings: ProblemMeanings): Responses
}

/** What each problem means for an operation; `true`: what it means for every operation. */
export type ProblemMeanings = Partial<Record<ProblemKind, string | true>>

interface RouteHead extends Pick<Operation, 'tags' | 'operationId' | 'summary' | 'description' | 'security'> {
  readonly method: Method
  /** Below the mount, as in OpenAPI: `/schemas/{id}`. */
  readonly path: string
  /** Further paths of the route. */
  readonly alsoAt?: readonly string[]
  /** It is served at the root only, not below other mounts. */
  readonly onlyAtRoot?: true
  /**
   * The callers that may use it, checked before the body is read: those with a token, or those who may create records.
   * Absent: any, or the handler checks.
   */
  readonly caller?: 'with-token' | 'creator'
  /** It answers JSON whatever `Accept` prefers. An `Accept` that excludes JSON is refused before the body is read. */
  readonly answers?: 'json'
  /** It refuses unknown and misspelled names of parameters itself, in the words of its protocol. */
  readonly checksItsNames?: true
  /** Its form. The properties of the schema are the parts. */
  readonly body?: RequestBody
  /** Its responses without a problem. One of these replaces the response for a problem of the same status. */
  readonly responses: Responses
  /** Beyond the problems that every request can have. */
  readonly problems?: ProblemMeanings
  /** Components that its responses refer to. */
  readonly schemas?: Readonly<Record<string, Schema>>
}

/** What the OpenAPI description needs of a route. */
export interface DescribedRoute extends RouteHead {
  readonly parameters: Parameters
  readonly problemsAs?: Pick<ProblemRepresentation<never>, 'responses'>
}

interface RouteDeclaration<C, P extends Parameters> extends RouteHead {
  readonly parameters: P
  readonly problemsAs?: ProblemRepresentation<C>
  handle(ctx: Context, context: C, parameters: ParameterValues<P>, readForm: ReadForm): unknown
}

/**
 * A route. From its declaration follow the OpenAPI description, the names that its requests may have, the checks before
 * its handler, and the types of the handler's arguments.
 * @typeParam C what the handlers of its mount work with
 */
export interface Route<C> extends RouteHead {
  readonly parameters: Parameters
  readonly problemsAs?: ProblemRepresentation<C>
  handle(ctx: Context, context: C, parameters: ParameterValues<Parameters>, readForm: ReadForm): unknown
  readParameters(ctx: Context): ParameterValues<Parameters>
}

/** Declares routes for handlers that work with a `C`. */
export function routesWith<C>(): <P extends Parameters>(declaration: RouteDeclaration<C, P>) => Route<C> {
  return <P extends Parameters>(declaration: RouteDeclaration<C, P>) => {
    const readParameters = openReader(declaration.parameters)
    return { ...declaration, readParameters } as unknown as Route<C>
  }
}

/** No parameter can have the same key. */
const request = Symbol('request')

/** Getters on a prototype, so that a request allocates one small object. */
function openReader<P extends Parameters>(parameters: P): (ctx: Context) => ParameterValues<P> {
  class Reader {
    readonly [request]: Context
    constructor(ctx: Context) {
      this[request] = ctx
    }
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    Object.defineProperty(Reader.prototype, name, {
      get(this: Reader) {
        return parameter.read(this[request])
      },
    })
  }
  return ctx => new Reader(ctx) as unknown as ParameterValues<P>
}
