import { useState } from 'preact/hooks'
import { Refusal } from '../api/client.js'
import type { Finding } from '../api/interface-types.js'
import { createDocument, findRival, isStored, type NewDocument, type NewRecord } from '../api/new-records.js'
import type { RecordName } from '../api/records.js'
import { requestLimits } from '../api/request-limits.js'

/** What came of storing a new document. */
export type NewOutcome =
  | { readonly kind: 'stored'; readonly record: RecordName }
  | { readonly kind: 'invalid'; readonly findings: readonly Finding[] }
  /** The server can take no document of so many bytes. Nothing was sent. */
  | { readonly kind: 'too-large'; readonly size: number }
  /** Another record has the name or the resource. */
  | { readonly kind: 'taken'; readonly rival: (RecordName & { readonly title: string }) | undefined }
  /** The document may be stored or not. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly error: unknown }

export interface NewStoring {
  readonly isStoring: boolean
  store(record: NewRecord, text: string): Promise<NewOutcome>
}

/** Stores a new document. After a lost connection it first asks whether the document is there. */
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
      if (error instanceof TypeError) return { kind: 'lost' }
      sent.unanswered = undefined
      return await refusalOf(error, document)
    }
  }

  return {
    isStoring,
    async store(record, text) {
      const content = new Blob([text])
      if (content.size > requestLimits.document) return { kind: 'too-large', size: content.size }
      setIsStoring(true)
      try {
        return await send({ record, schema, content })
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
    return { kind: 'taken', rival: await findRival(document) }
  } catch {
    // What the server said of the conflict is exact enough.
    return { kind: 'failed', error }
  }
}
