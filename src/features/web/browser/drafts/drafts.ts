import type { FieldValues } from '../api/record-updates.js'
import type { RecordName } from '../api/records.js'
import { serviceUrl } from '../api/service-url.js'
import { unlessForbidden } from './settings.js'

/** What a draft belongs to: a record, a new document of the schema `id`, or a new schema, which has no id yet. */
export type DraftName = RecordName | { readonly collection: 'new' | 'new-schema'; readonly id: string }

/*
 * Texts that were typed and not stored, kept by this browser. A draft belongs to a record of one service and to the state
 * that it was made from. Nothing here ever replaces what somebody has typed.
 */

export interface Draft {
  /** Title of the record, for lists. */
  readonly title: string
  /** Entity tag of the state that the text was made from. */
  readonly etag: string
  /** Version of that state. */
  readonly version: number
  readonly text: string
  /** When it was kept, as ISO 8601. */
  readonly time: string
  /** Place of the caret, in UTF-16 units. */
  readonly caret: number
  /** The version of a schema by which the text was checked; undefined: there is none. */
  readonly follows?: { readonly id: string; readonly version: number } | undefined
  /** What the record says so far; it has an id here if it is new. */
  readonly fields?: FieldValues & { readonly id?: string }
  /** What the person says of the change. */
  readonly message?: string
  /** Of a new schema: what was said of it so far, and the files that were given. */
  readonly schema?: {
    readonly title: string
    readonly id: string
    /** Path of the main file. */
    readonly main?: string | undefined
    /** Bytes are characters from U+0000 to U+00FF. */
    readonly files: readonly { readonly path: string; readonly bytes: string }[]
  }
}

/** The draft of a record; undefined if there is none, or if it cannot be read. */
export function readDraft(record: DraftName): Draft | undefined {
  const text = unlessForbidden(() => localStorage.getItem(keyOf(record)))
  if (text === null || text === undefined) return undefined
  const value = parsed(text)
  return isDraft(value) ? value : undefined
}

/**
 * Keeps a draft in place of the one before.
 * @returns false if the browser has no room or keeps nothing
 */
export function keepDraft(record: DraftName, draft: Draft): boolean {
  return (
    unlessForbidden(() => {
      localStorage.setItem(keyOf(record), JSON.stringify(draft))
      return true
    }) ?? false
  )
}

/** Removes the draft, after its text was stored or thrown away. */
export function removeDraft(record: DraftName): void {
  unlessForbidden(() => localStorage.removeItem(keyOf(record)))
}

/** All drafts of this service, the newest first; undefined: this browser keeps nothing. */
export function listDrafts(): readonly { readonly record: DraftName; readonly draft: Draft }[] | undefined {
  const keys = unlessForbidden(() => Object.keys(localStorage))
  return keys
    ?.flatMap(key => {
      const [collection = '', ...id] = key.startsWith(prefix) ? key.slice(prefix.length).split('/') : []
      if (!isCollection(collection)) return []
      const record = { collection, id: id.join('/') }
      const draft = readDraft(record)
      return draft ? [{ record, draft }] : []
    })
    .sort((a, b) => (a.draft.time < b.draft.time ? 1 : -1))
}

const collections: readonly DraftName['collection'][] = ['metadata', 'schemas', 'new', 'new-schema']

function isCollection(name: string): name is DraftName['collection'] {
  return (collections as readonly string[]).includes(name)
}

/** Several services of one host do not share drafts. */
const prefix = `draft ${serviceUrl.pathname} `

function keyOf({ collection, id }: DraftName): string {
  return `${prefix}${collection}/${id}`
}

/** A value that something else has written is no draft. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isDraft(value: unknown): value is Draft {
  const draft = value as Partial<Draft> | null | undefined
  return (
    typeof draft?.title === 'string' &&
    typeof draft.etag === 'string' &&
    typeof draft.version === 'number' &&
    typeof draft.text === 'string' &&
    typeof draft.time === 'string' &&
    typeof draft.caret === 'number'
  )
}
