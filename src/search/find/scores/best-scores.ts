/** Places that are kept at least before they are sorted. */
const minKept = 1000

/**
 * The places of the lowest scores, the lowest first. Of equal scores, the last place is first.
 * @param count of places that are wanted
 */
export function placesOfBest(scores: Float64Array, count: number): readonly number[] {
  const scoreAt = (place: number) => scores[place] ?? 0
  const byScore = (one: number, other: number) => scoreAt(one) - scoreAt(other) || other - one
  const maxKept = Math.max(2 * count, minKept)
  // Few scores of many are among the best ones so far: to sort those at times is quicker than to sort all.
  let best: number[] = []
  let bound = Number.POSITIVE_INFINITY
  for (let place = scores.length - 1; place >= 0; place--) {
    // Of equal scores, those so far are better.
    if (scoreAt(place) >= bound) continue
    best.push(place)
    if (best.length < maxKept) continue
    best = best.sort(byScore).slice(0, count)
    bound = scoreAt(best[count - 1] ?? place)
  }
  return best.sort(byScore).slice(0, count)
}
