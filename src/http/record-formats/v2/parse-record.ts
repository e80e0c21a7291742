import { mergeAcls } from '../../../core/access-control.js'
import { malformedRequest, ProblemError } from '../../../core/problem.js'
import type { Collection, DocumentType } from '../../../core/records/collection.js'
import type { PrimaryIdentifier, RecordDate, StoredRecord } from '../../../core/records/record.js'
import { type ObjectShape, recordJsonSchema } from '../../../core/records/record-json-schema.js'
import { isId, parseVersion, truncate } from '../../../core/value-types.js'
import {
  checkReadOnlyMembers,
  readAcl,
  readEnum,
  readObject,
  readText,
  wrongMember,
} from '../read-json-properties.js'
import type { JsonObject } from '../record-format-interface.js'
import { type ParsedSchemaUrl, parseSchemaUrl } from '../record-urls.js'
import { readByShape } from './properties-by-record-schema.js'
import { withoutCreated } from './version-2-members.js'

/*
 * Reads records of interface version 2 from requests. A sent record replaces the stored one, except for derived members
 * and members that the contract keeps.
 */

/** The checked members of a sent record that are to be stored. */
export type SentRecord = Partial<Omit<StoredRecord, 'id' | 'schema' | 'doNotSync' | 'resourceType'>>

const sentShape = shapeOf(name => !['id', 'schema', 'doNotSync', 'resourceType', 'acls'].includes(name))
const resourceTypeShape = shapeOf(name => name === 'resourceType')

function shapeOf(isWanted: (name: string) => boolean): ObjectShape {
  const properties = Object.entries(recordJsonSchema.properties).filter(([name]) => isWanted(name))
  return { ...recordJsonSchema, properties: Object.fromEntries(properties), required: [] }
}

/**
 * Checks a sent record, and returns the members that are stored. Derived members are left out.
 * @throws ProblemError `malformed-request` that names the member
 */
export function readRecord(json: JsonObject, kind: Collection): SentRecord {
  checkReadOnlyMembers(json, { numbers: ['version'], times: ['lastUpdate'], texts: ['id'] })
  const { publicationYear: year, relatedIdentifiers: relations } = json
  const sent: SentRecord = readByShape(sentShape, {
    ...json,
    // A number is accepted too. The year is a text, as Java clients expect it.
    publicationYear: typeof year === 'number' ? String(year) : year,
    relatedIdentifiers: Array.isArray(relations)
      ? relations.map((entry: unknown) => (isDerived(entry, kind) ? null : entry))
      : relations,
  })
  if (sent.publicationYear !== undefined && !/^\d{4}$/.test(sent.publicationYear)) {
    throw wrongMember('publicationYear', year, 'a year of four digits')
  }
  readResourceType(json)
  const acls = readAcl(json, 'acls')
  return {
    ...sent,
    ...(acls && { acls }),
    // An empty member removes the stored one; an absent member keeps it.
    ...('search' in json && { search: sent.search ?? {} }),
    ...('crosswalk' in json && { crosswalk: sent.crosswalk ?? {} }),
  }
}

/** Whether the server derives a relation: it renders such relations, and never stores them. */
function isDerived(entry: unknown, kind: Collection): boolean {
  return isRelation(entry, 'IS_NEW_VERSION_OF') || (kind === 'metadata' && isRelation(entry, 'HAS_METADATA'))
}

const spelledTogether = { IS_NEW_VERSION_OF: 'ISNEWVERSIONOF', HAS_METADATA: 'HASMETADATA' } as const

/** Accepts both spellings of relations: with and without underscores. */
function isRelation(entry: unknown, relation: keyof typeof spelledTogether): entry is JsonObject {
  if (typeof entry !== 'object' || entry === null) return false
  const { relationType } = entry as JsonObject
  return relationType === relation || relationType === spelledTogether[relation]
}

/**
 * Checks the resource type, and returns it; undefined if absent or empty. It is not stored: it follows from the
 * document.
 * @throws ProblemError `malformed-request`
 */
function readResourceType(json: JsonObject): JsonObject | undefined {
  const resourceType = json.resourceType === '' ? undefined : readObject(json, 'resourceType')
  if (!resourceType) return undefined
  const value = resourceType.value || 'any'
  readByShape(resourceTypeShape, { resourceType: { ...resourceType, value } })
  return resourceType
}

/**
 * The language of a schema, from its resource type; without `type` if the record does not say it.
 * @throws ProblemError `malformed-request`
 * @see docs/contract.md#schema-documents
 */
