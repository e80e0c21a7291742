import { currentSession } from '../login/login-session.js'
import { fetchAsCaller } from './client.js'
import { readEvents, type StreamEvent } from './event-stream.js'
import { serviceUrl } from './service-url.js'

/*
 * Changes as they happen, for all windows of a browser in which the same person works: a server has a limit of streams. The
 * window that has the lock reads the stream, and tells the others. When it is closed, the next window goes on from the last
 * change that it was told. Without locks, which browsers have on secure origins only, every window reads a stream.
 */

type Listener = (event: StreamEvent) => void

/** Milliseconds after which a stream that has ended is opened again. */
const waits = { again: 3000, busy: 30_000 }

class ChangeTail {
  readonly #name: string
  readonly #channel: BroadcastChannel
  readonly #ending = new AbortController()
  readonly #listeners = new Set<Listener>()
  #cursor: string | undefined
  /** It reads the stream, or waits for the lock. */
  #isInLine: boolean = false

  constructor(name: string) {
    this.#name = name
    this.#channel = new BroadcastChannel(name)
    this.#channel.onmessage = ({ data }) => this.#tell(data as StreamEvent)
  }

  /** @returns ends it; the last listener ends the tail */
  join(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      tails.delete(this.#name)
      this.#channel.close()
      this.#ending.abort()
    }
  }

  /**
   * Reads the stream if no window does.
   * @param since what its listener knows
   * @returns whether it does; if not, another window may be ahead of the listener
   */
  begin(since: string): Promise<boolean> {
    if (this.#cursor !== undefined) return Promise.resolve(false)
    this.#cursor = since
    return new Promise(resolve => {
      const lead = (lock: unknown) => {
        this.#isInLine = lock !== null
        resolve(this.#isInLine)
        return this.#isInLine ? this.#read() : undefined
      }
      if ('locks' in navigator) this.#whenFree({ ifAvailable: true }, lead)
      else void lead(this)
    })
  }

  /** Waits for the lock, and goes on then. @param since what its listener knows now */
  follow(since: string): void {
    if (this.#isInLine) return
    this.#isInLine = true
    this.#cursor = since
    this.#whenFree({}, () => this.#read())
  }

  #whenFree(options: LockOptions, work: (lock: Lock | null) => Promise<void> | undefined): void {
    const { signal } = this.#ending
    // A request that does not wait takes no signal.
    const given = options.ifAvailable ? options : { ...options, signal }
    navigator.locks.request(this.#name, given, work).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }

  #tell(event: StreamEvent): void {
    if (this.#cursor !== undefined && event.id !== '') this.#cursor = event.id
    for (const listener of this.#listeners) listener(event)
  }

  async #read(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      const wait = await this.#readStream(signal)
      if (wait === undefined) return
      await pause(wait, signal)
    }
  }

  /** @returns milliseconds until another attempt; undefined: none, as the server refuses */
  async #readStream(signal: AbortSignal): Promise<number | undefined> {
    const url = new URL('api/changes', serviceUrl)
    if (this.#cursor) url.searchParams.set('since', this.#cursor)
    try {
      const headers = { Accept: 'text/event-stream' }
      const response = await fetchAsCaller(url, { headers, cache: 'no-store', signal })
      if (response.status === 503 || response.status === 429) return waits.busy
      if (!response.ok || !response.body) return undefined
      for await (const event of readEvents(response.body)) {
        if (signal.aborted) return undefined
        this.#channel.postMessage(event)
        this.#tell(event)
      }
    } catch (error) {
      // The connection is gone, or the tail has ended.
      if (!(error instanceof TypeError) && !signal.aborted) throw error
    }
    return waits.again
  }
}

const tails = new Map<string, ChangeTail>()

/** The tail of what the person of the session may read. Windows with other rights have another one. */
export function currentTail(): ChangeTail {
  const { caller } = currentSession()
  const who = caller && [caller.name, caller.groups, caller.roles]
  const name = `changes ${serviceUrl.pathname} ${JSON.stringify(who ?? [])}`
  const tail = tails.get(name) ?? new ChangeTail(name)
  tails.set(name, tail)
  return tail
}

/** Waits, but not longer than the signal allows. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
