import { currentSession } from '../login/login-session.js'
import { fetchAsCaller } from './client.js'
import { readEvents } from './event-stream.js'
import { serviceUrl } from './service-url.js'

/*
 * Signals changes to all windows of a browser in which the same person works: a server has a limit of streams. The window
 * that has the lock reads the stream, and signals the others. When it is closed, the next window reads the stream. Without
 * locks, which browsers have on secure origins and with storage only, every window reads a stream.
 */

/** Milliseconds after which a stream that has ended is opened again. */
const waits = { again: 3000, busy: 30_000 }

class ChangeSignal {
  readonly #name: string
  readonly #channel: BroadcastChannel
  readonly #ending = new AbortController()
  readonly #listeners = new Set<() => void>()
  #hasBegun: boolean
  /** Whether one window reads the stream for all. */
  #isShared: boolean

  constructor(name: string) {
    this.#name = name
    this.#hasBegun = false
    this.#isShared = 'locks' in navigator
    this.#channel = new BroadcastChannel(name)
    this.#channel.onmessage = () => this.#tell()
  }

  /** @param listener called when the server has changes @returns ends it; the last listener ends the signal */
  join(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
      signals.delete(this.#name)
      this.#channel.close()
      this.#ending.abort()
    }
  }

  /**
   * Reads the stream, at once or when the window that reads it is closed.
   * @param since the commit after which the stream begins
   * @returns whether it reads the stream at once
   */
  begin(since: () => string): Promise<boolean> {
    if (this.#hasBegun) return Promise.resolve(false)
    this.#hasBegun = true
    return new Promise(resolve => {
      const lead = () => {
        resolve(true)
        return this.#read(since())
      }
      if (!this.#isShared) return void lead()
      const { signal } = this.#ending
      const { locks } = navigator
      locks
        .request(this.#name, { ifAvailable: true }, lock => {
          if (lock) return lead()
          resolve(false)
          return locks.request(this.#name, { signal }, () => this.#read(since()))
        })
        .catch((error: unknown) => {
          if (signal.aborted) return
          if ((error as DOMException).name !== 'SecurityError') throw error
          this.#isShared = false
          void lead()
        })
    })
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  async #read(since: string): Promise<void> {
    const { signal } = this.#ending
    let cursor = since
    const onEvent = (id: string) => {
      if (id !== '') cursor = id
      if (this.#isShared) this.#channel.postMessage('')
      this.#tell()
    }
    while (!signal.aborted) {
      const wait = await readStream(cursor, onEvent, signal)
      if (wait === undefined) return
      await pause(wait, signal)
    }
  }
}

/** @returns milliseconds until another attempt; undefined: none, as the server refuses */
async function readStream(
  since: string,
  onEvent: (id: string) => void,
  signal: AbortSignal,
): Promise<number | undefined> {
  const url = new URL('api/changes', serviceUrl)
  if (since !== '') url.searchParams.set('since', since)
  try {
    const headers = { Accept: 'text/event-stream' }
    const response = await fetchAsCaller(url, { headers, cache: 'no-store', signal })
    if (response.status === 503 || response.status === 429) return waits.busy
    if (!response.ok || !response.body) return undefined
    for await (const { id } of readEvents(response.body)) {
      if (signal.aborted) return undefined
      onEvent(id)
    }
  } catch (error) {
    // The connection is gone, or the signal has ended.
    if (!(error instanceof TypeError) && !signal.aborted) throw error
  }
  return waits.again
}

const signals = new Map<string, ChangeSignal>()

/** The signal of what the person of the session may read. Windows with other rights have another one. */
export function currentSignal(): ChangeSignal {
  const { caller } = currentSession()
  const who = caller && [caller.name, caller.groups, caller.roles]
  const name = `changes ${serviceUrl.pathname} ${JSON.stringify(who ?? [])}`
  const signal = signals.get(name) ?? new ChangeSignal(name)
  signals.set(name, signal)
  return signal
}

/** Waits, but not longer than the signal allows. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
  })
}
