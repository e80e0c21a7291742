/**
 * The places of the lowest scores, the lowest first. Of equal scores, the last place is first.
 * @param count of places that are wanted
 */
export function placesOfBest(scores: Float64Array, count: number): readonly number[] {
  const bound = scores.slice().sort()[Math.min(count, scores.length) - 1]
  if (bound === undefined) return []
  const places: number[] = []
  // To sort all places takes several times as long as to sort all scores.
  const scoreAt = (place: number) => scores[place] ?? 0
  for (let place = 0; place < scores.length; place++) if (scoreAt(place) <= bound) places.push(place)
  places.sort((one, other) => scoreAt(one) - scoreAt(other) || other - one)
  return places.slice(0, count)
}
