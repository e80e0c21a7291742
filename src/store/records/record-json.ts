import { sameAcls } from '../../core/access-control.js'
import { decodeUtf8, findLoneSurrogate, maxTextBytes, parseStrictJson } from '../../core/json/strict-json.js'
import { tryParseJson } from '../../core/json/try-parse.js'
import { isPlain } from '../../core/plain-mode.js'
import { type Finding, ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import {
  defaultIdentifier,
  defaultTitles,
  identifierTypeOf,
  type RecordDate,
  type RelatedIdentifier,
  type StoredRecord,
  type WrittenRecord,
} from '../../core/records/record.js'
import {
  type ObjectShape,
  recordJsonSchema,
  type SchemaNode,
  type TextShape,
} from '../../core/records/record-json-schema.js'
import type { EventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { asVersion, isId } from '../../core/value-types.js'
import {
  findHandwrittenRecordFaults,
  findRecordFaults,
  isCanonicalRecord,
  membersOf,
  normalizeTime,
} from './validate-record.js'

/**
 * The stored form of a record: members in the order of {@link recordJsonSchema}, without nulls, empty strings, empty
 * lists, empty objects, default values and derived members. An empty text that is a required member stays if its object
 * has other members. Values with several spellings get one.
 */
export function canonicalRecord(record: StoredRecord): StoredRecord
export function canonicalRecord(record: WrittenRecord): WrittenRecord
export function canonicalRecord(record: WrittenRecord): WrittenRecord {
  if (canonicals.has(record)) return record
  const known = canonicalOf.get(record)
  if (known) return known
  const made = removeDerivedMembers(canonicalObject(recordJsonSchema, record) ?? {})
  canonicalOf.set(record, made)
  canonicals.add(made)
  return made
}

/** Stored forms by record: an update needs the stored form of its record several times. Records are immutable. */
const canonicalOf = new WeakMap<WrittenRecord, WrittenRecord>()
/**
 * Records in their stored form. They are not values of {@link canonicalOf}: V8 keeps an entry whose value is its key
 * until the next full collection, which cost a GET a third of its processor time.
 */
const canonicals = new WeakSet<WrittenRecord>()

/** Canonical JSON, two spaces, final newline: the same record always gives the same bytes. */
export function encodeRecord(record: StoredRecord): Buffer {
  return Buffer.from(recordToText(record))
}

/** The text of a record's file. */
export function recordToText(record: StoredRecord): string {
  return textOf(canonicalRecord(record))
}

/** Parses a stored record. @param text JSON in the stored form, which is not checked */
export function recordFromText(text: string): StoredRecord {
  const record = JSON.parse(text) as StoredRecord
  canonicals.add(record)
  return record
}

function textOf(canonical: StoredRecord): string {
  const known = texts.get(canonical)
  if (known !== undefined) return known
  const text = `${JSON.stringify(canonical, undefined, 2)}\n`
  texts.set(canonical, text)
  return text
}

/** Texts by stored form, because a record that was checked is usually written next. */
const texts = new WeakMap<StoredRecord, string>()

/**
 * Checks that a record, when it is written to a file, can be read again.
 * @returns the canonical form
 * @throws ProblemError `unprocessable` as {@link decodeRecord}
 */
export async function canonicalRecordOrThrow(
  record: StoredRecord,
  pauses: EventLoopPauses,
): Promise<StoredRecord> {
  const made = canonicalRecord(record)
  await pauses.ifDue()
  const text = textOf(made)
  await pauses.ifDue()
  const broken = findLoneSurrogate(text)
  if (broken !== undefined) throw unreadable([{ message: broken, path: '' }])
  await pauses.ifDue()
  if (isPlain || !isCanonicalRecord(made)) refuse(findRecordFaults(made))
  return made
}

/**
 * Reads a complete record, as the server writes it. Members may be in any order; null counts as absent.
 * @returns the canonical form
 * @throws ProblemError `unprocessable` with a finding for each fault. An unknown member is a fault, because the next
 *   update through the server would lose it
 */
export function decodeRecord(bytes: Uint8Array): StoredRecord {
  return checkedRecord(decodeJson(bytes))
}

/**
 * {@link decodeRecord} for a value parsed from JSON.
 * @returns the canonical form
 * @throws ProblemError `unprocessable` as {@link decodeRecord}
 */
export function parseRecord(value: unknown): StoredRecord {
  return checkedRecord(withoutNulls(value))
}

function checkedRecord(value: unknown): StoredRecord {
  refuse(findRecordFaults(value))
  return canonicalRecord(value as StoredRecord)
}

/**
 * Reads a `record.json` that was written by the server or by a person. A person may leave out what follows from path
 * and history.
 * @returns the canonical form
 * @throws ProblemError `unprocessable` as {@link decodeRecord}
 */
export function decodeHandwrittenRecord(kind: Collection, bytes: Uint8Array): WrittenRecord {
  const stored = isPlain ? undefined : decodeStored(kind, bytes)
  if (stored) return stored
  const value = decodeJson(bytes)
  refuse(findHandwrittenRecordFaults(value))
  const record = value as WrittenRecord
  return canonicalRecord(kind === 'metadata' ? withSchema(record) : record)
}

/** Fast path for a complete record in its stored form; undefined for any other text. */
function decodeStored(kind: Collection, bytes: Uint8Array): StoredRecord | undefined {
  const text = bytes.byteLength > maxTextBytes ? undefined : decodeUtf8(bytes)
  const value = text === undefined ? undefined : tryParseJson(text)
  if (text === undefined || !isCanonicalRecord(value)) return undefined
  const record = value as StoredRecord
  if (kind === 'metadata' && !record.schema) return undefined
  // The comparison with the text also finds members that are there twice, which `JSON.parse` does not report.
  if (
    findLoneSurrogate(text) !== undefined ||
    textOf(record) !== text ||
    removeDerivedMembers(record) !== record
  )
    return undefined
  canonicals.add(record)
  return record
}

/** @throws ProblemError `unprocessable` */
function decodeJson(bytes: Uint8Array): unknown {
  const json = parseStrictJson(bytes)
  if ('fault' in json) throw unreadable([json.fault])
  return withoutNulls(json.value)
}

/**
 * Makes the member `schema` of a metadata record. Version 2 of the interface names the schema by a related identifier
 * instead. If a file has one of the type INTERNAL and no member `schema`, that is accepted.
 * @throws ProblemError `unprocessable`
 */
function withSchema(record: WrittenRecord): WrittenRecord {
  const { relatedIdentifiers = [], schema } = record
  const links = relatedIdentifiers.filter(namesSchema)
  const [link, second] = links
  if (!link) return record
  const named = identifierTypeOf(link) === 'INTERNAL' ? schemaIn(link.value, internalSchema) : undefined
  if (!schema && named && !second)
    return {
      ...record,
      schema: named,
      relatedIdentifiers: relatedIdentifiers.filter(related => related !== link),
    }
  throw unreadable(
    links.map(found => {
      const meant = schema ?? schemaIn(found.value, internalSchema) ?? schemaIn(found.value, schemaUrl)
      const wanted = meant ? JSON.stringify(meant) : '{"schemaId": …}'
      return {
        message: `A file names the schema by the member "schema", not by HAS_METADATA. Remove this entry${schema ? '' : ` and write "schema": ${wanted}`}.`,
        path: `/relatedIdentifiers/${relatedIdentifiers.indexOf(found)}`,
      }
    }),
  )
}

function namesSchema({ relationType }: RelatedIdentifier): boolean {
  return relationType === 'HAS_METADATA' || relationType === 'HASMETADATA'
}

const internalSchema = /^([^/]+)(?:\/([1-9]\d{0,14}))?$/
const schemaUrl = /\/api\/v[12]\/schemas\/([^/?#]+)(?:\?version=([1-9]\d{0,14}))?$/

function schemaIn(text: string, pattern: RegExp): WrittenRecord['schema'] {
  const [, schemaId = '', version] = pattern.exec(text) ?? []
  if (!isId(schemaId)) return undefined
  return {
    schemaId,
    ...(version === undefined ? {} : { version: asVersion(Number(version)) }),
  }
}

/** Whether two records have the same stored form, apart from the order of ACL entries. */
export function sameRecord(a: StoredRecord, b: StoredRecord): boolean {
  const [textOfA, textOfB] = [recordToText(a), recordToText(b)]
  if (textOfA === textOfB) return true
  // Another order of ACL entries does not change the length of the text.
  if (textOfA.length !== textOfB.length) return false
  const [{ acls: aclsOfA = [], ...restOfA }, { acls: aclsOfB = [], ...restOfB }] = [
    canonicalRecord(a),
    canonicalRecord(b),
  ]
  return sameAcls(aclsOfA, aclsOfB) && JSON.stringify(restOfA) === JSON.stringify(restOfB)
}

function canonical(shape: SchemaNode, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined
  if ('default' in shape && value === shape.default) return undefined
  if (shape.type === 'object') return canonicalObject(shape, value)
  if (shape.type === 'string') return canonicalText(shape, value as string)
  if (shape.type !== 'array') return Object.is(value, -0) ? 0 : value
  const items = (value as readonly unknown[])
    .map(item => canonical(shape.items, item))
    .filter(item => item !== undefined)
  return items.length > 0 ? items : undefined
}

function canonicalText(shape: TextShape, value: string): string {
  // A value that is not a time stays as it is. The check of the record reports it.
  if (shape.format === 'instant') return normalizeTime(value) ?? value
  return shape.spellings?.get(value) ?? value
}

function canonicalObject(shape: ObjectShape, value: unknown): Record<string, unknown> | undefined {
  const given = value as Readonly<Record<string, unknown>>
  if (shape.additionalProperties) return Object.keys(given).length > 0 ? { ...given } : undefined
  const made: Record<string, unknown> = {}
  let isEmpty = true
  for (const [name, { shape: inner }] of membersOf(shape).order) {
    const kept = canonical(inner, given[name])
    if (kept !== undefined) isEmpty = false
    const stated = kept ?? (shape.required.includes(name) ? given[name] : undefined)
    if (stated !== undefined) made[name] = stated
  }
  return isEmpty ? undefined : made
}

/** Removes null members up to the depth of a record. The check refuses JSON that is nested deeper. */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 10) return value
  if (Array.isArray(value)) return value.map(item => withoutNulls(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member, depth + 1)]),
  )
}

