import { openLinkedQueue } from '../data-structures/linked-queue.js'

/** Milliseconds of work after which a pause is due. */
const longest = 10

/** Pauses in long work, in which the event loop does other work. */
export interface EventLoopPauses {
  /** Pauses after {@link longest} milliseconds of work; undefined if no pause is due. */
  ifDue(): Promise<void> | undefined
  /** Pauses before a long step. */
  now(): Promise<void>
}

/** Functions that continue paused work. One of them is called in each iteration of the event loop. */
const paused = openLinkedQueue<() => void>()

const planNext = oncePerIteration(() => {
  paused.take()?.()
  if (paused.size > 0) planNext()
})

export function openEventLoopPauses(): EventLoopPauses {
  let since = performance.now()
  function pause(): Promise<void> {
    return new Promise<void>(resolve => {
      paused.join(() => {
        since = performance.now()
        resolve()
      })
      planNext()
    })
  }
  return {
    ifDue: () => (performance.now() - since < longest ? undefined : pause()),
    now: pause,
  }
}

/**
 * Combines calls: the returned function runs `work` in the next iteration of the event loop, once however often it is
 * called until then.
 */
export function oncePerIteration(work: () => void): () => void {
  let isPlanned = false
  return () => {
    if (isPlanned) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      work()
    })
  }
}
