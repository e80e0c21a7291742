import type { HeadChangeNotifier } from '../../catalog/follow/head-change-notifier.js'

/**
 * Waits until a check finds something. It is made at the beginning, and after each change.
 * @returns what the check has found; false after the time, or when the signal is aborted
 */
export async function waitFor<T>(
  check: () => T | false | undefined,
  changes: HeadChangeNotifier,
  milliseconds: number,
  signal: AbortSignal,
): Promise<T | false> {
  const end = performance.now() + milliseconds
  for (;;) {
    const { count } = changes
    const found = check()
    if (found) return found
    const left = end - performance.now()
    if (left <= 0 || (await changes.next(count, left, signal)) === 'ended') return false
  }
}
