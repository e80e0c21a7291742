import type { ParsedUrlQuery } from 'node:querystring'
import type { Context } from 'koa'
import type { Parameter } from '../openapi/specification-types.js'

/** A parameter of a request: its description, and how its value is read. */
export interface RequestParameter<T> {
  readonly described: Parameter
  /** Name among the components of the description; undefined: each operation has its own description. */
  readonly component?: string
  /** The parameter is parsed before the caller's permission is checked, even if the handler does not use it. */
  readonly isReadFirst?: true
  /** The value may have any length, because the text after a limit is ignored. */
  readonly isCut?: true
  /** @throws ProblemError `malformed-request`; `precondition-required` if `If-Match` is missing */
  read(ctx: Context): T
}

type Described = Omit<Parameter, 'name' | 'in'> &
  Pick<RequestParameter<unknown>, 'component' | 'isReadFirst' | 'isCut'>

/** A parameter of the query. @param read parses its value from the whole query */
export function queryParameter<T>(
  name: string,
  described: Described,
  read: (query: ParsedUrlQuery, name: string) => T,
): RequestParameter<T> {
  return parameter(name, 'query', described, ({ query }) => read(query, name))
}

/** A header of the request. @param read parses its value; the value is undefined if the request lacks the header */
export function headerParameter<T>(
  name: string,
  described: Described,
  read: (value: string | undefined) => T,
): RequestParameter<T> {
  return parameter(name, 'header', described, ctx => read(ctx.get(name) || undefined))
}

/** A parameter of the path. Its value is never empty. */
export function pathParameter(
  name: string,
  described: Omit<Described, 'required'>,
): RequestParameter<string> {
  return parameter(name, 'path', { ...described, required: true }, ({ params }) => params[name] ?? '')
}

function parameter<T>(
  name: string,
  place: Parameter['in'],
  { component, isReadFirst, isCut, ...described }: Described,
  read: (ctx: Context) => T,
): RequestParameter<T> {
  return {
    described: { name, in: place, ...described },
    ...(component !== undefined && { component }),
    ...(isReadFirst && { isReadFirst }),
    ...(isCut && { isCut }),
    read,
  }
}
