import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request on its way to the cluster. */
interface ProxiedRequest {
  readonly method: string
  readonly path: string
  readonly body: string
}

/** A request that the proxy holds. */
export interface HeldRequest {
  /** Resolves when the request has arrived. */
  readonly arrived: Promise<void>
  /** Passes the request to the cluster. */
  release(): void
}

/** An answer that the proxy gives instead of the cluster. */
export interface GivenAnswer {
  readonly status: number
  readonly body: object
}

/**
 * A proxy before a cluster. It can leave requests without an answer, hold one request, or answer instead of the
 * cluster.
 */
export interface ClusterProxy {
  listen(): Promise<string>
  /** Leaves all later requests without an answer. */
  hang(): void
  /** Holds the next request that meets a condition. */
  holdNext(isHeld: (request: ProxiedRequest) => boolean): HeldRequest
  /** Answers the next searches instead of the cluster. */
  answerSearches(answers: readonly GivenAnswer[]): void
  /** All requests so far. */
  readonly requests: readonly ProxiedRequest[]
  close(): void
}

export const isSearch = ({ path }: ProxiedRequest): boolean => path.includes('~all/_search')

export function openClusterProxy(target: string): ClusterProxy {
  let hangs = false
  let hold: ((asked: ProxiedRequest) => Promise<void> | undefined) | undefined
  const requests: ProxiedRequest[] = []
  let given: GivenAnswer[] = []

  const server = createServer(async (asked, answer) => {
    if (hangs) return
    const { method = 'GET', url: path = '/', headers } = asked
    const bytes = Buffer.concat(await asked.toArray())
    const proxied = { method, path, body: bytes.toString() }
    requests.push(proxied)
    await hold?.(proxied)
    const instead = isSearch(proxied) ? given.shift() : undefined
    if (instead) {
      answer.writeHead(instead.status, { 'Content-Type': 'application/json' })
      answer.end(JSON.stringify(instead.body))
      return
    }
    const passed = request(new URL(path, target), { method, headers }, from => {
      answer.writeHead(from.statusCode ?? 500, from.headers)
      from.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    passed.end(bytes)
  })

  return {
    async listen() {
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    hang() {
      hangs = true
    },
    holdNext(isHeld) {
      let release = () => {}
      const released = new Promise<void>(resolve => {
        release = resolve
      })
      const arrived = new Promise<void>(resolve => {
        hold = asked => {
          if (!isHeld(asked)) return undefined
          hold = undefined
          resolve()
          return released
        }
      })
      return { arrived, release: () => release() }
    },
    answerSearches(answers) {
      given = [...answers]
    },
    requests,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
