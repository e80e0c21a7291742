/** Lower limit of the number of places that are collected before they are sorted. */
const minKept = 1000

/**
 * The places in `scores` of the lowest, which are the best, the lowest first. Of equal scores, the last is first.
 * @param count number of wanted places
 */
export function placesOfBest(scores: Float64Array, count: number): readonly number[] {
  const scoreAt = (place: number) => scores[place] ?? 0
  const byScore = (one: number, other: number) => scoreAt(one) - scoreAt(other) || other - one
  const maxKept = Math.max(2 * count, minKept)
  // Few scores are among the best ones so far. To sort these now and then is quicker than to sort all scores.
  let best: number[] = []
  let bound = Number.POSITIVE_INFINITY
  for (let place = scores.length - 1; place >= 0; place--) {
    // Of equal scores, those that were found earlier are better.
    if (scoreAt(place) >= bound) continue
    best.push(place)
    if (best.length < maxKept) continue
    best = best.sort(byScore).slice(0, count)
    bound = scoreAt(best[count - 1] ?? place)
  }
  return best.sort(byScore).slice(0, count)
}
