import { subscribe } from '../login/login-session.js'
import { type Change, type ChangeFilter, readChangesSince } from './change-pages.js'
import { currentTail, pause } from './change-tail.js'
import { Refusal } from './client.js'
import type { StreamEvent } from './event-stream.js'

export type { Change, ChangeFilter }

/** Milliseconds after which what happened before is asked for again, and after which a hidden window stops to listen. */
const waits = { again: 3000, hidden: 60_000 }

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

  function tell(change: Change): void {
    if (matches(filter, change)) onChange(change)
  }
  function close(): void {
    clearTimeout(hiding)
    listening?.abort()
    listening = undefined
  }
  async function listen(signal: AbortSignal): Promise<void> {
    const tail = currentTail()
    // What happens while the changes before are read waits for them.
    let waiting: StreamEvent[] | undefined = []
    const receive = ({ data, id }: StreamEvent) => {
      if (id !== '') cursor = id
      tell(JSON.parse(data) as Change)
    }
    const leave = tail.join(event => (waiting ? waiting.push(event) : receive(event)))
    signal.addEventListener('abort', leave)
    const known = new Set<string>()
    for (let isMore = !(await tail.begin(cursor)); isMore; ) {
      const part = await readSince(cursor, signal)
      if (part === undefined) return leave()
      for (const change of part.items) {
        known.add(keyOf(change))
        tell(change)
      }
      cursor = part.next
      isMore = part.more
    }
    tail.follow(cursor)
    for (const event of waiting) if (!known.has(keyOf(JSON.parse(event.data)))) receive(event)
    waiting = undefined
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
async function readSince(since: string, signal: AbortSignal) {
  while (!signal.aborted) {
    try {
      return await readChangesSince(since, signal)
    } catch (error) {
      if (signal.aborted) return undefined
      const isBusy = error instanceof Refusal && (error.status === 503 || error.status === 429)
      if (error instanceof Refusal && !isBusy) return undefined
      if (!(error instanceof Refusal || error instanceof TypeError)) throw error
      await pause(
        (error instanceof Refusal && error.retryAfter ? error.retryAfter * 1000 : 0) || waits.again,
        signal,
      )
    }
  }
  return undefined
}

function keyOf({ commit, kind, id }: Change): string {
  return `${commit} ${kind} ${id}`
}

/** Whether the feed would have the change with these filters. @see src/http/routes/changes/change-feed-routes.ts */
function matches({ kind = '', schemaId = '', author = '' }: ChangeFilter, change: Change): boolean {
  const schema = 'schema' in change ? change.schema?.id : undefined
  return (
    (kind === '' || change.kind === kind) &&
    (schemaId === '' || (change.kind === 'schema' ? change.id : schema) === schemaId) &&
    (author === '' || ('author' in change && change.author === author))
  )
}
