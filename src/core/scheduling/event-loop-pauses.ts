import { openLine } from '../data-structures/linked-queue.js'

/** Milliseconds of work after which a pause is due. */
const longest = 10

/** Work of many parts that leaves the event loop to others now and then. */
export interface EventLoopPauses {
  /** Resolves when others had their turn, where it has worked long enough; undefined: it goes on at once. */
  ifDue(): Promise<void> | undefined
  /** Resolves when others had their turn: what comes next takes long. */
  now(): Promise<void>
}

/** Work that pauses. One piece of it goes on each time the event loop goes round, however much there is. */
const paused = openLine<() => void>()
let isPlanned = false

function planNext(): void {
  if (isPlanned) return
  isPlanned = true
  setImmediate(() => {
    isPlanned = false
    paused.take()?.()
    if (paused.size > 0) planNext()
  })
}

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
