import { useEffect, useState } from 'preact/hooks'
import type { DraftName } from './drafts.js'

/** Milliseconds that a page waits for the lock: that of a page that was left just now is released in a moment. */
const patience = 500

/**
 * Whether this tab is the one that edits the record: two tabs would write over each other's drafts. Undefined until that
 * is known. Browsers have locks on secure origins only; elsewhere every tab edits.
 */
export function useEditLock({ collection, id }: DraftName): boolean | undefined {
  const [isHeld, setIsHeld] = useState<boolean>()
  useEffect(() => {
    if (!('locks' in navigator)) {
      setIsHeld(true)
      return
    }
    let release: (() => void) | undefined
    let isOver = false
    const signal = AbortSignal.timeout(patience)
    navigator.locks
      .request(`edit ${collection}/${id}`, { signal }, async () => {
        if (isOver) return
        setIsHeld(true)
        await new Promise<void>(resolve => (release = resolve))
      })
      .catch(() => setIsHeld(!signal.aborted))
    return () => {
      isOver = true
      release?.()
    }
  }, [collection, id])
  return isHeld
}
