import { useEffect, useState } from 'preact/hooks'
import type { DraftName } from './drafts.js'

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
    navigator.locks
      .request(`edit ${collection}/${id}`, { ifAvailable: true }, async lock => {
        if (isOver) return
        setIsHeld(lock !== null)
        if (lock) await new Promise<void>(resolve => (release = resolve))
      })
      .catch(() => setIsHeld(true))
    return () => {
      isOver = true
      release?.()
    }
  }, [collection, id])
  return isHeld
}
