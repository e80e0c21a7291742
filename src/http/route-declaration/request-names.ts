import type { Context } from 'koa'
import { nearestName } from '../../core/nearest-name.js'
import { malformedRequest } from '../../core/problem.js'
import { type Collection, otherCollection } from '../../core/records/collection.js'
import { truncate } from '../../core/value-types.js'
import { listElements, parameterIn, partsOfElement } from '../list-header.js'
import { componentName, type Schema } from '../openapi/specification-types.js'
import { headerParameter } from '../parameters/request-parameter.js'
import type { JsonObject, RecordFormat } from '../record-formats/record-format-interface.js'
import { requestState } from '../request-state.js'
import type { DescribedRoute } from './route.js'

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

/*
 * The names of the members of records, from the schemas of the OpenAPI description.
 */

/** Schemas of the description, by name. */
type Components = Readonly<Record<string, Schema>>

/** Names of the members of an object and of nested objects; for a list, the members of its items. */
interface Members {
  readonly names: ReadonlySet<string>
  readonly inner: ReadonlyMap<string, Members>
}

/** The members of the records that clients send, in each version of the interface. */
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

/** The keywords of a schema that lead to members. */
interface MemberKeywords {
  readonly $ref?: string
  readonly properties?: Components
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** The members in a schema; undefined if the schema has none. */
function membersOf(schema: Schema, components: Components): Members | undefined {
  const { $ref, properties, items, anyOf = [], oneOf = [], allOf = [] } = schema as MemberKeywords
  const named = $ref === undefined ? undefined : components[componentName($ref)]
  const parts = [named, items, ...anyOf, ...oneOf, ...allOf].flatMap(
    part => (part && membersOf(part, components)) ?? [],
  )
  if (properties === undefined && parts.length === 0) return undefined
  const own = Object.entries(properties ?? {})
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

/**
 * Checks the names of all members of a record, and of nested objects.
 * @param elsewhere names of members of the other kind of record, which are not misspellings
 * @param path names and indexes that lead to `value` in the record
 */
function checkMembers(
  value: unknown,
  members: Members,
  elsewhere: ReadonlySet<string>,
  check: NameCheck,
  path = '',
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkMembers(item, members, none, check, `${path}[${index}]`)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const where = `${path === '' ? 'The record' : path} has no member`
  for (const [name, inner] of Object.entries(value)) {
    check.refuseUnknown(name, members.names, elsewhere, where)
    const innerMembers = members.inner.get(name)
    if (innerMembers) checkMembers(inner, innerMembers, none, check, path === '' ? name : `${path}.${name}`)
  }
}

/*
 * Existing clients send unknown query parameters and members of records, so the server ignores them, unless one looks
 * like a misspelling of a known name.
 */

/** Limit of the unknown names of a request that are compared with the known ones, which takes time. */
const maxCompared = 100

/** Checks the names of one request. */
interface NameCheck {
  /**
   * Refuses an unknown name that is probably a misspelling of a known one.
   * @param known names that are allowed here
   * @param elsewhere names that are allowed in a similar place, so that they are not misspellings
   * @param where beginning of the message, such as `There is no parameter`
   * @throws ProblemError `malformed-request` for a misspelling; for a strict client, for every unknown name
   */
  refuseUnknown(name: string, known: ReadonlySet<string>, elsewhere: ReadonlySet<string>, where: string): void
}

/**
 * Begins the checks of one request, whose number of comparisons is limited.
 * @param strict refuses every unknown name, because the request asks for it
 */
function openNameCheck(strict: boolean): NameCheck {
  /** Unknown names that were ignored before, by the set of names that are known in their place. */
  const ignored = new Map<ReadonlySet<string>, Set<string>>()
  let compared = 0
  return {
    refuseUnknown(name, known, elsewhere, where) {
      if (known.has(name) || ignored.get(known)?.has(name)) return
      const meant = elsewhere.has(name) || compared >= maxCompared ? undefined : nearestName(name, known)
      compared += 1
      if (meant !== undefined) throw malformedRequest(`${where} ${quoted(name)}; did you mean "${meant}"?`)
      if (strict) {
        throw malformedRequest(
          `${where} ${quoted(name)}, and the request asks for \`handling=strict\`. Known: ${[...known].sort().join(', ') || 'none'}.`,
        )
      }
      if (compared >= maxCompared) return
      const names = ignored.get(known)
      if (names) names.add(name)
      else ignored.set(known, new Set([name]))
    },
  }
}

function quoted(name: string): string {
  return `"${truncate(name)}"`
}

/** Value of `Preference-Applied` in responses to strict requests. @see RFC 7240 §3 */
export const strictApplied = 'handling=strict'

/**
 * Whether the client wants an error for unknown names, instead of the server ignoring them.
 * @see RFC 7240 §4.4, and §2: the first one of repeated preferences counts
 */
export function isStrict(ctx: Context): boolean {
  const state = requestState(ctx)
  const { prefer: header } = ctx.headers
  state.isStrict ??= header !== undefined && asksForStrict(String(header))
  return state.isStrict
}

function asksForStrict(header: string | undefined): boolean {
  for (const preference of listElements(header)) {
    const [pair = ''] = partsOfElement(preference)
    const { name = pair.toLowerCase(), value } = parameterIn(pair) ?? {}
    if (name === 'handling') return value === 'strict'
  }
  return false
}

/** The header `Prefer`, which every operation accepts. */
export const prefer = headerParameter(
  'Prefer',
  {
    component: 'prefer',
    description:
      'With `handling=strict` (RFC 7240), unknown query parameters and members of records are refused with 400. Without it, they are ignored unless they look like a misspelling of a known name.',
    schema: { type: 'string', examples: ['handling=strict'] },
  },
  asksForStrict,
)
