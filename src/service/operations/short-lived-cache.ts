/** Takes one look for all that ask while it is taken, and for some milliseconds after that. */
export function onceIn<T>(milliseconds: number, look: () => Promise<T>): () => Promise<T> {
  let latest: { readonly result: Promise<T>; until: number } | undefined
  return () => {
    if (latest && performance.now() < latest.until) return latest.result
    const begun = { result: look(), until: Number.POSITIVE_INFINITY }
    const ended = () => {
      begun.until = performance.now() + milliseconds
    }
    begun.result.then(ended, ended)
    latest = begun
    return begun.result
  }
}
