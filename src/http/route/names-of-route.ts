import type { DescribedRoute } from './route.js'

/** The parameter and part names that a route declares. */
export interface NamesOfRoute {
  /** Names of query parameters. */
  readonly query: ReadonlySet<string>
  /** Names of the parts of its form; undefined: it has no form, or parts of any name. */
  readonly parts: ReadonlySet<string> | undefined
}

/** The members of a route that contain names. */
export type NamedRoute = Pick<DescribedRoute, 'parameters' | 'body'>

/** Finds the names in the declaration of a route: in its parameters, and in the schema of its form. */
export function namesOfRoute({ parameters, body }: NamedRoute): NamesOfRoute {
  const query = Object.values(parameters).flatMap(({ described }) =>
    described.in === 'query' ? [described.name] : [],
  )
  const { properties, additionalProperties } = body?.content['multipart/form-data']?.schema ?? {}
  return {
    query: new Set(query),
    parts: properties && !additionalProperties ? new Set(Object.keys(properties)) : undefined,
  }
}
