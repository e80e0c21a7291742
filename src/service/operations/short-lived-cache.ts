/**
 * Shares the result of one call among all callers during the call, and for some milliseconds after its end.
 * @param compute called if there is no result to share
 */
export function shareResult<T>(milliseconds: number, compute: () => Promise<T>): () => Promise<T> {
  let latest: { readonly result: Promise<T>; until: number } | undefined
  return () => {
    if (latest && performance.now() < latest.until) return latest.result
    const started = { result: compute(), until: Number.POSITIVE_INFINITY }
    const ended = () => {
      started.until = performance.now() + milliseconds
    }
    started.result.then(ended, ended)
    latest = started
    return started.result
  }
}
