import { oncePerIteration } from '../../core/scheduling/event-loop-pauses.js'
import { openFairQueue, type Waiting } from '../../core/scheduling/fair-queue.js'

/** Begins requests, and leaves time of the event loop for other work. */
export interface RequestScheduler {
  /**
   * Begins work: at once if nothing waits, else in its turn. Clients take turns. Work of one client begins in the order
   * of the calls.
   * @returns function that removes the work if it has not begun
   */
  schedule(client: string, work: () => void): () => void
  /** Call it when a connection was accepted. */
  connectionAccepted(): void
}

/**
 * The plain {@link RequestScheduler}: begins each request at once, but clients do not take turns. The scheduler is for
 * fairness and not for speed: with it, a GET takes 0.100 ms of processor time instead of 0.093 ms.
 * @see docs/decisions/011-fast-paths.md
 */
export const noRequestScheduler: RequestScheduler = {
  schedule(_client, work) {
    work()
    return () => undefined
  },
  connectionAccepted: () => undefined,
}

/** Limit of the time in which requests begin in one iteration of the event loop, in milliseconds. */
const maxIteration = 3
/** Limit of the time in which no request begins because connections wait to be accepted, in milliseconds. */
const maxAccepting = 10

/**
 * With a thousand busy connections, one iteration of the event loop would take most of a second. Node.js accepts one
 * connection an iteration, so new clients would wait for minutes, and so would all work of several steps. Therefore
 * requests begin for at most three milliseconds an iteration, and after an accepted connection the loop looks for the
 * next one first.
 * @see https://github.com/libuv/libuv/pull/3696, in libuv 1.45
 */
export function openRequestScheduler(): RequestScheduler {
  const waiting = openFairQueue<Waiting & { readonly work: () => void }>()
  /** Start of the requests of this iteration, by `performance.now()`; undefined: none has begun. */
  let began: number | undefined
  /** Start of accepting without a pause; undefined: no connection was accepted in the last iteration. */
  let accepting: number | undefined
  let hasAccepted = false
  const planIteration = oncePerIteration(beginRequests)

  function beginRequests(): void {
    began = undefined
    const now = performance.now()
    if (hasAccepted) {
      hasAccepted = false
      accepting ??= now
      if (now - accepting < maxAccepting) return void planIteration()
    }
    accepting = undefined
    if (waiting.size === 0) return
    planIteration()
    began = now
    beginNext()
  }

  /** Begins one request after the other. The promise callbacks of a request run before the next request begins. */
  function beginNext(): void {
    const next = waiting.take()
    if (!next) return
    next.work()
    if (isEarly()) process.nextTick(beginNext)
  }

  function isEarly(): boolean {
    return began === undefined || performance.now() - began < maxIteration
  }

  return {
    schedule(client, work) {
      planIteration()
      if (waiting.size > 0 || hasAccepted || !isEarly()) return waiting.add({ client, isUrgent: true, work })
      began ??= performance.now()
      work()
      return () => undefined
    },
    connectionAccepted() {
      hasAccepted = true
      planIteration()
    },
  }
}
