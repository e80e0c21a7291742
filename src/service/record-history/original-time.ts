import { type Instant, instantOf } from '../../core/value-types.js'
import type { CommitInfo } from '../../store/objects/commit-format.js'

/** The trailer with the time at which another repository made a revision. `Recorded-At` is the time of the import. */
export const originalTimeTrailer = 'Original-Time'

// regexp-time: linear, as a line has to begin with the trailer.
const originalTimeLine = new RegExp(`^${originalTimeTrailer}: (\\S+)$`, 'm')

/** The time of a revision in its first repository; undefined if it was made here, or the trailer has no time. */
export function originalTimeOf({ body }: Pick<CommitInfo, 'body'>): Instant | undefined {
  const text = originalTimeLine.exec(body)?.[1]
  // A person may have written anything into the message.
  return text === undefined ? undefined : instantOf(text)
}
