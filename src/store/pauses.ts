/** Milliseconds of work after which a pause is due. */
const longest = 10

/** Work of many parts that leaves the event loop to others now and then. */
export interface Pauses {
  /** Whether it has worked long enough. */
  isDue(): boolean
  /** Resolves when others had their turn. */
  take(): Promise<void>
}

export function openPauses(): Pauses {
  let since = performance.now()
  return {
    isDue: () => performance.now() - since >= longest,
    async take() {
      await new Promise<void>(resolve => setImmediate(resolve))
      since = performance.now()
    },
  }
}
