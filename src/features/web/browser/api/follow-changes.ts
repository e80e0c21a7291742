import { subscribe } from '../login/login-session.js'
import { fetchAsCaller, serviceUrl } from './client.js'
import { readEvents, type StreamEvent } from './event-stream.js'

/** Milliseconds after which a stream that ended is opened again, and after which one of a hidden window is closed. */
const waits = { again: 3000, busy: 30_000, hidden: 60_000 }

/**
 * Follows the change feed, as the person who is logged in: `EventSource` cannot send a token. Another
 * login opens it anew; a window that is hidden for a minute closes it until it is shown, and misses nothing.
 * @param parameters of the feed; `since` is the commit after which it begins; empty: at the beginning
 * @returns ends it
 */
export function followChanges(
  parameters: { readonly since: string; readonly [filter: string]: string },
  onChange: (event: StreamEvent) => void,
): () => void {
  let cursor = parameters.since
  let stream: AbortController | undefined
  /** Timers of the next attempt, and of the end of a hidden stream. */
  let again = 0
  let hiding = 0

  function close(): void {
    clearTimeout(again)
    clearTimeout(hiding)
    stream?.abort()
    stream = undefined
  }
  function open(): void {
    close()
    const controller = new AbortController()
    stream = controller
    void read(controller.signal).then(wait => {
      if (!controller.signal.aborted && wait !== undefined) again = window.setTimeout(open, wait)
    })
  }
  /** @returns milliseconds until another attempt; undefined: none, as the server refuses */
  async function read(signal: AbortSignal): Promise<number | undefined> {
    const url = new URL('api/changes', serviceUrl)
    for (const [name, value] of Object.entries({ ...parameters, since: cursor }))
      if (value !== '') url.searchParams.set(name, value)
    try {
      const response = await fetchAsCaller(url, {
        headers: { Accept: 'text/event-stream' },
        cache: 'no-store',
        signal,
      })
      if (response.status === 503 || response.status === 429) return waits.busy
      if (!response.ok || !response.body) return undefined
      for await (const event of readEvents(response.body)) {
        if (signal.aborted) return undefined
        if (event.id !== '') cursor = event.id
        onChange(event)
      }
    } catch (error) {
      // The connection is gone, or the stream was closed.
      if (!(error instanceof TypeError) && !signal.aborted) throw error
    }
    return waits.again
  }
  function onVisibility(): void {
    clearTimeout(hiding)
    if (document.hidden) hiding = window.setTimeout(close, waits.hidden)
    else if (!stream) open()
  }

  open()
  document.addEventListener('visibilitychange', onVisibility)
  const unsubscribe = subscribe(open)
  return () => {
    close()
    unsubscribe()
    document.removeEventListener('visibilitychange', onVisibility)
  }
}
