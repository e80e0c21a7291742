import { useState } from 'preact/hooks'
import { findingsOf, Refusal } from '../api/client.js'
import type { Finding } from '../api/interface-types.js'
import { isRegistered, registerSchema } from '../api/schemas.js'
import type { UnstoredSchema } from './schema-draft.js'
import { contentOf } from './use-given-files.js'

/** What came of registering a schema. */
export type RegisterOutcome =
  | { readonly kind: 'stored' }
  | { readonly kind: 'invalid'; readonly findings: readonly Finding[] }
  /** It may be registered or not. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Registers a schema. After a lost connection it first asks whether the schema is there. */
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
      if (error instanceof TypeError) return { kind: 'lost' }
      sent.isUnanswered = false
      const isInvalid = error instanceof Refusal && error.status === 422
      return isInvalid ? { kind: 'invalid', findings: findingsOf(error) } : { kind: 'failed', error }
    }
  }
}
