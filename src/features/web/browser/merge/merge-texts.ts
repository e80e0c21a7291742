import { diff3Merge } from 'node-diff3'

/** A part of a merge of three texts: put together, or two ways to choose from. */
export type MergePart =
  | { readonly kind: 'merged'; readonly text: string }
  | { readonly kind: 'conflict'; readonly mine: string; readonly theirs: string; readonly base: string }

/** What was chosen for a conflict. */
export type Choice = 'mine' | 'theirs'

/**
 * Merges two texts that were made from one. Changes of different lines are put together. Lines that both changed in
 * different ways are conflicts. The parts, in order, have every character of the texts.
 * @see https://www.cis.upenn.edu/~bcpierce/papers/diff3-short.pdf
 */
export function mergeTexts(mine: string, base: string, theirs: string): readonly MergePart[] {
  const parts = diff3Merge(linesOf(mine), linesOf(base), linesOf(theirs), { excludeFalseConflicts: true })
  return parts.map(({ ok, conflict }) =>
    conflict
      ? {
          kind: 'conflict',
          mine: conflict.a.join(''),
          theirs: conflict.b.join(''),
          base: conflict.o.join(''),
        }
      : { kind: 'merged', text: (ok ?? []).join('') },
  )
}

/** The merged text. @param choices one for each conflict, in order */
export function mergedText(parts: readonly MergePart[], choices: readonly Choice[]): string {
  let conflicts = 0
  return parts
    .map(part => {
      if (part.kind === 'merged') return part.text
      const choice = choices[conflicts++]
      if (choice === undefined) throw new RangeError('A conflict has no choice.')
      return part[choice]
    })
    .join('')
}

/** Lines with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
