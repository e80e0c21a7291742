import { useEffect, useSyncExternalStore } from 'preact/compat'

/*
 * Whether the server can be reached, as the last request of this window has found, and whether the browser keeps what
 * was typed.
 */

let isConnected = navigator.onLine
/** Editors whose text the browser keeps. */
let keepers = 0
const listeners = new Set<() => void>()

addEventListener('offline', () => noteConnection(false))

/** Says whether a request got an answer. */
export function noteConnection(isAnswered: boolean): void {
  if (isAnswered === isConnected) return
  isConnected = isAnswered
  tell()
}

export function useIsConnected(): boolean {
  return useSyncExternalStore(subscribe, () => isConnected)
}

/** Whether the browser keeps a text that is not stored. */
export function useIsKept(): boolean {
  return useSyncExternalStore(subscribe, () => keepers > 0)
}

/** Counts an editor while the browser keeps its text. */
export function useKeeper(isKept: boolean): void {
  useEffect(() => {
    if (!isKept) return
    keepers++
    tell()
    return () => {
      keepers--
      tell()
    }
  }, [isKept])
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(): void {
  for (const listener of [...listeners]) listener()
}
