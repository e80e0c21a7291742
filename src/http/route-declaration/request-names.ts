import type { Context } from 'koa'
import { type Collection, otherCollection } from '../../core/records/collection.js'
import type { JsonObject, RecordFormat } from '../record-formats/record-format-interface.js'
import { isStrict } from '../request/prefer-header.js'
import { type Components, checkMembers, membersOfRecords } from './record-members.js'
import type { DescribedRoute } from './route.js'
import { openNameCheck } from './unknown-names.js'

/*
 * The names that requests may have: parameters and parts from the declarations of the routes, members of records from
 * the schemas of the OpenAPI description.
 */

/** Checks the names in requests. */
export interface RequestNames {
  /**
   * Refuses a query parameter that looks like a misspelling of a known one; for a strict client, every unknown one.
   * @param known names of the parameters of the operation
   * @throws ProblemError `malformed-request`
   */
  refuseUnknownParameters(ctx: Context, known: ReadonlySet<string>): void
  /**
   * Refuses parts of a form by the rule of {@link refuseUnknownParameters}.
   * @throws ProblemError `malformed-request`
   */
  refuseUnknownParts(
    ctx: Context,
    parts: readonly { readonly name: string }[],
    known: ReadonlySet<string>,
  ): void
  /**
   * Refuses members of a record by the rule of {@link refuseUnknownParameters}.
   * @throws ProblemError `malformed-request`
   */
  refuseUnknownMembers(
    json: JsonObject,
    version: RecordFormat['version'],
    kind: Collection,
    strict: boolean,
  ): void
}

/** The parameter and part names that a route declares. */
interface NamesOfRoute {
  /** Names of query parameters. */
  readonly query: ReadonlySet<string>
  /** Names of the parts of the form; undefined if the route has no form, or a form with parts of any name. */
  readonly parts: ReadonlySet<string> | undefined
}

/** The members of a route that contain names. */
type NamedRoute = Pick<DescribedRoute, 'parameters' | 'form'>

/** Finds the names in the declaration of a route: in its parameters, and in the schema of its form. */
export function namesOfRoute({ parameters, form }: NamedRoute): NamesOfRoute {
  const query = Object.values(parameters).flatMap(({ described }) =>
    described.in === 'query' ? [described.name] : [],
  )
  const { properties, additionalProperties } = form?.described.content['multipart/form-data']?.schema ?? {}
  return {
    query: new Set(query),
    parts: properties && !additionalProperties ? new Set(Object.keys(properties)) : undefined,
  }
}

/**
 * Collects the known names once, for the checks of every request.
 * @param schemas schemas of the description, including the records of requests
 */
export function openRequestNames(routes: readonly NamedRoute[], schemas: Components): RequestNames {
  const ofRoutes = routes.map(namesOfRoute)
  const anyParameter = new Set(ofRoutes.flatMap(({ query }) => [...query]))
  const anyPart = new Set(ofRoutes.flatMap(({ parts }) => [...(parts ?? [])]))
  const records = membersOfRecords(schemas)

  return {
    refuseUnknownParameters(ctx, known) {
      const names = Object.keys(ctx.query)
      // The response depends on `Prefer`: a strict client gets an error.
      if (names.some(name => !known.has(name))) ctx.vary('Prefer')
      const check = openNameCheck(isStrict(ctx))
      for (const name of names) check.refuseUnknown(name, known, anyParameter, 'There is no parameter')
    },
    refuseUnknownParts(ctx, parts, known) {
      const check = openNameCheck(isStrict(ctx))
      for (const { name } of parts) check.refuseUnknown(name, known, anyPart, 'The form has no part')
    },
    refuseUnknownMembers(json, version, kind, strict) {
      const { [kind]: own, [otherCollection[kind]]: other } = records[version]
      checkMembers(json, own, other.names, openNameCheck(strict))
    },
  }
}
