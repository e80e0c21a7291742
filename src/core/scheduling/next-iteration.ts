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
