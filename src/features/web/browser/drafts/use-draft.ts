import { useEffect, useRef, useState } from 'preact/hooks'
import { useKeeper } from '../failures/connection.js'
import { type Draft, type DraftName, keepDraft, readDraft, removeDraft } from './drafts.js'

/** Milliseconds after a key until the draft is kept. */
const pause = 500

export interface KeptDraft {
  /** A draft of an earlier visit that differs from what is stored, until it is taken or thrown away. */
  readonly offered: Draft | undefined
  /** The browser has refused to keep the draft. */
  readonly isRefused: boolean
  takeOffered(): void
  throwAway(): void
  /** Keeps what `current` returns after a pause, or removes the draft if that is undefined. */
  keepSoon(current: () => Omit<Draft, 'time'> | undefined): void
}

/**
 * The draft of a record.
 * @param isStored tells whether a draft has nothing that is not stored: it is not offered, but removed
 */
export function useDraft(record: DraftName, isStored: (draft: Draft) => boolean): KeptDraft {
  const [offered, setOffered] = useState(() => {
    const draft = readDraft(record)
    if (!draft || !isStored(draft)) return draft
    removeDraft(record)
    return undefined
  })
  const [isRefused, setIsRefused] = useState(false)
  const [isKept, setIsKept] = useState(false)
  useKeeper(isKept)
  const waiting = useRef<{ readonly timer: number; readonly keep: () => void } | undefined>(undefined)

  function keepNow(): void {
    const { timer, keep } = waiting.current ?? {}
    clearTimeout(timer)
    waiting.current = undefined
    keep?.()
  }
  // Keeps the draft also when the page ends.
  useEffect(() => {
    addEventListener('pagehide', keepNow)
    return () => {
      removeEventListener('pagehide', keepNow)
      keepNow()
    }
  }, [])

  return {
    offered,
    isRefused,
    takeOffered: () => setOffered(undefined),
    throwAway() {
      removeDraft(record)
      setOffered(undefined)
    },
    keepSoon(current) {
      clearTimeout(waiting.current?.timer)
      const keep = () => {
        const draft = current()
        if (!draft) removeDraft(record)
        const isKeptNow =
          draft !== undefined && keepDraft(record, { ...draft, time: new Date().toISOString() })
        setIsKept(isKeptNow)
        setIsRefused(draft !== undefined && !isKeptNow)
      }
      waiting.current = { keep, timer: window.setTimeout(keepNow, pause) }
    },
  }
}
