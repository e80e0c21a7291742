/** Notifies waiting callers that the committed state has changed, or may have changed. */
export interface HeadChangeNotifier {
  /** Number of changes so far. Read it before you read the committed state, so that `next` misses no later change. */
  readonly count: number
  notify(): void
  /**
   * Waits until there are more changes than `count`.
   * @param milliseconds limit of the wait
   * @param signal ends the wait
   * @returns `ended` after the signal, or if the catalog is closed
   */
  next(count: number, milliseconds: number, signal: AbortSignal): Promise<'changed' | 'timeout' | 'ended'>
  /** Ends every wait. */
  close(): void
}

type Wake = (how: 'changed' | 'timeout' | 'ended') => void

export function openHeadChangeNotifier(): HeadChangeNotifier {
  const waiting = new Set<Wake>()
  let count = 0
  let closed = false

  function wakeAll(how: 'changed' | 'ended'): void {
    for (const wake of [...waiting]) wake(how)
  }

  return {
    get count() {
      return count
    },
    notify() {
      count++
      wakeAll('changed')
    },
    async next(since, milliseconds, signal) {
      if (closed || signal.aborted) return 'ended'
      if (count > since) return 'changed'
      return await new Promise(resolve => {
        const wake: Wake = how => {
          clearTimeout(timer)
          signal.removeEventListener('abort', end)
          waiting.delete(wake)
          resolve(how)
        }
        const end = () => wake('ended')
        const timer = setTimeout(() => wake('timeout'), milliseconds)
        signal.addEventListener('abort', end)
        waiting.add(wake)
      })
    },
    close() {
      closed = true
      wakeAll('ended')
    },
  }
}
