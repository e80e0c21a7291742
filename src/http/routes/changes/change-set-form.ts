import { jsonSize } from '../../../core/json/json-size.js'
import { malformedRequest, ProblemError, tooLarge } from '../../../core/problem.js'
import { type Collection, collections } from '../../../core/records/collection.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import { truncate } from '../../../core/value-types.js'
import type { WantedChange } from '../../../service/change-sets/apply-change-set.js'
import type { RecordUpload } from '../../../service/updates/record-drafts.js'
import { type FormPart, namedDocument, requiredPart } from '../../forms/form-parts.js'
import { type JsonBudget, openJsonBudget, parseJsonPart, refuseLargeRecord } from '../../forms/json-part.js'
import type { UploadLimits } from '../../forms/upload-limits.js'
import { readEnum, readObject, readText, wrongMember } from '../../record-formats/read-json-properties.js'
import type { JsonObject, RecordFormat } from '../../record-formats/record-format-interface.js'
import { v1 } from '../../record-formats/v1/record-format.js'
import { v2 } from '../../record-formats/v2/record-format.js'
import { parseIfMatch } from '../../request/conditional-headers.js'
import type { RequestNames } from '../../route-declaration/request-names.js'

export const maxChangesPerSet = 1000
/** Limit of the characters of the message, which is one line of the Git log. */
export const maxMessageLength = 500

/** Number of records of the largest size for which a change set has room. */
const maxLargestRecords = 8

export interface ChangeSetForm {
  readonly changes: readonly WantedChange[]
  readonly message?: string
  /** The record format of the interface version in which the records of the change set are written. */
  readonly recordFormat: RecordFormat
}

export interface FormContext {
  /** Base URLs of this server. */
  readonly bases: readonly string[]
  readonly limits: UploadLimits
  readonly names: RequestNames
  /** Whether unknown members of records are refused. */
  readonly strict: boolean
}

interface ChangeContext extends FormContext {
  readonly recordFormat: RecordFormat
}

/** The parts of a form that the changes name. */
interface Parts {
  /** Limit of the JSON parts of the request together. */
  readonly budget: JsonBudget
  /**
   * Returns the part with this name. Several changes may name the same part.
   * @throws ProblemError `malformed-request`; `too-large` if all taken parts together exceed the limit of a form
   */
  take(name: string): FormPart
  /** Names of the parts that no change has taken. */
  unusedNames(): readonly string[]
}

/**
 * Reads a change set: the part `changeset` lists the changes, and names the parts with records and documents.
 * @throws ProblemError `malformed-request`, `too-large`, `unsupported-media-type`; if one change causes the problem,
 *   with the index of the change
 */
export async function parseChangeSet(
  parts: readonly FormPart[],
  context: FormContext,
): Promise<ChangeSetForm> {
  const { limits } = context
  const maxBytes = limits.record * maxLargestRecords
  const budget = openJsonBudget(maxBytes)
  // The part may contain whole records. Its size is limited, because parsing blocks the event loop.
  const part = requiredPart(parts, 'changeset')
  const json = parseJsonPart(part, { record: maxBytes }, { budget, isRecord: false })
  refuseOthers(json, ['message', 'interface', 'changes'], '')
  const recordFormat = recordFormatOf(json)
  const message = messageOf(json)
  const { changes } = json
  if (!Array.isArray(changes) || changes.length === 0) {
    throw malformedRequest('The part changeset has no changes: a list of { "kind", "action", … }.')
  }
  if (changes.length > maxChangesPerSet) {
    throw tooLarge(`The change set has ${changes.length} changes; the limit is ${maxChangesPerSet}.`)
  }
  const named = partsOf(parts, limits, budget)
  const wanted: WantedChange[] = []
  const pauses = openEventLoopPauses()
  for (const [index, change] of changes.entries()) {
    await pauses.ifDue()
    wanted.push(atIndex(index, () => parseChange(asObject(change), named, { ...context, recordFormat })))
  }
  const [left] = named.unusedNames()
  if (left !== undefined) throw malformedRequest(`No change names the part ${truncate(left)}.`)
  return { recordFormat, changes: wanted, ...(message === undefined ? {} : { message }) }
}

function parseChange(change: JsonObject, parts: Parts, context: ChangeContext): WantedChange {
  const kind = readEnum(change, 'kind', collections)
  const action = readEnum(change, 'action', ['create', 'update', 'delete'])
  if (!kind || !action) {
    throw malformedRequest('A change needs a kind (schema, metadata) and an action (create, update, delete).')
  }
  refuseOthers(change, membersOf(kind, action), `, which a change to ${action} ${kind} does not have`)
  if (action === 'create') return parseNew(kind, change, parts, context)
  const name = readText(change, 'id')
  if (!name) throw malformedRequest(`The change needs the id of the record to ${action}.`)
  const precondition = parseIfMatch(readText(change, 'ifMatch') ?? undefined, ifMatchMissing)
  if (action === 'delete') return { kind, action, name, precondition }

  const { recordFormat, bases } = context
  const record = recordOf(kind, change, parts, context)
  const content = contentOf(change, parts)
  if (!record && !content.document && !content.files)
    throw malformedRequest('The change changes nothing: give a record or a document.')
  const draft = record && { draft: recordFormat.parseChange[kind](record, bases) }
  return { kind, action, name, precondition, origins: { bases }, update: { ...draft, ...content } }
}

