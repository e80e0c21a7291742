/** Milliseconds of work after which a pause is due. */
const longest = 10

/** Work of many parts that leaves the event loop to others now and then. */
export interface Pauses {
  /** Resolves when others had their turn, where it has worked long enough; undefined: it goes on at once. */
  ifDue(): Promise<void> | undefined
}

export function openPauses(): Pauses {
  let since = performance.now()
  return {
    ifDue() {
      if (performance.now() - since < longest) return undefined
      return new Promise<void>(resolve => {
        setImmediate(() => {
          since = performance.now()
          resolve()
        })
      })
    },
  }
}
