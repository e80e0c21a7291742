/**
 * The known name that was probably meant, ignoring case; undefined if none is similar. Names that do not begin with a
 * letter, such as `@type` and `_links`, are not misspellings.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (!/^\p{L}/u.test(name)) return undefined
  let best: { readonly name: string; readonly distance: number } | undefined
  const sent = name.toLowerCase()
  for (const other of known) {
    const wanted = other.toLowerCase()
    const letters = Math.min(sent.length, wanted.length)
    const allowed = letters <= 4 ? 1 : 2
    if (Math.abs(sent.length - wanted.length) > allowed) continue
    // Short names are similar to many words, so for two letters only a swap counts.
    const isShort = letters <= 2 && !(sent.length === wanted.length && hasLettersOf(sent, wanted))
    const distance = isShort ? Number.POSITIVE_INFINITY : distanceOf(sent, wanted)
    if (distance <= Math.min(allowed, (best?.distance ?? 3) - 1)) best = { name: other, distance }
  }
  return best?.name
}

function hasLettersOf(one: string, other: string): boolean {
  return [...one].sort().join('') === [...other].sort().join('')
}

/**
 * The optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
 * @see https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance
 */
function distanceOf(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const edits = [
        cellAt(last, column) + 1,
        cellAt(next, column - 1) + 1,
        cellAt(last, column - 1) + (isSame ? 0 : 1),
        ...(row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
          ? [cellAt(before, column - 2) + 1]
          : []),
      ]
      next.push(Math.min(...edits))
    }
    before = last
    last = next
  }
  return cellAt(last, other.length)
}

function cellAt(row: readonly number[], column: number): number {
  return row[column] as number
}
