import type { Context, Middleware } from 'koa'
import type { ProblemKind } from '../../core/problem.js'
import type { Method, Operation, RequestBody, Responses, Schema } from '../openapi/specification-types.js'
import type { FormPart } from '../request/multipart-form.js'
import type { RequestParameter } from '../request/request-parameter.js'

type Parameters = Readonly<Record<string, RequestParameter<unknown>>>

/** The values of the parameters of a route. Each is read when it is asked for, and only then can it be refused. */
export type Asked<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends RequestParameter<infer T> ? T : never
}

/**
 * Reads the form of a request, whose parts have the names that the route declares.
 * @param admit refuses the caller; called before a form is read that is not small
 * @throws ProblemError
 * @see receiveForm
 */
export type ReadForm = (admit?: () => Promise<void>) => Promise<readonly FormPart[]>

/** What a problem on a route is answered as, beside problem details. */
export interface ProblemRepresentation<C> {
  /** Answers the problems of the handlers after it. */
  openMiddleware(context: C): Middleware
  responses(told: ToldProblems): Responses
}

/** What each problem means for an operation; `true`: nothing beyond what it means anywhere. */
export type ToldProblems = Partial<Record<ProblemKind, string | true>>

interface RouteHead extends Pick<Operation, 'tags' | 'operationId' | 'summary' | 'description' | 'security'> {
  readonly method: Method
  /** Below the mount, as OpenAPI has it: `/schemas/{id}`. */
  readonly path: string
  /** Further paths at which the same is to be had. */
  readonly alsoAt?: readonly string[]
  /** It is served at the root only, not below other mounts. */
  readonly onlyAtRoot?: true
  /**
   * Who may ask, checked before the body is read: a caller with a token, or one who may create records. Absent: anyone,
   * or the handler finds out.
   */
  readonly caller?: 'with-token' | 'creator'
  /** It answers JSON whatever `Accept` prefers; one that excludes JSON is refused before the body is read. */
  readonly answers?: 'json'
  /** The form it takes; its parts are the properties of the schema. */
  readonly body?: RequestBody
  /** Its answers where there is no problem. One of these takes the place of a problem of the same status. */
  readonly responses: Responses
  /** Beyond those that every request can have. */
  readonly problems?: ToldProblems
  /** Schemas that its answers refer to, as components of the description. */
  readonly schemas?: Readonly<Record<string, Schema>>
}

/** A route as far as it is described, whatever its handler works with. */
export interface DescribedRoute extends RouteHead {
  readonly parameters: Parameters
  readonly problemsAs?: Pick<ProblemRepresentation<never>, 'responses'>
}

interface RouteDeclaration<C, P extends Parameters> extends RouteHead {
  readonly parameters: P
  readonly problemsAs?: ProblemRepresentation<C>
  handle(ctx: Context, context: C, asked: Asked<P>, readForm: ReadForm): unknown
}

/**
 * A route of the interface. From its declaration come the description, the names that its requests may have, what is
 * refused before its handler runs, and the types its handler gets.
 * @typeParam C what the handlers of its mount work with
 */
export interface Route<C> extends RouteHead {
  readonly parameters: Parameters
  readonly problemsAs?: ProblemRepresentation<C>
  handle(ctx: Context, context: C, asked: Asked<Parameters>, readForm: ReadForm): unknown
  /** The values of the parameters of a request. */
  ask(ctx: Context): Asked<Parameters>
}

/** Declares routes for handlers that work with a `C`. */
export function routesWith<C>(): <P extends Parameters>(declaration: RouteDeclaration<C, P>) => Route<C> {
  return <P extends Parameters>(declaration: RouteDeclaration<C, P>) => {
    const ask = openReader(declaration.parameters)
    return { ...declaration, ask } as unknown as Route<C>
  }
}

/** Getters on a prototype: a request costs one small object. */
function openReader<P extends Parameters>(parameters: P): (ctx: Context) => Asked<P> {
  class Reader {
    readonly #ctx: Context
    constructor(ctx: Context) {
      this.#ctx = ctx
    }
    static read(reader: Reader, parameter: RequestParameter<unknown>): unknown {
      return parameter.read(reader.#ctx)
    }
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    Object.defineProperty(Reader.prototype, name, {
      get(this: Reader) {
        return Reader.read(this, parameter)
      },
      enumerable: true,
    })
  }
  return ctx => new Reader(ctx) as unknown as Asked<P>
}
