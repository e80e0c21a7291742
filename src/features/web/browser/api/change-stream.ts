import { subscribe } from '../login/login-session.js'
import { type Change, type ChangeFilter, readChangesSince } from './change-pages.js'
import { currentSignal, pause } from './change-signal.js'
import { isBusy, Refusal } from './client.js'

/**
 * Milliseconds after which changes that could not be read are asked for again, between two readings, and after which a
 * hidden window stops to listen.
 */
const waits = { again: 3000, next: 250, hidden: 60_000 }

const observers = new Set<(change: Change) => void>()

/** Tells each change that this window reads, whatever it is read for. @returns ends it */
export function observeChanges(observer: (change: Change) => void): () => void {
  observers.add(observer)
  return () => void observers.delete(observer)
}

/**
 * Tells the changes since a commit, as soon as the server has them, until it is closed. Another login begins anew. A window
 * that is hidden for a minute stops until it is shown, and misses nothing.
 * @param since a commit of the served history; empty: from the beginning
 * @returns closes it
 */
export function openChangeStream(
  since: string,
  filter: ChangeFilter,
  onChange: (change: Change) => void,
): () => void {
  let cursor = since
  let listening: AbortController | undefined
  let hiding = 0
  const isFiltered = Object.values(filter).some(value => value !== '')

  function close(): void {
    clearTimeout(hiding)
    listening?.abort()
    listening = undefined
  }
  /** @returns whether the server gives the changes */
  async function readNew(signal: AbortSignal): Promise<boolean> {
    for (let isMore = true; isMore; ) {
      const part = await readSince(cursor, filter, signal)
      if (part === undefined || signal.aborted) return false
      for (const change of part.items) for (const tell of [onChange, ...observers]) tell(change)
      cursor = part.next
      isMore = part.more
    }
    return true
  }
  async function listen(signal: AbortSignal): Promise<void> {
    const changes = currentSignal()
    let isSignalled = false
    let wake = () => {}
    const leave = changes.join(() => {
      isSignalled = true
      wake()
    })
    signal.addEventListener('abort', () => {
      leave()
      wake()
    })
    // A stream has no filter. The commit of a filtered change may be an old one.
    if (isFiltered && !(await readNew(signal))) return leave()
    const signalsAll = await changes.begin(() => cursor)
    // Another window may be ahead.
    isSignalled ||= !signalsAll && !isFiltered
    while (!signal.aborted) {
      if (isSignalled) {
        isSignalled = false
        if (!(await readNew(signal))) return leave()
        await pause(waits.next, signal)
      } else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
  }
  function open(): void {
    close()
    listening = new AbortController()
    void listen(listening.signal)
  }
  function onVisibility(): void {
    clearTimeout(hiding)
    if (document.hidden) hiding = window.setTimeout(close, waits.hidden)
    else if (!listening) open()
  }

  /** A page that the browser has kept aside was told nothing. */
  function onShow({ persisted }: PageTransitionEvent): void {
    if (persisted) open()
  }

  open()
  document.addEventListener('visibilitychange', onVisibility)
  addEventListener('pageshow', onShow)
  const unsubscribe = subscribe(open)
  return () => {
    close()
    unsubscribe()
    document.removeEventListener('visibilitychange', onVisibility)
    removeEventListener('pageshow', onShow)
  }
}

/** A part of the feed, when the server gives it; undefined: it refuses. */
async function readSince(since: string, filter: ChangeFilter, signal: AbortSignal) {
  while (!signal.aborted) {
    try {
      return await readChangesSince(since, filter, signal)
    } catch (error) {
      if (signal.aborted) return undefined
      if (isBusy(error)) await pause((error.retryAfter ?? 0) * 1000 || waits.again, signal)
      else if (error instanceof TypeError) await pause(waits.again, signal)
      else if (error instanceof Refusal) return undefined
      else throw error
    }
  }
  return undefined
}
