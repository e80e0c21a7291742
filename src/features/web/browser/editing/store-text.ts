import { findingsOf, Refusal } from '../api/client.js'
import type { Finding } from '../api/interface-types.js'
import {
  type RecordName,
  readDocument,
  readRecord,
  readVersions,
  schemaOf,
  storeDocument,
  titleOf,
} from '../api/records.js'
import { type MergePart, mergeTexts } from '../editor/merge-texts.js'

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

/** A version that somebody else stored meanwhile, and how it goes together with the own text. */
export interface Conflict {
  readonly kind: 'conflict'
  readonly theirs: EditedDocument
  readonly author: string
  readonly parts: readonly MergePart[]
}

export type StoreResult =
  | { readonly kind: 'stored'; readonly state: EditedDocument }
  | { readonly kind: 'invalid'; readonly findings: readonly Finding[] }
  | { readonly kind: 'failed'; readonly error: unknown }
  | Conflict

/** Limit of the attempts to read a document and its record in one state. */
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
      title: titleOf(current.record),
    }
  }
}

/** Stores a text that was made from a state. If somebody has stored another one meanwhile, merges both. */
export async function storeText(
  record: RecordName,
  base: EditedDocument,
  text: string,
  store = (etag: string, stored: string) => storeDocument(record, etag, stored),
): Promise<StoreResult> {
  try {
    const { record: stored, etag } = await store(base.etag, text)
    const state = { ...base, text, etag, version: Number(stored.version), title: titleOf(stored) }
    return { kind: 'stored', state }
  } catch (error) {
    if (error instanceof Refusal && error.status === 422)
      return { kind: 'invalid', findings: findingsOf(error) }
    if (!(error instanceof Refusal && error.status === 412)) return { kind: 'failed', error }
    return await mergeWithNewest(record, base, text).catch((failure: unknown) => ({
      kind: 'failed',
      error: failure,
    }))
  }
}

async function mergeWithNewest(record: RecordName, base: EditedDocument, text: string): Promise<Conflict> {
  const [theirs, { entries }] = await Promise.all([readEdited(record), readVersions(record, 0)])
  const author = entries.find(({ version }) => version === theirs.version)?.author ?? ''
  return { kind: 'conflict', theirs, author, parts: mergeTexts(text, base.text, theirs.text) }
}
