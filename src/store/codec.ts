import { Ajv, type ErrorObject } from 'ajv'
import { type Finding, ProblemError } from '../core/problem.js'
import type { StoredRecord } from '../core/record.js'
import { type ObjectShape, recordSchema, type Shape } from '../core/record-schema.js'
import { isId, parseInstant } from '../core/values.js'
import { parseJson, pointer } from './json-text.js'

/** Findings about one record at most: a file of the wrong kind would have thousands. */
const mostFindings = 20

/**
 * The form in which a record is stored: members in the order of {@link recordSchema}; null, empty strings, lists and
 * objects and values that are the default left out. An empty text that an entry with other members needs is kept.
 * What can be spelled in several ways has one spelling.
 */
export function canonicalRecord(record: StoredRecord): StoredRecord {
  if (canonicals.has(record)) return record
  const made = canonicalObject(recordSchema, record) as unknown as StoredRecord
  canonicals.add(made)
  return made
}

/** Records known to be in their stored form already: one update asks for it several times. Records never change. */
const canonicals = new WeakSet<StoredRecord>()

/** Canonical JSON, two spaces, final newline: the same record always gives the same bytes. */
export function encodeRecord(record: StoredRecord): Buffer {
  return Buffer.from(`${JSON.stringify(canonicalRecord(record), undefined, 2)}\n`)
}

/**
 * Reads `record.json`, written by us or by a person: members in any order, null as good as absent.
 * @returns the canonical form
 * @throws ProblemError `unprocessable` with a finding for everything that is wrong. A member that does not belong
 *   there is, too: the next update through the server would lose it
 */
export function decodeRecord(bytes: Uint8Array): StoredRecord {
  const json = parseJson(bytes)
  if ('fault' in json) throw unreadable([json.fault])
  const value = withoutNulls(json.value)
  if (!hasShape(value)) throw unreadable((hasShape.errors ?? []).slice(0, mostFindings).map(toFinding))
  return canonicalRecord(value)
}

/** Says whether two records have the same stored form; the order of ACL entries does not count. */
export function sameRecord(a: StoredRecord, b: StoredRecord): boolean {
  return comparable(a) === comparable(b)
}

function comparable(record: StoredRecord): string {
  const { acls = [], ...rest } = canonicalRecord(record)
  return JSON.stringify([rest, acls.map(entry => JSON.stringify(entry)).sort()])
}

function canonical(shape: Shape, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined
  if ('default' in shape && value === shape.default) return undefined
  if (shape.type === 'object') return canonicalObject(shape, value)
  if (shape.type === 'string') return shape.spellings?.get(value as string) ?? value
  if (shape.type !== 'array') return Object.is(value, -0) ? 0 : value
  const items = (value as readonly unknown[])
    .map(item => canonical(shape.items, item))
    .filter(item => item !== undefined)
  return items.length > 0 ? items : undefined
}

function canonicalObject(shape: ObjectShape, value: unknown): Record<string, unknown> | undefined {
  const given = value as Readonly<Record<string, unknown>>
  const entries = Object.entries(shape.properties).map(
    ([name, inner]) => [name, canonical(inner, given[name])] as const,
  )
  if (entries.every(([, kept]) => kept === undefined)) return undefined
  return Object.fromEntries(
    entries
      .map(
        ([name, kept]) => [name, kept ?? (shape.required.includes(name) ? given[name] : undefined)] as const,
      )
      .filter(([, kept]) => kept !== undefined),
  )
}

const ajv = new Ajv({ allErrors: true, ownProperties: true })
ajv.addKeyword('spellings')
ajv.addFormat('id', isId)
ajv.addFormat('instant', isInstant)
const hasShape = ajv.compile<StoredRecord>(recordSchema)

function isInstant(text: string): boolean {
  try {
    parseInstant(text, 'time')
    return true
  } catch (error) {
    if (error instanceof ProblemError) return false
    throw error
  }
}

/** Drops members that are null, at every depth a record has; JSON nested deeper is no record and is left to the check. */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 10) return value
  if (Array.isArray(value)) return value.map(item => withoutNulls(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member, depth + 1)]),
  )
}

function unreadable(findings: readonly Finding[]): ProblemError {
  const told = findings.map(found => (found.path ? `${found.message} (at ${found.path})` : found.message))
  return new ProblemError('unprocessable', `The record cannot be read. ${told.slice(0, 3).join(' ')}`, {
    findings,
  })
}

function toFinding(error: ErrorObject): Finding {
  const at = error.instancePath
  const schemaPath = error.schemaPath
  const params = error.params as Readonly<Record<string, unknown>>
  switch (error.keyword) {
    case 'additionalProperties': {
      const name = String(params.additionalProperty)
      return {
        message: `A record has no member ${JSON.stringify(name)} here. Remove it.`,
        path: pointer(at, name),
        schemaPath,
      }
    }
    case 'required':
      return { message: `The member "${String(params.missingProperty)}" is missing.`, path: at, schemaPath }
    case 'enum':
      return {
        message: `It must be one of ${(params.allowedValues as readonly string[]).join(', ')}.`,
        path: at,
        schemaPath,
      }
    case 'format':
      return {
        message:
          params.format === 'id'
            ? 'It is not a permitted id.'
            : 'It is not a time: write it as 2026-11-21T05:12:00Z.',
        path: at,
        schemaPath,
      }
    default:
      return { message: `It ${error.message ?? 'is not what a record has here'}.`, path: at, schemaPath }
  }
}
