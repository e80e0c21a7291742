import { median } from '../../bench/support/statistics.js'
import type { Line } from './overload-run.js'

/* Checks that the server answers accepted updates in time, for an overload of any length. */

/** Limits of the server. */
export interface Promised {
  /** Limit of the updates that run or wait at once. */
  readonly maxUpdates: number
  /** Limit of the waiting time of an update, in seconds. */
  readonly maxWait: number
}

/** Length of a load in seconds, below which this check reports nothing. */
const longEnough = 60
/** Seconds at the start that are ignored. Clients still connect, and the server has not measured its throughput yet. */
const beginning = 20
/** Allowed ratio of p99 to the promised time. The server promises a time by its past throughput, which can fall. */
const tolerance = 3
/** Allowed ratio of the median p99 of the second half to that of the first half. */
const growth = 2
/** p99 in milliseconds below which growth is ignored. */
const unnoticed = 1000

/** @returns complaints with their figures; empty if the load was too short */
export function complaintsAboutTimes(lines: readonly Line[], promised: Promised): readonly string[] {
  if ((lines.at(-1)?.at ?? 0) < longEnough) return []
  const judged = lines.flatMap((line, place) => {
    const before = lines[place - 1]
    // The server accepted an update either in the interval of its answer or in the one before.
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

/**
 * The promised time in milliseconds, by Little's law.
 * @param rate updates per second
 * @see https://doi.org/10.1287/opre.9.3.383
 */
function promisedAt(rate: number, { maxUpdates, maxWait }: Promised): number {
  return Math.min(maxWait, maxUpdates / rate) * 1000
}
