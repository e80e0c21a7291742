/**
 * What a change of a schema means for documents that are valid against it:
 * - `neutral`: it says nothing about validity;
 * - `compatible`: they stay valid, others become so;
 * - `breaking`: some may not be valid any more, or that cannot be decided.
 */
export type Compatibility = 'neutral' | 'compatible' | 'breaking'

export interface CompatibilityVerdict {
  readonly effect: Compatibility
  /** Why it is not neutral. */
  readonly reason?: string
}

export const neutral: CompatibilityVerdict = { effect: 'neutral' }
export const undecided: CompatibilityVerdict = breaking('cannot be decided')

export function compatible(reason: string): CompatibilityVerdict {
  return { effect: 'compatible', reason }
}

export function breaking(reason: string): CompatibilityVerdict {
  return { effect: 'breaking', reason }
}

/** The effect of all changes together. */
export function overallCompatibility(changes: readonly { readonly effect: Compatibility }[]): Compatibility {
  const effects = new Set(changes.map(change => change.effect))
  if (effects.has('breaking')) return 'breaking'
  return effects.has('compatible') ? 'compatible' : 'neutral'
}
