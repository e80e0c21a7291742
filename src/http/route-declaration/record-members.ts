import type { Collection } from '../../core/records/collection.js'
import { componentName, type Schema } from '../openapi/specification-types.js'
import type { RecordFormat } from '../record-formats/record-format-interface.js'
import type { NameCheck } from './unknown-names.js'

/*
 * The names of the members of records, from the schemas of the OpenAPI description.
 */

/** Schemas of the description, by name. */
export type Components = Readonly<Record<string, Schema>>

/** Names of the members of an object and of nested objects; for a list, the members of its items. */
export interface Members {
  readonly names: ReadonlySet<string>
  readonly inner: ReadonlyMap<string, Members>
}

/** The members of the records that clients send, in each version of the interface. */
export function membersOfRecords(
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
export function checkMembers(
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
