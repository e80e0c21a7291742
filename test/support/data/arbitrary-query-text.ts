import fc from 'fast-check'
import { anyCharacter } from './any-character.js'

/** Texts with a meaning in the grammar of queries or in that of the index, and words. */
const pieces = ['(', ')', '"', '-', 'OR', 'NOT', ' ', ':', '..', '*', '.', '^', '{', '+', 'NEAR(']
const words = ['a', 'title', 'title:', 'x.y:', '\0', '💥']

/**
 * Generates texts that a person or a program may type into a search box.
 * @param longest limit of the characters of random texts
 */
export function arbitraryQueryText(longest: number): fc.Arbitrary<string> {
  const piece = fc.constantFrom(...pieces, ...words)
  return fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: longest }),
    fc.array(piece, { maxLength: 40 }).map(all => all.join('')),
  )
}
