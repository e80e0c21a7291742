import { useState } from 'preact/hooks'
import { mayBeStored, Refusal } from '../api/client.js'
import type { Finding } from '../api/interface-types.js'
import {
  createDocument,
  findRival,
  isStored,
  type NewDocument,
  type NewRecord,
  type Rival,
} from '../api/new-records.js'
import type { RecordName } from '../api/records.js'

/** What came of storing a new document. */
export type NewOutcome =
  | { readonly kind: 'stored'; readonly record: RecordName }
  | { readonly kind: 'invalid'; readonly findings: readonly Finding[] }
  /** Another record has the name or the resource. */
  | { readonly kind: 'taken'; readonly rival: Rival | undefined }
  /** The document may be stored or not. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly error: unknown }

export interface NewStoring {
  readonly isStoring: boolean
  store(record: NewRecord, text: string): Promise<NewOutcome>
}

/** Stores a new document. After a lost answer, or one of a busy server, it first asks whether the document is there. */
export function useNewStoring(schema: string): NewStoring {
  const [isStoring, setIsStoring] = useState(false)
  /** The document that was sent, and whose answer did not come. */
  const [sent] = useState<{ unanswered?: NewDocument | undefined }>(() => ({}))

  async function send(document: NewDocument): Promise<NewOutcome> {
    try {
      const before = sent.unanswered
      if (before && (await isStored(before))) {
        sent.unanswered = undefined
        const isSame = (await before.content.text()) === (await document.content.text())
        return isSame
          ? { kind: 'stored', record: nameOf(before) }
          : { kind: 'taken', rival: { ...nameOf(before), title: before.record.title } }
      }
      sent.unanswered = document
      await createDocument(document)
      return { kind: 'stored', record: nameOf(document) }
    } catch (error) {
      if (!mayBeStored(error)) sent.unanswered = undefined
      if (error instanceof TypeError) return { kind: 'lost' }
      return await refusalOf(error, document)
    }
  }

  return {
    isStoring,
    async store(record, text) {
      setIsStoring(true)
      try {
        return await send({ record, schema, content: new Blob([text]) })
      } finally {
        setIsStoring(false)
      }
    },
  }
}

function nameOf({ record: { id } }: NewDocument): RecordName {
  return { collection: 'metadata', id }
}

async function refusalOf(error: unknown, document: NewDocument): Promise<NewOutcome> {
  if (error instanceof Refusal && error.status === 422 && error.findings.length > 0)
    return { kind: 'invalid', findings: error.findings }
  if (!(error instanceof Refusal) || error.status !== 409) return { kind: 'failed', error }
  try {
    return { kind: 'taken', rival: await findRival(document.record, document.schema) }
  } catch {
    // What the server said of the conflict is exact enough.
    return { kind: 'failed', error }
  }
}
