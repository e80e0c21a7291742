import { useState } from 'preact/hooks'
import { findingsOf, mayBeStored, Refusal } from '../api/client.js'
import type { Finding } from '../api/interface-types.js'
import { readSchemaChoice } from '../api/new-records.js'
import { isRegistered, registerSchema } from '../api/schemas.js'
import type { UnstoredSchema } from './schema-draft.js'
import { contentOf } from './use-given-files.js'

/** What came of registering a schema. */
export type RegisterOutcome =
  | { readonly kind: 'stored' }
  | { readonly kind: 'invalid'; readonly findings: readonly Finding[] }
  /** It may be registered or not. */
  | { readonly kind: 'lost' }
  /** Another schema has the id. */
  | { readonly kind: 'taken'; readonly title: string }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Registers a schema. After a lost answer, or one of a busy server, it first asks whether the schema is there. */
export function useRegistering(): (schema: UnstoredSchema) => Promise<RegisterOutcome> {
  const [sent] = useState({ isUnanswered: false })
  return async schema => {
    const { id, title, text } = schema
    const content = contentOf(schema, text)
    try {
      if (sent.isUnanswered && (await isRegistered(id, content))) return { kind: 'stored' }
      sent.isUnanswered = true
      await registerSchema({ id, title: title || id }, content)
      return { kind: 'stored' }
    } catch (error) {
      sent.isUnanswered = mayBeStored(error)
      if (error instanceof TypeError) return { kind: 'lost' }
      if (!(error instanceof Refusal)) return { kind: 'failed', error }
      if (error.status === 422) return { kind: 'invalid', findings: findingsOf(error) }
      return error.status === 409
        ? { kind: 'taken', title: await titleOfRival(id) }
        : { kind: 'failed', error }
    }
  }
}

/** The title of the schema that has an id; the id, if it cannot be read. */
async function titleOfRival(id: string): Promise<string> {
  try {
    return (await readSchemaChoice(id)).title
  } catch {
    return id
  }
}
