import type { Context } from 'koa'
import { ProblemError } from '../core/problem.js'

/** The memory there is for forms, of all requests together. */
export interface UploadRoom {
  /**
   * Takes room for bytes of a request, until it is answered.
   * @throws ProblemError `unavailable` where others have taken too much
   */
  take(ctx: Context, bytes: number): void
}

/** @param most bytes of all forms that are received or worked on at once */
export function openUploadRoom(most: number): UploadRoom {
  let taken = 0
  const shares = new WeakMap<Context['req'], number>()
  return {
    take({ req, res }, bytes) {
      // Nobody is there any more, and nothing would give the room back.
      if (res.closed) return
      const share = shares.get(req)
      // A request that is alone is bounded by its own limit.
      if (taken + bytes > most && taken > (share ?? 0)) {
        throw new ProblemError(
          'unavailable',
          'The server has as much to receive as it has room for. Try again in a moment.',
          { retryAfter: 5 },
        )
      }
      if (share === undefined) {
        res.once('close', () => {
          taken -= shares.get(req) ?? 0
          shares.delete(req)
        })
      }
      shares.set(req, (share ?? 0) + bytes)
      taken += bytes
    },
  }
}