function refuse(findings: readonly Finding[]): void {
  if (findings.length > 0) throw unreadable(findings)
}

function unreadable(findings: readonly Finding[]): ProblemError {
  const told = findings.map(found => (found.path ? `${found.message} (at ${found.path})` : found.message))
  return new ProblemError('unprocessable', `The record cannot be read. ${told.slice(0, 3).join(' ')}`, {
    findings,
  })
}

/**
 * Removes the members that the interface derives for every record: clients send them back, and people copy them from
 * answers. Also gives equal records one spelling: the date CREATED is the first date and the only one of that type, and
 * each related identifier has a type.
 * @param record without empty members
 */
function removeDerivedMembers(record: WrittenRecord): WrittenRecord {
  const { id, schema, identifier, titles, dates, relatedIdentifiers, alternateIdentifiers } = record
  const own: Partial<Record<keyof WrittenRecord, unknown>> = {
    // It is derived from the document.
    resourceType: undefined,
    identifier:
      identifier?.value === defaultIdentifier.value && same(identifier, defaultIdentifier)
        ? undefined
        : identifier,
    titles:
      titles?.[0]?.value === defaultTitles[0]?.value && same(titles, defaultTitles) ? undefined : titles,
    dates: dates && left(dates, createdFirst(dates)),
    relatedIdentifiers:
      relatedIdentifiers && left(relatedIdentifiers, ownRelations(relatedIdentifiers, schema !== undefined)),
    alternateIdentifiers:
      alternateIdentifiers &&
      left(
        alternateIdentifiers,
        alternateIdentifiers.filter(other => other.identifierType !== 'INTERNAL' || other.value !== id),
      ),
  }
  const isOwn = (Object.keys(own) as (keyof WrittenRecord)[]).every(name => own[name] === record[name])
  if (isOwn) return record
  const made: Record<string, unknown> = {}
  for (const [name, value] of Object.entries({ ...record, ...own }))
    if (value !== undefined) made[name] = value
  return made
}

function createdFirst(dates: readonly RecordDate[]): readonly RecordDate[] {
  const created = dates.find(({ type }) => type === 'CREATED')
  return created ? [created, ...dates.filter(({ type }) => type !== 'CREATED')] : dates
}

/**
 * The relations without those that are derived when a record is shown.
 * @param followsSchema whether the member `schema` replaces HAS_METADATA
 */
function ownRelations(
  relations: readonly RelatedIdentifier[],
  followsSchema: boolean,
): readonly RelatedIdentifier[] {
  return relations
    .filter(
      ({ relationType }) =>
        relationType !== 'IS_NEW_VERSION_OF' && !(followsSchema && relationType === 'HAS_METADATA'),
    )
    .map(related =>
      related.identifierType ? related : { identifierType: identifierTypeOf(related), ...related },
    )
}

/** Returns `kept`, but `list` itself if both have the same items, and undefined if `kept` is empty. */
function left<T>(list: readonly T[], kept: readonly T[]): readonly T[] | undefined {
  if (kept.length === 0) return undefined
  return kept.length === list.length && kept.every((item, index) => item === list[index]) ? list : kept
}

/** Compares values whose members are in the stored order. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
