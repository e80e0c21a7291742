import type { Collection } from '../../core/records/collection.js'
import { componentName, type Schema } from '../openapi/specification-types.js'
import type { JsonObject, RecordFormat } from '../record-formats/record-format-interface.js'
import type { NameCheck } from '../request/unknown-names.js'

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

/** The members in a schema; undefined if the schema has none. */
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

/**
 * Checks the names of all members of a record, and of nested objects.
 * @param elsewhere names of members of the other kind of record, which are not misspellings
 */
export function checkMembers(
  record: JsonObject,
  members: Members,
  elsewhere: ReadonlySet<string>,
  check: NameCheck,
): void {
  checkWithin(record, members, elsewhere, '', check)
}

function checkWithin(
  value: unknown,
  members: Members,
  elsewhere: ReadonlySet<string>,
  at: string,
  check: NameCheck,
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkWithin(item, members, none, `${at}[${index}]`, check)
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
    if (found) checkWithin(inner, found, none, at === '' ? name : `${at}.${name}`, check)
  }
}
