import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { noteFocus } from '../parts/page-frame.js'

interface More {
  readonly label: string
  readonly hasMore: boolean
  readonly isLoading: boolean
  /** Selects the entries of the list. The focus goes to the first one that comes; undefined: it stays at the button. */
  readonly entries?: string
  load(): unknown
}

/**
 * The button at the end of a list that loads the next part. It never loses the focus to the page: it stays one that can be
 * focused while the part is loaded, and is gone after the last part.
 */
export function MoreButton({ label, hasMore, isLoading, entries, load }: More) {
  /** Number of entries when the next part was asked for. */
  const [before, setBefore] = useState<number>()
  const isIdle = useRef<() => boolean>(undefined)
  useLayoutEffect(() => {
    if (before === undefined || entries === undefined) return
    const first = document.querySelectorAll<HTMLElement>(entries)[before]
    if (!first) return
    setBefore(undefined)
    if (isIdle.current?.() === false) return
    first.tabIndex = -1
    first.focus()
  })
  function more() {
    if (isLoading) return
    isIdle.current = noteFocus()
    if (entries !== undefined) setBefore(document.querySelectorAll(entries).length)
    load()
  }
  if (!hasMore) return null
  return (
    <p>
      <button type="button" aria-disabled={isLoading} onClick={more}>
        {label}
      </button>
    </p>
  )
}
