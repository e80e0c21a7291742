import type { ServerResponse } from 'node:http'
import { ProblemError } from '../core/problem.js'

/** Memory that the bodies of all requests, or of all answers, share. */
export interface Room {
  /**
   * Begins an exchange, which keeps its part until its answer is sent or its connection closed.
   * @returns takes room for so many bytes more; throws ProblemError `unavailable` where others have taken too much
   */
  enter(response: ServerResponse): (bytes: number) => void
}

/**
 * @param most bytes of all exchanges together
 * @param full says why a request is refused
 */
export function openRoom(most: number, full: string): Room {
  let taken = 0
  return {
    enter(response) {
      let share = 0
      response.once('close', () => {
        taken -= share
      })
      return bytes => {
        // The connection is closed: no event would give the room back.
        if (response.closed) return
        // An exchange that is alone is bounded by its own limit.
        if (taken + bytes > most && taken > share) {
          throw new ProblemError('unavailable', `${full} Try again in a moment.`, { retryAfter: 5 })
        }
        share += bytes
        taken += bytes
      }
    },
  }
}
