import { jsonSize } from '../../../core/json/json-size.js'
import { malformed, ProblemError } from '../../../core/problem.js'
import type { Kind } from '../../../core/records/record-kind.js'
import { openPauses } from '../../../core/scheduling/event-loop-pauses.js'
import { clip } from '../../../core/value-types.js'
import type { WantedChange } from '../../../service/updates/apply-change-set.js'
import { choice, object, text, wrong } from '../../record-formats/read-json-properties.js'
import type { Json, Wire } from '../../record-formats/record-format-interface.js'
import { v1 } from '../../record-formats/v1/record-format.js'
import { v2 } from '../../record-formats/v2/record-format.js'
import { parseIfMatch } from '../../request/conditional-headers.js'
import { type DraftContext, metadataDraft } from '../../request/metadata-draft.js'
import {
  type JsonRoom,
  openJsonRoom,
  type Part,
  parseRecordPart,
  refuseLargeRecord,
  requiredPart,
  type UploadLimits,
} from '../../request/multipart-form.js'
import type { RequestNames } from '../../request/unknown-names.js'

/** Changes of a set at most. */
export const mostChanges = 1000
/** Characters of a message at most: it is one line of a log. */
export const longestMessage = 500

/** Records of the greatest length that a set may have. */
const mostLongRecords = 8

export interface ChangeSetForm {
  readonly changes: readonly WantedChange[]
  readonly message?: string
  /** The version of the interface its records are written in. */
  readonly wire: Wire
}

export interface FormContext extends Omit<DraftContext, 'wire'> {
  readonly limits: UploadLimits
  readonly names: RequestNames
  /** Refuses members of records that are not known. */
  readonly strict: boolean
}

/** A form whose parts are handed out by their names. */
interface Parts {
  /** For all JSON parts together. */
  readonly room: JsonRoom
  /**
   * Several changes may name the same part.
   * @throws ProblemError `malformed-request`; `too-large` where all that is taken is more than a form may have
   */
  take(name: string): Part
  /** Parts that were not taken. */
  left(): readonly string[]
}

/**
 * A set of changes: the part `changeset` says what to do, and names the parts that hold records and documents.
 * @throws ProblemError `malformed-request`, `too-large`, `unsupported-media-type`; with the place of the change where
 *   it is about one
 */
export async function parseChangeSet(parts: readonly Part[], context: FormContext): Promise<ChangeSetForm> {
  const { limits } = context
  const most = limits.record * mostLongRecords
  const room = openJsonRoom(most)
  // It may contain records. Parsing it holds the event loop, so its size is bounded.
  const json = parseRecordPart(requiredPart(parts, 'changeset'), { record: most }, { room, isRecord: false })
  refuseOthers(json, ['message', 'interface', 'changes'], '')
  const wire = wireOf(json)
  const message = messageOf(json)
  const { changes } = json
  if (!Array.isArray(changes) || changes.length === 0) {
    throw malformed('The part changeset has no changes: a list of { "kind", "action", … }.')
  }
  if (changes.length > mostChanges) {
    throw new ProblemError(
      'too-large',
      `The change set has ${changes.length} changes; at most ${mostChanges} are taken.`,
    )
  }
  const named = partsOf(parts, limits, room)
  const wanted: WantedChange[] = []
  const pauses = openPauses()
  for (const [at, change] of changes.entries()) {
    await pauses.ifDue()
    wanted.push(inPlace(at, () => parseChange(asObject(change), named, { ...context, wire })))
  }
  const [left] = named.left()
  if (left !== undefined) throw malformed(`The part ${clip(left)} is named by no change.`)
  return { wire, changes: wanted, ...(message === undefined ? {} : { message }) }
}

function parseChange(change: Json, parts: Parts, context: FormContext & DraftContext): WantedChange {
  const kind = choice(change, 'kind', ['schema', 'metadata'])
  const action = choice(change, 'action', ['create', 'update', 'delete'])
  if (!kind || !action) {
    throw malformed('A change needs a kind (schema, metadata) and an action (create, update, delete).')
  }
  refuseOthers(change, membersOf(kind, action), `, which a change to ${action} ${kind} does not have`)
  if (action === 'create') return parseNew(kind, change, parts, context)
  const name = text(change, 'id')
  if (!name) throw malformed(`The change needs the id of what it is to ${action}.`)
  const precondition = parseIfMatch(text(change, 'ifMatch') ?? undefined, ifMatchMissing)
  if (action === 'delete') return { kind, action, name, precondition }

  const record = recordOf(kind, change, parts, context)
  const document = documentOf(change, parts)
  const files = filesOf(change, parts)
  if (!record && !document && !files)
    throw malformed('The change changes nothing: give a record or a document.')
  const uploaded = document && { document }
  if (kind === 'metadata') {
    const draft = record && { draft: metadataDraft(record, name, context) }
    return { kind, action, name, precondition, change: { ...draft, ...uploaded } }
  }
  const draft = record && { draft: context.wire.parseSchemaChange(record) }
  const origins = { bases: context.bases }
  return {
    kind,
    action,
    name,
    precondition,
    origins,
    change: { ...draft, ...uploaded, ...(files && { files }) },
  }
}

