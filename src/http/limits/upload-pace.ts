import type { Readable, Writable } from 'node:stream'
import { openLine } from '../../core/data-structures/linked-queue.js'

/** Has all forms together leave the event loop to others. */
export interface UploadPace {
  /**
   * A request has passed bytes on to a parser. Where all have passed enough for this round of the event loop, it is paused until
   * one of the next.
   */
  passed(request: Readable, parser: Writable, bytes: number): void
}

/** Bytes of all forms that are read in one round of the event loop: to look through them takes milliseconds. */
const mostBytes = 2 ** 20
/** Paused requests that go on in one round. */
const mostResumed = 16

export function openUploadPace(): UploadPace {
  const paused = openLine<() => void>()
  let left = mostBytes
  let isPlanned = false

  function planNext(): void {
    if (isPlanned) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      left = mostBytes
      for (let resumed = 0; resumed < mostResumed && paused.size > 0; resumed++) paused.take()?.()
      if (paused.size > 0) planNext()
    })
  }

  return {
    passed(request, parser, bytes) {
      planNext()
      left -= bytes
      if (left > 0) return
      request.pause()
      // A parser that is full has the request go on itself.
      paused.join(() => {
        if (!parser.writableNeedDrain) request.resume()
      })
    },
  }
}
