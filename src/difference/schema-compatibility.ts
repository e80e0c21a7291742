/**
 * What a change of a schema means for documents that are valid against it:
 * - `neutral`: it says nothing about validity;
 * - `compatible`: they stay valid, others become so;
 * - `breaking`: some may not be valid any more, or that cannot be decided.
 */
export type Effect = 'neutral' | 'compatible' | 'breaking'

export interface Judged {
  readonly effect: Effect
  /** Why it is not neutral. */
  readonly reason?: string
}

export const neutral: Judged = { effect: 'neutral' }
export const undecided: Judged = breaking('cannot be decided')

export function compatible(reason: string): Judged {
  return { effect: 'compatible', reason }
}

export function breaking(reason: string): Judged {
  return { effect: 'breaking', reason }
}

/** The effect of all changes together. */
export function worst(changes: readonly { readonly effect: Effect }[]): Effect {
  const effects = new Set(changes.map(change => change.effect))
  if (effects.has('breaking')) return 'breaking'
  return effects.has('compatible') ? 'compatible' : 'neutral'
}
