/** A function that computes its value at the first call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Remembers the result for the last arguments, because requests in a row often have the same ones.
 * @param compute a pure function of strings
 */
export function rememberingLast<Args extends readonly string[], Result>(
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { readonly args: Args; readonly result: Result } | undefined
  return (...args) => {
    if (last?.args.every((arg, at) => arg === args[at])) return last.result
    last = { args, result: compute(...args) }
    return last.result
  }
}

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
