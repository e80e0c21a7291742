import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import type { ErrorObject } from 'ajv'
import { once } from '../../core/data-structures/lazy-value.js'
import { appendJsonPointer } from '../../core/json/strict-json.js'
import { type Finding, ProblemError } from '../../core/problem.js'
import type { StoredRecord, WrittenRecord } from '../../core/records/record.js'
import {
  type ObjectShape,
  recordJsonSchema,
  type SchemaNode,
  type TextShape,
} from '../../core/records/record-json-schema.js'
import { isId, parseSecond } from '../../core/value-types.js'

/** Limit of the findings for one record, because a file of the wrong kind would have thousands. */
const maxFindings = 20

const require = createRequire(import.meta.url)

/*
 * The schemas are compiled on first use, because compiling is slow, and most commands only read records in their stored
 * form, which needs no schema. A server compiles them in steps.
 */
const compiler = once(() => {
  const { Ajv } = require('ajv') as typeof import('ajv')
  // The schemas are our own: checking them against the meta-schema and optimizing their code takes too long.
  const ajv = new Ajv({
    allErrors: true,
    ownProperties: true,
    verbose: true,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  })
  ajv.addKeyword('spellings')
  ajv.addFormat('id', isId)
  ajv.addFormat('instant', text => normalizeTime(text) !== undefined)
  return ajv
})
const wholeCheck = once(() => compiler().compile<StoredRecord>(recordJsonSchema))
const writtenCheck = once(() => compiler().compile<WrittenRecord>(writtenShape()))

/** Compiles the schemas in advance, in several iterations of the event loop. */
export async function compileRecordSchema(): Promise<void> {
  for (const step of [compiler, wholeCheck, writtenCheck]) {
    await setImmediate()
    step()
  }
}

/** The faults of a JSON value as a record; empty if it is one. */
export function findRecordFaults(value: unknown): readonly Finding[] {
  const isWhole = wholeCheck()
  return isWhole(value) ? [] : toFindings(isWhole.errors)
}

/** The faults of a JSON value as a record written by a person. */
export function findHandwrittenRecordFaults(value: unknown): readonly Finding[] {
  const isWritten = writtenCheck()
  return isWritten(value) ? [] : toFindings(isWritten.errors)
}

