/**
 * The effect of a change of a schema on valid documents:
 * - `neutral`: the change does not affect validity;
 * - `compatible`: valid documents stay valid, and others may become valid;
 * - `breaking`: a valid document may become invalid, or the effect cannot be decided.
 */
export type Compatibility = 'neutral' | 'compatible' | 'breaking'

export interface CompatibilityVerdict {
  readonly effect: Compatibility
  /** The reason; undefined for neutral changes. */
  readonly reason?: string
}

export const neutral: CompatibilityVerdict = { effect: 'neutral' }
export const undecided: CompatibilityVerdict = breaking('cannot be decided')

export const looser: CompatibilityVerdict = compatible('removes a condition')

export function compatible(reason: string): CompatibilityVerdict {
  return { effect: 'compatible', reason }
}

export function breaking(reason: string): CompatibilityVerdict {
  return { effect: 'breaking', reason }
}

/** The strongest effect of the changes. */
export function overallCompatibility(changes: readonly { readonly effect: Compatibility }[]): Compatibility {
  const effects = new Set(changes.map(change => change.effect))
  if (effects.has('breaking')) return 'breaking'
  return effects.has('compatible') ? 'compatible' : 'neutral'
}