function parseNew(kind: Collection, change: JsonObject, parts: Parts, context: ChangeContext): WantedChange {
  const { recordFormat, bases } = context
  const record = recordOf(kind, change, parts, context)
  const { document, ...others } = contentOf(change, parts)
  if (!record || !document) throw malformedRequest('A new record needs the members record and document.')
  const draft = recordFormat.parseNew[kind](record, bases)
  return { kind, action: 'create', draft, upload: { document, ...others }, origins: { bases } }
}

function membersOf(kind: Collection, action: WantedChange['action']): readonly string[] {
  const content = ['record', 'document', ...(kind === 'schema' ? ['files'] : [])]
  if (action === 'create') return ['kind', 'action', ...content]
  return ['kind', 'action', 'id', 'ifMatch', ...(action === 'update' ? content : [])]
}

const ifMatchMissing = 'The change needs ifMatch: the ETag of the record, with its double quotes.'

/** The record of a change: the member `record` itself, or the content of the part that this member names. */
function recordOf(
  kind: Collection,
  change: JsonObject,
  parts: Parts,
  { limits, names, recordFormat, strict }: ChangeContext,
): JsonObject | undefined {
  const record = sentRecord(change, parts, limits)
  if (record) names.refuseUnknownMembers(record, recordFormat.version, kind, strict)
  return record
}

function sentRecord(change: JsonObject, parts: Parts, limits: UploadLimits): JsonObject | undefined {
  const { record } = change
  if (typeof record === 'string') return parseJsonPart(parts.take(record), limits, parts)
  const inline = readObject(change, 'record') ?? undefined
  const json = inline ? JSON.stringify(inline) : ''
  const { length } = json
  refuseLargeRecord(jsonSize(json).values)
  if (length > limits.record) {
    throw tooLarge(`The record has ${length} characters; the limit is ${limits.record}.`)
  }
  return inline
}

/** The document of a change, and the further files of a schema. */
function contentOf(change: JsonObject, parts: Parts): RecordUpload {
  const name = readText(change, 'document')
  const document = name ? namedDocument(parts.take(name)) : {}
  const files = filesOf(change, parts)
  return { ...document, ...(files && { files }) }
}

function filesOf(change: JsonObject, parts: Parts): ReadonlyMap<string, Buffer> | undefined {
  const files = readObject(change, 'files')
  if (!files) return undefined
  const taken = Object.entries(files).map(([path, name]) => {
    if (typeof name !== 'string') throw wrongMember(`files["${truncate(path)}"]`, name, 'the name of a part')
    return [path, parts.take(name).bytes] as const
  })
  return taken.length === 0 ? undefined : new Map(taken)
}

function partsOf(parts: readonly FormPart[], limits: UploadLimits, budget: JsonBudget): Parts {
  const left = new Set(parts.map(({ name }) => name).filter(name => name !== 'changeset'))
  let bytesLeft = limits.request
  return {
    budget,
    take(name) {
      left.delete(name)
      const part = requiredPart(parts, name)
      bytesLeft -= part.bytes.length
      if (bytesLeft >= 0) return part
      throw tooLarge(
        `The parts that the changes name have more than ${limits.request} bytes together. A part counts once for each change that names it. Send the changes in several requests.`,
      )
    },
    unusedNames: () => [...left],
  }
}

function recordFormatOf(json: JsonObject): RecordFormat {
  const version = json.interface ?? 2
  if (version === 1) return v1
  if (version === 2) return v2
  throw wrongMember(
    'interface',
    version,
    '1 or 2, the version of the interface in which its records are written',
  )
}

function messageOf(json: JsonObject): string | undefined {
  const message = readText(json, 'message') ?? undefined
  if (message !== undefined) refuseMessage(message)
  return message
}

/** Refuses a message that is not one short line of text. @throws ProblemError `malformed-request` */
export function refuseMessage(message: string): void {
  if (message.length > maxMessageLength || /\p{Cc}/u.test(message) || message.trim() === '') {
    throw malformedRequest(`The message must be one line of at most ${maxMessageLength} characters.`)
  }
}

/** Refuses unknown members of a change set, which are probably misspelled. */
function refuseOthers(json: JsonObject, known: readonly string[], why: string): void {
  const other = Object.keys(json).find(name => !known.includes(name))
  if (other === undefined) return
  throw malformedRequest(`There is a member ${truncate(other)}${why}; known are ${known.join(', ')}.`)
}

function asObject(change: unknown): JsonObject {
  if (typeof change === 'object' && change !== null && !Array.isArray(change)) return change as JsonObject
  throw malformedRequest('A change must be an object.')
}

/** Runs `parse`, and adds the index of the change to a problem that it throws. */
function atIndex<T>(index: number, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const extra = { ...error.extra, change: index }
    throw new ProblemError(error.kind, `changes[${index}]: ${error.message}`, extra, { cause: error })
  }
}
