import fc from 'fast-check'

/** What the grammar of queries and that of the index give a meaning to, and words. */
const pieces = ['(', ')', '"', '-', 'OR', 'NOT', ' ', ':', '..', '*', '.', '^', '{', '+', 'NEAR(']
const words = ['a', 'title', 'title:', 'x.y:', '\0', '💥']

/** Texts that a person or a program may type into a search box. @param longest in characters, of random ones */
export function arbitraryQueryText(longest: number): fc.Arbitrary<string> {
  const piece = fc.constantFrom(...pieces, ...words)
  return fc.oneof(
    fc.string({ unit: 'binary', maxLength: longest }),
    fc.array(piece, { maxLength: 40 }).map(all => all.join('')),
  )
}
