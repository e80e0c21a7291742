import { openFairQueue, type Waiting } from '../../core/scheduling/fair-queue.js'

/** Gives the event loop's time to requests, and leaves some of it for what else there is. */
export interface RequestScheduler {
  /**
   * Begins a piece of work: at once where nothing waits, else in its turn. Clients take turns, each with its work in
   * the order it came.
   * @returns leaves it out where it has not begun
   */
  schedule(client: string, work: () => void): () => void
  /** A connection was accepted. */
  connectionAccepted(): void
}

/**
 * The plain {@link RequestScheduler}: begins each request at once. It costs less processor time, but clients do not
 * take turns.
 * @see docs/decisions/011-fast-paths.md
 */
export const noRequestScheduler: RequestScheduler = {
  schedule(_client, work) {
    work()
    return () => undefined
  },
  connectionAccepted: () => undefined,
}

/** Milliseconds of requests that are begun before the event loop goes round. */
const longest = 3
/** Milliseconds in which nothing is begun while there are connections to accept. */
const longestGreeting = 10

/**
 * With a thousand busy connections the event loop would take most of a second to go round, and accept one connection
 * each time: who is new would wait for minutes, and so would everything that is done in several steps. So it goes round
 * after three milliseconds of requests at the latest; and when it has accepted somebody, it looks for the next one
 * first.
 * @see https://github.com/libuv/libuv/pull/3696, in libuv 1.45
 */
export function openRequestScheduler(): RequestScheduler {
  const waiting = openFairQueue<Waiting & { readonly work: () => void }>()
  /** When this turn and this greeting began, by `performance.now()`; undefined: there is none. */
  let began: number | undefined
  let greeting: number | undefined
  let hasAccepted = false
  let isPlanned = false

  function goRound(): void {
    if (isPlanned) return
    isPlanned = true
    setImmediate(turn)
  }

  function turn(): void {
    isPlanned = false
    began = undefined
    const now = performance.now()
    if (hasAccepted) {
      hasAccepted = false
      greeting ??= now
      if (now - greeting < longestGreeting) return void goRound()
    }
    greeting = undefined
    if (waiting.size === 0) return
    goRound()
    began = now
    beginNext()
  }

  /** One after the other, and what can be done of each at once in between. */
  function beginNext(): void {
    const next = waiting.take()
    if (!next) return
    next.work()
    if (isEarly()) process.nextTick(beginNext)
  }

  function isEarly(): boolean {
    return began === undefined || performance.now() - began < longest
  }

  return {
    schedule(client, work) {
      goRound()
      if (waiting.size > 0 || hasAccepted || !isEarly()) return waiting.add({ client, isUrgent: true, work })
      began ??= performance.now()
      work()
      return () => undefined
    },
    connectionAccepted() {
      hasAccepted = true
      goRound()
    },
  }
}
