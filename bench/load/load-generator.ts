import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What an answer has to be; anything else ends the run. */
export interface Expected {
  readonly status: number
  readonly type?: string
  readonly body?: Uint8Array
}

export interface LoadRequest {
  readonly bytes: Uint8Array
  readonly expected: Expected
}

export interface RunOptions {
  readonly port: number
  /** Requests under way at once, each on a connection of its own. */
  readonly clients: number
  /** Milliseconds a client waits between an answer and its next request; default 0. */
  readonly pause?: number
  /** Which requests are sent, in which order; default: each once, in the order they were prepared. */
  readonly order?: Uint32Array
  /** Hand the answers over. */
  readonly collect?: boolean
}

export interface Collected {
  /** Status line and headers. */
  readonly head: string
  readonly body: Uint8Array
}

export interface LoadResult {
  /** Milliseconds from the first request to the last answer. */
  readonly elapsed: number
  /** Milliseconds each request took, in the order they were sent. */
  readonly latencies: Float64Array
  /** Share of one core the clients took. */
  readonly cpu: number
  /** Where they were wanted, by the request's place. */
  readonly answers: readonly Collected[]
}

export type LoadMessage =
  | { readonly do: 'prepare'; readonly name: string; readonly requests: readonly LoadRequest[] }
  | { readonly do: 'forget'; readonly name: string }
  | {
      readonly do: 'run'
      readonly name: string
      readonly port: number
      readonly clients: number
      readonly pause: number
      readonly order: Uint32Array | undefined
      readonly collect: boolean
    }

/** Clients in a process of their own. */
export interface Load {
  prepare(name: string, requests: Iterable<LoadRequest>): Promise<void>
  /** @throws Error for any other answer than the expected one */
  run(name: string, options: RunOptions): Promise<LoadResult>
  forget(name: string): Promise<void>
  close(): Promise<void>
}

/** Requests handed over at once. */
const portion = 2000

export function openLoad(): Load {
  const child: ChildProcess = fork(fileURLToPath(new URL('./load-generator-process.js', import.meta.url)), {
    serialization: 'advanced',
  })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The clients' process ended with ${code}.`)
  })
  // Closing ends it, and nobody waits for its answer then.
  ended.catch(() => undefined)

  async function ask<T>(message: LoadMessage): Promise<T> {
    const answered = once(child, 'message')
    child.send(message)
    const [answer] = (await Promise.race([answered, ended])) as [{ result: T } | { error: string }]
    if ('error' in answer) throw new Error(answer.error)
    return answer.result
  }

  return {
    async prepare(name, requests) {
      const some: LoadRequest[] = []
      const flush = () => ask<number>({ do: 'prepare', name, requests: some.splice(0) })
      for (const request of requests) {
        some.push(request)
        if (some.length >= portion) await flush()
      }
      await flush()
    },
    run: (name, { port, clients, pause = 0, order, collect = false }) =>
      ask({ do: 'run', name, port, clients, pause, order, collect }),
    async forget(name) {
      await ask({ do: 'forget', name })
    },
    async close() {
      child.disconnect()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** Requests a second. */
export function rateOf({ elapsed, latencies }: LoadResult): number {
  return (latencies.length / elapsed) * 1000
}