function parseNew(kind: Kind, change: Json, parts: Parts, context: FormContext & DraftContext): WantedChange {
  const { wire, bases } = context
  const record = recordOf(kind, change, parts, context)
  const document = documentOf(change, parts)
  if (!record || !document) throw malformed('What is new needs a record and a document.')
  if (kind === 'metadata') {
    return { kind, action: 'create', draft: wire.parseNewMetadata(record, bases), document }
  }
  const files = filesOf(change, parts)
  const upload = { document, ...(files && { files }) }
  return { kind, action: 'create', draft: wire.parseNewSchema(record), upload, origins: { bases } }
}

function membersOf(kind: Kind, action: WantedChange['action']): readonly string[] {
  const content = ['record', 'document', ...(kind === 'schema' ? ['files'] : [])]
  if (action === 'create') return ['kind', 'action', ...content]
  return ['kind', 'action', 'id', 'ifMatch', ...(action === 'update' ? content : [])]
}

const ifMatchMissing =
  'The change needs ifMatch: the ETag of the record as it was answered, in its double quotes.'

/** The record itself, or the part it is in. */
function recordOf(
  kind: Kind,
  change: Json,
  parts: Parts,
  { limits, names, wire, strict }: FormContext & DraftContext,
): Json | undefined {
  const record = sentRecord(change, parts, limits)
  if (record) names.refuseUnknownMembers(record, wire.version, kind, strict)
  return record
}

function sentRecord(change: Json, parts: Parts, limits: UploadLimits): Json | undefined {
  const { record } = change
  if (typeof record === 'string') return parseRecordPart(parts.take(record), limits, parts)
  const inline = object(change, 'record') ?? undefined
  const json = inline ? JSON.stringify(inline) : ''
  const { length } = json
  refuseLargeRecord(jsonSize(json).values)
  if (length > limits.record) {
    throw new ProblemError(
      'too-large',
      `The record has ${length} characters; at most ${limits.record} are taken.`,
    )
  }
  return inline
}

function documentOf(change: Json, parts: Parts): Buffer | undefined {
  const name = text(change, 'document')
  return name ? parts.take(name).bytes : undefined
}

function filesOf(change: Json, parts: Parts): ReadonlyMap<string, Buffer> | undefined {
  const files = object(change, 'files')
  if (!files) return undefined
  const taken = Object.entries(files).map(([path, name]) => {
    if (typeof name !== 'string') throw wrong(`files["${clip(path)}"]`, name, 'the name of a part')
    return [path, parts.take(name).bytes] as const
  })
  return taken.length === 0 ? undefined : new Map(taken)
}

function partsOf(parts: readonly Part[], limits: UploadLimits, room: JsonRoom): Parts {
  const left = new Set(parts.map(({ name }) => name).filter(name => name !== 'changeset'))
  let bytesLeft = limits.request
  return {
    room,
    take(name) {
      left.delete(name)
      const part = requiredPart(parts, name)
      bytesLeft -= part.bytes.length
      if (bytesLeft >= 0) return part
      throw new ProblemError(
        'too-large',
        `The parts that the changes name have more than ${limits.request} bytes together, each counted as often as it is named; send the changes in several requests.`,
      )
    },
    left: () => [...left],
  }
}

function wireOf(json: Json): Wire {
  const version = json.interface ?? 2
  if (version === 1) return v1
  if (version === 2) return v2
  throw wrong('interface', version, '1 or 2, the version of the interface its records are written in')
}

function messageOf(json: Json): string | undefined {
  const message = text(json, 'message') ?? undefined
  if (message !== undefined) refuseMessage(message)
  return message
}

/** @throws ProblemError `malformed-request` */
export function refuseMessage(message: string): void {
  if (message.length > longestMessage || /\p{Cc}/u.test(message) || message.trim() === '') {
    throw malformed(`The message is to be one line of at most ${longestMessage} characters.`)
  }
}

/** Refuses unknown members: they are probably misspelled. */
function refuseOthers(json: Json, known: readonly string[], why: string): void {
  const other = Object.keys(json).find(name => !known.includes(name))
  if (other === undefined) return
  throw malformed(`There is a member ${clip(other)}${why}; known are ${known.join(', ')}.`)
}

function asObject(change: unknown): Json {
  if (typeof change === 'object' && change !== null && !Array.isArray(change)) return change as Json
  throw malformed('It is to be an object.')
}

function inPlace<T>(place: number, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const extra = { ...error.extra, change: place }
    throw new ProblemError(error.kind, `changes[${place}]: ${error.message}`, extra, { cause: error })
  }
}
