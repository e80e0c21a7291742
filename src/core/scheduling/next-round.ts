/**
 * Combines calls: the returned function runs `work` in the next round of the event loop, once however often it is
 * called until then.
 */
export function oncePerRound(work: () => void): () => void {
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
