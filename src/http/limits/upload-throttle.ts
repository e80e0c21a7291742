import type { Readable, Writable } from 'node:stream'
import { openLinkedQueue } from '../../core/data-structures/linked-queue.js'
import { oncePerIteration } from '../../core/scheduling/next-iteration.js'

/** Limits how much of all forms is parsed in one iteration of the event loop. */
export interface UploadThrottle {
  /** Counts bytes that a request has passed to its parser. Over the limit, pauses the request until a later iteration. */
  countBytes(request: Readable, parser: Writable, bytes: number): void
}

/** Limit of the bytes of all forms that are parsed in one iteration of the event loop, which takes milliseconds. */
const maxBytes = 2 ** 20
/** Limit of the paused requests that continue in one iteration of the event loop. */
const maxResumed = 16

export function openUploadThrottle(): UploadThrottle {
  const paused = openLinkedQueue<() => void>()
  let left = maxBytes
  const planIteration = oncePerIteration(() => {
    left = maxBytes
    for (let resumed = 0; resumed < maxResumed && paused.size > 0; resumed++) paused.take()?.()
    if (paused.size > 0) planIteration()
  })

  return {
    countBytes(request, parser, bytes) {
      planIteration()
      left -= bytes
      if (left > 0) return
      request.pause()
      // A full parser resumes the request itself when it has drained.
      paused.join(() => {
        if (!parser.writableNeedDrain) request.resume()
      })
    },
  }
}
