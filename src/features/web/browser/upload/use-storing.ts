import { useState } from 'preact/hooks'
import { findingsOf, mayBeStored, Refusal } from '../api/client.js'
import type { Finding } from '../api/interface-types.js'
import { createTogether, isStored } from '../api/new-records.js'
import { requestLimits } from '../api/request-limits.js'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'
import { documentOf, type UploadedFile } from './uploaded-file.js'

/** Changes that one request takes. @see src/http/routes/changes/change-set-form.ts */
const maxChanges = 1000
/** Bytes of a part beside its document: its header, and the record. */
const partOverhead = 1024

/** What came of storing files together. */
export type StoreTogether =
  /** Undefined: the answer with the commit was lost. */
  | { readonly kind: 'stored'; readonly files: readonly UploadedFile[]; readonly commit: string | undefined }
  /** The server has refused one of the files, and stored none. */
  | { readonly kind: 'refused'; readonly file: UploadedFile; readonly findings: readonly Finding[] }
  /** The files may be stored or not. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly files: readonly UploadedFile[]; readonly error: unknown }

/** Why so many files cannot be stored in one commit; undefined if they can. */
export function tooMuch(files: readonly UploadedFile[]): string | undefined {
  // One part lists the changes.
  const most = Math.min(maxChanges, requestLimits.parts - 1)
  if (files.length > most) return writingWords.upload.tooMany(files.length, most)
  const bytes = files.reduce((sum, { content }) => sum + content.size + partOverhead, 0)
  if (bytes <= requestLimits.request) return undefined
  return writingWords.upload.tooMuch(words.size(bytes), words.size(requestLimits.request))
}

/** Stores files in one commit. After a lost answer, or one of a busy server, it first asks whether they are there. */
export function useStoring() {
  const [isStoring, setIsStoring] = useState(false)
  const [sent] = useState<{ unanswered?: readonly UploadedFile[] | undefined }>(() => ({}))

  async function send(files: readonly UploadedFile[]): Promise<StoreTogether> {
    try {
      const before = sent.unanswered
      const [first] = before ?? []
      // All of them are in one commit, or none is.
      if (before && first && (await isStored(documentOf(first)))) {
        sent.unanswered = undefined
        return { kind: 'stored', files: before, commit: undefined }
      }
      sent.unanswered = files
      const commit = await createTogether(files.map(documentOf), writingWords.upload.message(files.length))
      sent.unanswered = undefined
      return { kind: 'stored', files, commit }
    } catch (error) {
      if (!mayBeStored(error)) sent.unanswered = undefined
      if (error instanceof TypeError) return { kind: 'lost' }
      const file = error instanceof Refusal && error.change !== undefined ? files[error.change] : undefined
      return file && error instanceof Refusal
        ? { kind: 'refused', file, findings: findingsOf(error) }
        : { kind: 'failed', files, error }
    }
  }

  return {
    isStoring,
    async store(files: readonly UploadedFile[]): Promise<StoreTogether> {
      setIsStoring(true)
      try {
        return await send(files)
      } finally {
        setIsStoring(false)
      }
    },
  }
}
