import { median } from '../../bench/support/statistics.js'
import type { Line } from './overload-run.js'

/* Whether updates that were accepted were answered in time, however long the overload went on. */

/** What the server promises. */
export interface Promised {
  /** Updates that may be under way at once. */
  readonly maxUpdates: number
  /** Seconds one may have to wait for. */
  readonly maxWait: number
}

/** Seconds of load without which there is nothing to judge. */
const longEnough = 60
/** Seconds from the beginning that are not judged: all clients connect, and how fast updates are done is not known yet. */
const beginning = 20
/** How many times what is promised p99 may be: the promise is made by how fast updates were done before. */
const tolerance = 3
/** How many times the p99 of the first half that of the second may be. */
const growth = 2
/** Milliseconds up to which nobody minds how p99 grows. */
const unnoticed = 1000

/** @returns what is wrong, with its figures; nothing of a load that was too short */
export function complaintsAboutTimes(lines: readonly Line[], promised: Promised): readonly string[] {
  if ((lines.at(-1)?.at ?? 0) < longEnough) return []
  const judged = lines.flatMap((line, place) => {
    const before = lines[place - 1]
    // What is answered in an interval was accepted in this one or in the one before.
    if (!before || before.at < beginning || line.changed === 0) return []
    return [{ ...line, changed: Math.min(line.changed, before.changed) }]
  })
  if (judged.length < 2)
    return [`Updates were answered in ${judged.length} intervals after the first ${beginning} s.`]
  const late = judged.flatMap(({ at, changed, changes }) => {
    const max = promisedAt(changed, promised) * tolerance
    if (changes.p99 <= max) return []
    return [
      `p99 of updates was ${changes.p99.toFixed(0)} ms until second ${at.toFixed(0)}, with ${changed.toFixed(0)} of them done a second; at most it may be ${max.toFixed(0)} ms.`,
    ]
  })
  const middle = Math.ceil(judged.length / 2)
  const halves = [judged.slice(0, middle), judged.slice(middle)]
  const [first = 0, second = 0] = halves.map(half => median(half.map(({ changes }) => changes.p99)))
  if (second <= Math.max(first, unnoticed) * growth) return late
  return [
    ...late,
    `p99 of updates grew from ${first.toFixed(0)} ms in the first half to ${second.toFixed(0)} ms in the second; at most it may be ${growth} times as much.`,
  ]
}

/** Milliseconds. @param rate updates done a second @see https://doi.org/10.1287/opre.9.3.383 */
function promisedAt(rate: number, { maxUpdates, maxWait }: Promised): number {
  return Math.min(maxWait, maxUpdates / rate) * 1000
}
