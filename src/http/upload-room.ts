import type { ServerResponse } from 'node:http'
import { ProblemError } from '../core/problem.js'

/** The memory there is for forms, of all requests together. */
export interface UploadRoom {
  /**
   * Begins a request, which has its room until it is answered.
   * @returns takes room for so many bytes more; throws ProblemError `unavailable` where others have taken too much
   */
  enter(response: ServerResponse): (bytes: number) => void
}

/** @param most bytes of all forms that are received or worked on at once */
export function openUploadRoom(most: number): UploadRoom {
  let taken = 0
  return {
    enter(response) {
      let share = 0
      response.once('close', () => {
        taken -= share
      })
      return bytes => {
        // Nobody is there any more, and nothing would give the room back.
        if (response.closed) return
        // A request that is alone is bounded by its own limit.
        if (taken + bytes > most && taken > share) {
          throw new ProblemError(
            'unavailable',
            'The server has as much to receive as it has room for. Try again in a moment.',
            { retryAfter: 5 },
          )
        }
        share += bytes
        taken += bytes
      }
    },
  }
}
