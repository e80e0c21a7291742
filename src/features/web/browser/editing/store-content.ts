import { findingsOf, Refusal } from '../api/client.js'
import type { Finding } from '../api/interface-types.js'
import {
  type EditedContent,
  fieldsOf,
  isSameContent,
  isSameFields,
  type Revision,
  type StoredState,
  withFields,
} from '../api/record-updates.js'
import {
  type MetastoreRecord,
  type RecordName,
  readDocument,
  readRecord,
  readVersions,
  schemaOf,
  titleOf,
} from '../api/records.js'
import type { ContentMerge } from '../merge/merge-documents.js'

/** A stored document with its record, of one state. */
export interface EditedDocument extends EditedContent {
  readonly language: 'JSON' | 'XML'
  readonly etag: string
  readonly version: number
  /** For people. */
  readonly title: string
  /** Undefined if the record names no schema of this service. */
  readonly schema: { readonly id: string; readonly version: number } | undefined
  /** For people; undefined: the person may not read the schema. */
  readonly schemaTitle: string | undefined
  readonly record: MetastoreRecord
}

/** A version that somebody else has stored meanwhile. */
export interface Meanwhile {
  readonly version: number
  readonly author: string
  /** Names of the places that it has changed; empty if that is not known. */
  readonly changes: readonly string[]
}

/** A version that somebody else has stored meanwhile, which has changed the same places as the person here. */
export interface Conflict extends Meanwhile {
  readonly kind: 'conflict'
  /** The version that both were made from. */
  readonly base: number
  readonly theirs: EditedDocument
  readonly merge: ContentMerge
}

/** What came of a content, which was merged with what others have stored meanwhile, if they have. */
interface Merged {
  readonly state: EditedDocument
  /** With the changes of both. */
  readonly content: EditedContent
  readonly meanwhile: Meanwhile | undefined
}

export type StoreResult =
  | ({ readonly kind: 'stored'; readonly isUnsaid?: boolean | undefined } & Merged)
  /** Both changes are together in the content, which is not stored. */
  | ({ readonly kind: 'merged' } & Merged)
  | ({ readonly kind: 'invalid'; readonly findings: readonly Finding[] } & Merged)
  | { readonly kind: 'failed'; readonly error: unknown }
  | Conflict

/** Limit of the attempts to read a document and its record in one state, and to store while others store. */
const maxAttempts = 5

/** Reads a document and its record in the same state, while others store. @param version undefined: the newest */
export async function readEdited(
  record: RecordName,
  signal?: AbortSignal,
  version?: number,
): Promise<EditedDocument> {
  for (let attempt = 1; ; attempt++) {
    const [document, current] = await Promise.all([
      readDocument(record, version, signal),
      readRecord(record, signal, version),
    ])
    if (document.etag !== current.etag && attempt < maxAttempts) continue
    const { text, language, etag } = document
    const { title, schemaTitle } = current
    return { text, language, etag, title, schemaTitle, ...aboutRecord(record, current.record) }
  }
}

/** What a record says of the state that it is of. */
function aboutRecord({ collection }: RecordName, record: MetastoreRecord) {
  const [version, schema] = [Number(record.version), schemaOf(record)]
  return { version, schema, record, fields: fieldsOf(collection, record) }
}

/**
 * Stores a content that was made from a state. If others have stored another one meanwhile, stores the changes of both,
 * unless they have changed the same.
 * @param store stores a content in place of the state of an entity tag. The revision has the record if its fields differ
 * @param isMergeStored whether a merge is stored by itself, because the content is all that is stored
 */
export async function storeContent(
  record: RecordName,
  base: EditedDocument,
  content: EditedContent,
  store: (etag: string, text: string, revision: Revision) => Promise<StoredState>,
  isMergeStored: boolean,
): Promise<StoreResult> {
  let tried: Merged = { state: base, content, meanwhile: undefined }
  for (let attempt = 1; ; attempt++) {
    const { state, meanwhile } = tried
    const { text, fields } = tried.content
    const changed = isSameFields(fields, state.fields)
      ? undefined
      : withFields(record.collection, state.record, fields)
    try {
      // What has not changed is not sent: it stays byte for byte.
      const document = text === state.text ? {} : { document: new Blob([text]) }
      const stored = await store(state.etag, text, { record: changed, ...document })
      const next = { ...state, text, ...(await stateOfStored(record, stored, changed ?? state.record)) }
      return { kind: 'stored', isUnsaid: stored.isUnsaid, content: next, meanwhile, state: next }
    } catch (error) {
      if (error instanceof Refusal && error.status === 422)
        return { kind: 'invalid', findings: findingsOf(error), ...tried }
      if (!(error instanceof Refusal && error.status === 412) || attempt > maxAttempts)
        return { kind: 'failed', error }
    }
    try {
      const found = await mergeWithNewest(record, tried)
      if ('kind' in found) return found
      if (!isMergeStored || isSameContent(found.content, found.state)) return { kind: 'merged', ...found }
      tried = found
    } catch (error) {
      return { kind: 'failed', error }
    }
  }
}

/** The state that was stored, whether or not its record can be read. @param sent the record, as far as it is known */
async function stateOfStored(
  name: RecordName,
  { version, etag, record }: StoredState,
  sent: MetastoreRecord,
): Promise<Omit<EditedDocument, 'text' | 'language' | 'schemaTitle'>> {
  try {
    const stored = await readRecord(name, undefined, version)
    return { ...aboutRecord(name, stored.record), etag, version, title: stored.title }
  } catch {
    return { ...aboutRecord(name, record ?? sent), etag, version, title: titleOf(record ?? sent) }
  }
}

async function mergeWithNewest(record: RecordName, { state, content }: Merged): Promise<Conflict | Merged> {
  const [theirs, { entries }, { mergeContents }] = await Promise.all([
    readEdited(record),
    readVersions(record, 0),
    import('../merge/merge-documents.js'),
  ])
  const merge = await mergeContents(content, state, theirs)
  const meanwhile = {
    version: theirs.version,
    author: entries.find(({ version }) => version === theirs.version)?.author ?? '',
    changes: merge.theirChanges,
  }
  if (merge.conflicts.length > 0)
    return { kind: 'conflict', base: state.version, theirs, merge, ...meanwhile }
  return { state: theirs, content: merge.merged([]), meanwhile }
}
