import { ProblemError } from '../problem.js'

/** The client and the end of long work. */
export interface ClientWork {
  /** Key of the client: clients take turns. */
  readonly client: string
  /** Ends the work, because the client has gone or the time is over. */
  readonly signal: AbortSignal
}

/**
 * Called before long work.
 * @returns undefined for a command, whose work has no limits
 * @throws ProblemError `unavailable` if too much work is running
 */
export type BeginWork = () => ClientWork | undefined

/** The problem of work that ended because its client has gone. */
export function clientGone(): ProblemError {
  return new ProblemError('unavailable', 'The client has gone.', { retryAfter: 2 })
}
