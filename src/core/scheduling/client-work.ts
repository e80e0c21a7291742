import { ProblemError } from '../problem.js'

/** Work for a client that takes long, and what bounds it. */
export interface ClientWork {
  /** Key of the client: clients take turns. */
  readonly client: string
  /** Ends the work: the client has gone, or the time is over. */
  readonly signal: AbortSignal
}

/**
 * Called before work that takes long.
 * @returns undefined for a command, whose work is not bounded
 * @throws ProblemError `unavailable` where too much is under way
 */
export type BeginWork = () => ClientWork | undefined

/** The error of work that ends because its client has gone. */
export function clientGone(): ProblemError {
  return new ProblemError('unavailable', 'The client has gone.', { retryAfter: 2 })
}
