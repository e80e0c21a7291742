import type { Context } from 'koa'
import type { Collection } from '../../core/records/collection.js'
import { componentName, type Schema } from '../openapi/specification-types.js'
import type { JsonObject, RecordFormat } from '../record-formats/record-format-interface.js'
import { isStrict } from '../request/prefer-header.js'
import { type NameCheck, openNameCheck } from '../request/unknown-names.js'
import type { DescribedRoute } from './route.js'

/*
 * The known names: parameters and parts from the declarations of the routes, members of records from the schemas of the
 * description.
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
   * Refuses parts of a form by the same rule.
   * @throws ProblemError `malformed-request`
   */
  refuseUnknownParts(
    ctx: Context,
    parts: readonly { readonly name: string }[],
    known: ReadonlySet<string>,
  ): void
  /**
   * Refuses members of a record by the same rule.
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
  /** Names of the parts of its form; undefined: it has no form, or parts of any name. */
  readonly parts: ReadonlySet<string> | undefined
}

/** The members of a route that contain names. */
type NamedRoute = Pick<DescribedRoute, 'parameters' | 'body'>

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

/** Schemas of the description, by name. */
type Components = Readonly<Record<string, Schema>>

/** Names of the members of an object and of nested objects; for a list, the members of its items. */
interface Members {
  readonly names: ReadonlySet<string>
  readonly inner: ReadonlyMap<string, Members>
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
      // A strict client gets another response.
      if (names.some(name => !known.has(name))) ctx.vary('Prefer')
      const check = openNameCheck(isStrict(ctx))
      for (const name of names) check.refuseUnknown(name, known, anyParameter, 'There is no parameter')
    },
    refuseUnknownParts(ctx, parts, known) {
      const check = openNameCheck(isStrict(ctx))
      for (const { name } of parts) check.refuseUnknown(name, known, anyPart, 'The form has no part')
    },
    refuseUnknownMembers(json, version, kind, strict) {
      const { schema, metadata } = records[version]
      const [own, other] = kind === 'schema' ? [schema, metadata] : [metadata, schema]
      checkMembers(json, own, other.names, '', openNameCheck(strict))
    },
  }
}

function membersOfRecords(
  schemas: Components,
): Readonly<Record<RecordFormat['version'], Readonly<Record<Collection, Members>>>> {
  const members = (name: string) => membersOf({ $ref: name }, schemas) as Members
  const version2 = members('SentRecord')
  return {
    1: { schema: members('SentSchemaRecord'), metadata: members('SentMetadataRecord') },
    2: { schema: version2, metadata: version2 },
  }
}

/** @returns undefined if the schema has no members */
function membersOf(schema: Schema, components: Components): Members | undefined {
  const { $ref, properties, items } = schema as Schema & Record<'$ref' | 'properties' | 'items', never>
  const named = $ref === undefined ? undefined : components[componentName($ref)]
  const parts = [
    ...(named ? [named] : []),
    ...(items ? [items as Schema] : []),
    ...['anyOf', 'oneOf', 'allOf'].flatMap(name => (schema[name] as readonly Schema[] | undefined) ?? []),
  ].flatMap(part => membersOf(part, components) ?? [])
  if (properties === undefined && parts.length === 0) return undefined
  const own = Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>)
  return {
    names: new Set([...own.map(([name]) => name), ...parts.flatMap(part => [...part.names])]),
    inner: new Map([
      ...parts.flatMap(part => [...part.inner]),
      ...own.flatMap(([name, inner]) => {
        const found = membersOf(inner, components)
        return found ? [[name, found] as const] : []
      }),
    ]),
  }
}

const none: ReadonlySet<string> = new Set()

function checkMembers(
  value: unknown,
  members: Members,
  elsewhere: ReadonlySet<string>,
  at: string,
  check: NameCheck,
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkMembers(item, members, none, `${at}[${index}]`, check)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    check.refuseUnknown(
      name,
      members.names,
      elsewhere,
      at === '' ? 'The record has no member' : `${at} has no member`,
    )
    const found = members.inner.get(name)
    if (found) checkMembers(inner, found, none, at === '' ? name : `${at}.${name}`, check)
  }
}
