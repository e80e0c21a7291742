/** Notifies waiting callers that the committed state has changed, or may have changed. */
export interface HeadChangeNotifier {
  /** Number of changes so far. Read it before the state, so that the wait misses no change after the read. */
  readonly count: number
  notify(): void
  /**
   * Waits until there are more changes than `count`.
   * @param milliseconds longest wait
   * @param signal ends the wait
   * @returns `over` after the signal, or if the catalog is closed
   */
  next(count: number, milliseconds: number, signal: AbortSignal): Promise<'moved' | 'waited' | 'over'>
  /** Ends every wait. */
  close(): void
}

type Wake = (how: 'moved' | 'waited' | 'over') => void

export function openHeadChangeNotifier(): HeadChangeNotifier {
  const waiting = new Set<Wake>()
  let count = 0
  let closed = false

  function wakeAll(how: 'moved' | 'over'): void {
    for (const wake of [...waiting]) wake(how)
  }

  return {
    get count() {
      return count
    },
    notify() {
      count++
      wakeAll('moved')
    },
    async next(since, milliseconds, signal) {
      if (closed || signal.aborted) return 'over'
      if (count > since) return 'moved'
      return await new Promise(resolve => {
        const wake: Wake = how => {
          clearTimeout(timer)
          signal.removeEventListener('abort', over)
          waiting.delete(wake)
          resolve(how)
        }
        const over = () => wake('over')
        const timer = setTimeout(() => wake('waited'), milliseconds)
        signal.addEventListener('abort', over)
        waiting.add(wake)
      })
    },
    close() {
      closed = true
      wakeAll('over')
    },
  }
}