/** A time in its stored form, to the second; undefined if the text is not a time. */
export function normalizeTime(text: string): string | undefined {
  try {
    return parseSecond(text, 'time')
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** The schema of a record, without requiring what follows from path and history. */
function writtenShape(): ObjectShape {
  const { schema, ...others } = recordJsonSchema.properties
  const follows = { ...(schema as ObjectShape), required: ['schemaId'] }
  return { ...recordJsonSchema, properties: { ...others, schema: follows }, required: [] }
}

function toFindings(errors: readonly ErrorObject[] | null | undefined): readonly Finding[] {
  return (errors ?? []).slice(0, maxFindings).map(error => {
    const params = error.params as Readonly<Record<string, unknown>>
    const { instancePath: pointer, schemaPath } = error
    if (error.keyword !== 'additionalProperties')
      return { message: faultOf(error, params), path: pointer, schemaPath }
    const name = String(params.additionalProperty)
    return {
      message: unknownMember(name, pointer, error.parentSchema),
      path: appendJsonPointer(pointer, name),
      schemaPath,
    }
  })
}

function faultOf(
  { instancePath, keyword, parentSchema, data, message }: ErrorObject,
  params: Readonly<Record<string, unknown>>,
): string {
  const what = subject(instancePath)
  switch (keyword) {
    case 'required': {
      const name = String(params.missingProperty)
      const values = allowed((parentSchema as ObjectShape).properties[name])
      const hint = values === undefined ? '' : ` Add it with one of ${values}.`
      return `The member "${name}" is missing${instancePath === '' ? '' : ` in ${lowerFirst(what)}`}.${hint}`
    }
    case 'enum':
      return `${what} must be one of ${allowed(parentSchema as SchemaNode)}, not ${shown(data)}.`
    case 'format':
      return params.format === 'id'
        ? `${what} must be an id, not ${shown(data)}: 1 to 200 of the characters A-Z a-z 0-9 . - * _, and not dots only.`
        : `${what} must be a time, not ${shown(data)}: write it as 2026-11-21T05:12:00Z, or a year, month or day alone.`
    case 'type':
      return `${what} must be ${typeNames[String(params.type)] ?? String(params.type)}, not ${shown(data)}.`
    case 'minimum':
      return `${what} must be ${String(params.limit)} or more, not ${shown(data)}.`
    default:
      return `${what} ${message ?? 'is not valid in a record'}.`
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text in quotes',
  object: 'an object in braces, {…}',
  array: 'a list in brackets, […]',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
}

/** The member to which a JSON Pointer leads, as the subject of a sentence. */
function subject(path: string): string {
  const steps = path.split('/').slice(1)
  const last = steps.at(-1)
  if (last === undefined) return 'The record'
  return /^\d+$/.test(last) ? `An entry of "${steps.at(-2)}"` : `The member "${last}"`
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** The values of an enumeration, without the other spellings; undefined if the shape is no enumeration. */
function allowed(shape: SchemaNode | undefined): string | undefined {
  if (shape?.type !== 'string' || !shape.enum) return undefined
  return shape.enum
    .filter(name => !shape.spellings?.has(name) || shape.spellings.get(name) === name)
    .join(', ')
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`
}

function unknownMember(name: string, pointer: string, parent: ErrorObject['parentSchema']): string {
  const known = Object.keys((parent as unknown as ObjectShape).properties)
  const hint = pointer === '' ? hints.get(name) : name === 'id' ? 'an entry is known by its place' : undefined
  const advice = hint === undefined ? `There are ${known.join(', ')}.` : `Remove it: ${hint}.`
  return `${pointer === '' ? 'A record' : subject(pointer)} has no member ${JSON.stringify(name)}. ${advice}`
}

/** Members of answers of the interface that a stored record does not have, with what to know or to write instead. */
const hints: ReadonlyMap<string, string> = new Map([
  ['version', 'versions are counted from the history'],
  ['recordVersion', 'versions are counted from the history'],
  ['lastUpdate', 'it is the time of the newest commit'],
  ['createdAt', 'it is the time of the first commit, or an entry CREATED of "dates"'],
  ['schemaId', 'it is the member "id", and in a metadata record "schema": {"schemaId": …}'],
  ['schemaVersion', 'a metadata record has "schema": {"schemaId": …, "version": …}'],
  ['relatedResource', 'it is an entry of "relatedIdentifiers" with the relationType IS_METADATA_FOR'],
  ['pid', 'it is the member "identifier"'],
  ['acl', 'it is the member "acls"'],
  ['label', 'it is an entry of "descriptions" with the type OTHER'],
  ['definition', 'it is an entry of "descriptions" with the type TECHNICAL_INFO'],
  ['comment', 'it is an entry of "descriptions" with the type ABSTRACT'],
  ['licenseUri', 'it is the "schemeUri" of an entry of "rights"'],
  ['type', "the name of the document's file says it"],
  ['mimeType', "the name of the document's file says it"],
  ['schemaHash', 'it is computed from the document'],
  ['documentHash', 'it is computed from the document'],
  ['schemaDocumentUri', 'addresses are not stored'],
  ['metadataDocumentUri', 'addresses are not stored'],
])

/**
 * Whether a value parsed from JSON has the shape of a record in its stored form. Does not check derived members. Fast
 * and without allocations, because it runs for each record of a whole history.
 *
 * Fast path. Benchmark "rebuild of the catalog": reading records takes a third of the time. Plain path:
 * `findRecordFaults`.
 * @returns false also for the few stored forms that have an empty text as a required member
 */
export function isCanonicalRecord(value: unknown): boolean {
  return isStored(recordJsonSchema, value)
}

function isStored(shape: SchemaNode, value: unknown): boolean {
  switch (shape.type) {
    case 'string':
      return typeof value === 'string' && isStoredText(shape, value)
    case 'boolean':
      return typeof value === 'boolean' && value !== shape.default
    case 'array':
      return Array.isArray(value) && value.length > 0 && value.every(item => isStored(shape.items, item))
    case 'object':
      return (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        (shape.additionalProperties ? Object.keys(value).length > 0 : isStoredObject(shape, value))
      )
    default: {
      const { type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = shape
      if (
        typeof value !== 'number' ||
        Object.is(value, -0) ||
        (type === 'integer' && !Number.isInteger(value))
      )
        return false
      return value >= minimum && value <= maximum
    }
  }
}

function isStoredText(shape: TextShape, value: string): boolean {
  if (value === '' || value === shape.default) return false
  if (shape.enum && (!shape.enum.includes(value) || (shape.spellings?.get(value) ?? value) !== value))
    return false
  if (shape.format === 'id') return isId(value)
  return shape.format !== 'instant' || normalizeTime(value) === value
}

function isStoredObject(shape: ObjectShape, value: object): boolean {
  const { order, required } = membersOf(shape)
  let after = -1
  let left = required.size
  for (const name of Object.keys(value)) {
    const member = order.get(name)
    if (!member || member.place <= after) return false
    if (!isStored(member.shape, (value as Readonly<Record<string, unknown>>)[name])) return false
    after = member.place
    if (required.has(name)) left--
  }
  return after >= 0 && left === 0
}

interface Members {
  readonly order: ReadonlyMap<string, { readonly place: number; readonly shape: SchemaNode }>
  readonly required: ReadonlySet<string>
}

const known = new WeakMap<ObjectShape, Members>()

/** The members of a shape, computed once. */
export function membersOf(shape: ObjectShape): Members {
  let members = known.get(shape)
  if (!members) {
    const entries = Object.entries(shape.properties)
    members = {
      order: new Map(entries.map(([name, inner], place) => [name, { place, shape: inner }])),
      required: new Set(shape.required),
    }
    known.set(shape, members)
  }
  return members
}
