import { useSyncExternalStore } from 'preact/compat'
import { unlessForbidden } from '../drafts/settings.js'

/*
 * The point of history that a window reads.
 */

/**
 * A tag, a branch, a commit or a time; undefined: the newest state. It is that of the address, and stays while the
 * document is open: choosing another one loads the application anew, so nothing that was read is mixed.
 */
export const point: string | undefined = new URLSearchParams(location.search).get('at') || undefined

let isPointRead = false
const listeners = new Set<() => void>()

/** Says that something of the point was read: it exists. */
export function notePoint(): void {
  if (point === undefined || isPointRead) return
  isPointRead = true
  for (const listener of [...listeners]) listener()
}

export function useIsPointRead(): boolean {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isPointRead,
  )
}

/** An address with the point, so that a link stays in what it shows. */
export function withPoint(address: string): string {
  if (point === undefined || /[?&]at=/.test(address)) return address
  return `${address}${address.includes('?') ? '&' : '?'}at=${encodeURIComponent(point)}`
}

/** A date as pages write it: `14 Mar 2026`, `14 March 2026, 09:26:53 UTC`. */
const writtenDate = /^(\d{1,2} [A-Za-z]+ \d{4})(?:,? (\d{2}:\d{2}(:\d{2})?))?(?: UTC)?$/

/**
 * The point that a person names; undefined: now. A date as pages write it becomes that of the interface, in UTC. Pages
 * write seconds without fractions, so what happened in a second that is written belongs to it.
 */
export function pointOfText(text: string): string | undefined {
  const [, day, time = '', seconds] = writtenDate.exec(text.trim()) ?? []
  const instant = Date.parse(`${day} ${time} UTC`)
  if (Number.isNaN(instant)) return text.trim() || undefined
  return new Date(instant + (seconds === undefined ? 0 : 999)).toISOString()
}

const arrival = 'git-metastore point'

/** Whether this document was opened by a choice of its point. */
export const isChosenPoint = takeArrival()

/** Shows this page as of another point. @param other undefined: now */
export function goToPoint(other: string | undefined): void {
  unlessForbidden(() => sessionStorage.setItem(arrival, 'chosen'))
  location.assign(thisPageAt(other))
}

function takeArrival(): boolean {
  const kept = unlessForbidden(() => sessionStorage.getItem(arrival))
  if (kept) unlessForbidden(() => sessionStorage.removeItem(arrival))
  return kept === 'chosen'
}

/** The address of this page as of another point. @param other undefined: now */
export function thisPageAt(other: string | undefined): string {
  const url = new URL(location.href)
  if (other === undefined) url.searchParams.delete('at')
  else url.searchParams.set('at', other)
  return url.href
}