export function schemaLanguage(json: JsonObject): { readonly type?: DocumentType } {
  const resourceType = readResourceType(json)
  if (!resourceType) return {}
  const value = readEnum(resourceType, 'value', ['JSON_Schema', 'XML_Schema'])
  if (!value) return {}
  return { type: value === 'JSON_Schema' ? 'JSON' : 'XML' }
}

/**
 * The schema that a metadata record follows, from its relation HAS_METADATA: `<schemaId>` or `<schemaId>/<version>`
 * with the type INTERNAL, or a URL of the service with the type URL.
 * @returns undefined without this relation
 * @throws ProblemError `malformed-request` for several relations; `unprocessable` for a schema of another service
 * @see docs/contract.md#naming-the-schema
 */
export function parseSchemaRelation(json: JsonObject, bases: readonly string[]): ParsedSchemaUrl | undefined {
  const { relatedIdentifiers: relations } = json
  if (!Array.isArray(relations)) return undefined
  const [relation, second] = relations.filter(entry => isRelation(entry, 'HAS_METADATA'))
  if (second)
    throw malformedRequest('The record has several related identifiers HAS_METADATA; it follows one schema.')
  if (!relation) return undefined
  const value = readText(relation, 'value')
  const type = readText(relation, 'identifierType')
  const named = value ? schemaNamed(value, type, bases) : undefined
  if (named) return named
  throw new ProblemError(
    'unprocessable',
    `HAS_METADATA ${value ? `"${truncate(value)}" (${type ?? 'no identifierType'})` : 'without a value'} names no schema of this service: use its id, or <id>/<version>, with INTERNAL, or its address here with URL.`,
  )
}

function schemaNamed(
  value: string,
  type: string | null | undefined,
  bases: readonly string[],
): ParsedSchemaUrl | undefined {
  if (type === 'URL') return parseSchemaUrl(value, bases)
  const [schemaId = '', version, ...rest] = value.split('/')
  if (type !== 'INTERNAL' || rest.length > 0 || !isId(schemaId)) return undefined
  if (version === undefined) return { schemaId }
  return /^[1-9]\d*$/.test(version) ? { schemaId, version: parseVersion(version) } : undefined
}

/**
 * The id that a sent record asks for: its first alternate identifier of the type INTERNAL.
 * @see docs/contract.md#defaults-of-a-new-record
 */
export function internalIdOf(sent: SentRecord): string | undefined {
  return sent.alternateIdentifiers?.find(({ identifierType }) => identifierType === 'INTERNAL')?.value
}

/** Adds an alternate identifier, unless the record has it already. */
export function withName(sent: SentRecord, name: string): SentRecord {
  const others = sent.alternateIdentifiers ?? []
  if (others.some(({ value }) => value === name)) return sent
  return { ...sent, alternateIdentifiers: [{ value: name, identifierType: 'OTHER' }, ...others] }
}

/**
 * Replaces the stored record `base` by `sent`. Absent members are removed, except for creators, publisher, year, state
 * and access, which stay, and the date CREATED, which never changes.
 * @see docs/contract.md#replacement-by-a-version-2-put
 */
export function replaceRecord(
  base: StoredRecord,
  sent: SentRecord,
  { isNew }: { readonly isNew: boolean },
): StoredRecord {
  const record = {
    ...sent,
    id: base.id,
    schema: base.schema,
    identifier: withPid(sent.identifier, base.identifier),
    creators: sent.creators ?? base.creators,
    publisher: sent.publisher ?? base.publisher,
    publicationYear: sent.publicationYear ?? base.publicationYear,
    dates: [...created(isNew ? sent : base), ...withoutCreated(sent.dates)],
    state: sent.state ?? base.state,
    acls: sent.acls ? mergeAcls(base.acls ?? [], sent.acls) : base.acls,
    doNotSync: base.doNotSync,
    // Clients that do not know these members leave them out: then the stored ones stay.
    search: sent.search ?? base.search,
    crosswalk: sent.crosswalk ?? base.crosswalk,
  }
  const kept = Object.entries(record).filter(([, value]) => !isNothing(value))
  return Object.fromEntries(kept) as unknown as StoredRecord
}

function isNothing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

function created({ dates = [] }: Pick<StoredRecord, 'dates'>): readonly RecordDate[] {
  return dates.filter(({ type }) => type === 'CREATED').slice(0, 1)
}

function withPid(
  sent: PrimaryIdentifier | undefined,
  stored: PrimaryIdentifier | undefined,
): PrimaryIdentifier | undefined {
  if (!sent) return undefined
  const { value, identifierType = 'DOI' } = sent
  // Version 1 may store the identifier without a type, which version 2 renders as DOI. Sent back, it is unchanged.
  const same = stored?.value === value && stored.identifierType === undefined && identifierType === 'DOI'
  return same ? stored : { value, identifierType }
}
