import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The required answer to a request. Any other answer ends the run. */
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
  /** Number of parallel requests, each on its own connection. */
  readonly clients: number
  /** Milliseconds that a client waits between an answer and its next request; default: 0. */
  readonly pause?: number
  /** Positions of the requests to send, in order; default: each once, in the order of preparation. */
  readonly order?: Uint32Array
  /** Whether to return the answers. */
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
  /** Milliseconds of each request, in the order of sending. */
  readonly latencies: Float64Array
  /** Share of one processor core that the clients used. */
  readonly cpu: number
  /** The answers by the position of their request, if they were collected. */
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

/** Clients in a separate process. */
export interface Load {
  prepare(name: string, requests: Iterable<LoadRequest>): Promise<void>
  /** @throws Error if an answer differs from the expected one */
  run(name: string, options: RunOptions): Promise<LoadResult>
  forget(name: string): Promise<void>
  close(): Promise<void>
}

/** Number of requests that are passed to the process at once. */
const portion = 2000

export function openLoad(): Load {
  const child: ChildProcess = fork(fileURLToPath(new URL('./load-generator-process.js', import.meta.url)), {
    serialization: 'advanced',
  })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The process of the clients ended with ${code}.`)
  })
  // Prevents an unhandled rejection: `close` ends the process.
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

/** Requests per second. */
export function rateOf({ elapsed, latencies }: LoadResult): number {
  return (latencies.length / elapsed) * 1000
}
