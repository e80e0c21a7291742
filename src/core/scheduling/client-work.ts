import { ProblemError } from '../problem.js'

/** For which client long work is done, and when it has to end. */
export interface ClientWork {
  /** Key of the client, because clients take turns. */
  readonly client: string
  /** Aborted when the work has to end: the client has disconnected, or the time limit is reached. */
  readonly signal: AbortSignal
}

/**
 * A function to call before long work.
 * @returns undefined in a command of the command line, whose work has no limits
 * @throws ProblemError `unavailable` if too much work is running
 */
export type BeginWork = () => ClientWork | undefined

/** The problem of work that ended because its client has gone. */
export function clientGone(): ProblemError {
  return new ProblemError('unavailable', 'The client has gone.', { retryAfter: 2 })
}
