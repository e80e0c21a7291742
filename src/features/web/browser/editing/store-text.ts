import { findingsOf, Refusal } from '../api/client.js'
import type { Finding } from '../api/interface-types.js'
import type { StoredState } from '../api/record-updates.js'
import {
  type RecordName,
  readDocument,
  readRecord,
  readTitle,
  readVersions,
  schemaOf,
} from '../api/records.js'
import type { DocumentMerge } from '../merge/merge-documents.js'

/** A stored document, with the state that it is of. */
export interface EditedDocument {
  readonly text: string
  readonly language: 'JSON' | 'XML'
  readonly etag: string
  readonly version: number
  readonly title: string
  /** Undefined if the record names no schema of this service. */
  readonly schema: { readonly id: string; readonly version: number } | undefined
}

/** A version that somebody else has stored meanwhile. */
export interface Meanwhile {
  readonly version: number
  readonly author: string
  /** Names of the places that it has changed; empty if that is not known. */
  readonly changes: readonly string[]
}

/** A version that somebody else has stored meanwhile, which has changed the same places as the own text. */
export interface Conflict extends Meanwhile {
  readonly kind: 'conflict'
  /** The version that both were made from. */
  readonly base: number
  readonly theirs: EditedDocument
  readonly merge: DocumentMerge
}

/** What came of a text, which was merged with what others have stored meanwhile, if they have. */
interface Merged {
  readonly state: EditedDocument
  /** The text with the changes of both. */
  readonly text: string
  readonly meanwhile: Meanwhile | undefined
}

export type StoreResult =
  | ({ readonly kind: 'stored'; readonly isUnsaid?: boolean | undefined } & Merged)
  /** Both changes are together in the text, which is not stored. */
  | ({ readonly kind: 'merged' } & Merged)
  | ({ readonly kind: 'invalid'; readonly findings: readonly Finding[] } & Merged)
  | { readonly kind: 'failed'; readonly error: unknown }
  | Conflict

/** Limit of the attempts to read a document and its record in one state, and to store while others store. */
const maxAttempts = 5

/** Reads a document and its record in the same state, while others store. */
export async function readEdited(record: RecordName, signal?: AbortSignal): Promise<EditedDocument> {
  for (let attempt = 1; ; attempt++) {
    const [document, current] = await Promise.all([
      readDocument(record, undefined, signal),
      readRecord(record, signal),
    ])
    if (document.etag !== current.etag && attempt < maxAttempts) continue
    return {
      text: document.text,
      language: document.language,
      etag: document.etag,
      version: Number(current.record.version),
      schema: schemaOf(current.record),
      title: await readTitle(record.collection, current.record, signal),
    }
  }
}

/**
 * Stores a text that was made from a state. If others have stored another one meanwhile, stores the changes of both,
 * unless they have changed the same.
 * @param store stores a text in place of the state of an entity tag
 * @param isMergeStored whether a merge is stored by itself, because the text is all that is stored
 */
export async function storeText(
  record: RecordName,
  base: EditedDocument,
  text: string,
  store: (etag: string, stored: string) => Promise<StoredState>,
  isMergeStored: boolean,
): Promise<StoreResult> {
  let tried: Merged = { state: base, text, meanwhile: undefined }
  for (let attempt = 1; ; attempt++) {
    const { state, meanwhile } = tried
    try {
      const stored = await store(state.etag, tried.text)
      const { etag, version, isUnsaid } = stored
      // The text is stored, whether or not its title can be read.
      const title = await titleOfStored(record, stored).catch(() => state.title)
      const next = { text: tried.text, etag, version, title }
      return { kind: 'stored', isUnsaid, text: tried.text, meanwhile, state: { ...state, ...next } }
    } catch (error) {
      if (error instanceof Refusal && error.status === 422)
        return { kind: 'invalid', findings: findingsOf(error), ...tried }
      if (!(error instanceof Refusal && error.status === 412) || attempt > maxAttempts)
        return { kind: 'failed', error }
    }
    try {
      const found = await mergeWithNewest(record, tried)
      if ('kind' in found) return found
      if (!isMergeStored || found.text === found.state.text) return { kind: 'merged', ...found }
      tried = found
    } catch (error) {
      return { kind: 'failed', error }
    }
  }
}

async function titleOfStored(name: RecordName, { version, record }: StoredState): Promise<string> {
  return await readTitle(name.collection, record ?? (await readRecord(name, undefined, version)).record)
}

async function mergeWithNewest(record: RecordName, { state, text }: Merged): Promise<Conflict | Merged> {
  const [theirs, { entries }, { mergeDocuments }] = await Promise.all([
    readEdited(record),
    readVersions(record, 0),
    import('../merge/merge-documents.js'),
  ])
  const merge = await mergeDocuments(text, state, theirs)
  const meanwhile = {
    version: theirs.version,
    author: entries.find(({ version }) => version === theirs.version)?.author ?? '',
    changes: merge.theirChanges,
  }
  if (merge.conflicts.length > 0)
    return { kind: 'conflict', base: state.version, theirs, merge, ...meanwhile }
  return { state: theirs, text: merge.merged([]), meanwhile }
}
