import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request on its way to the cluster. */
interface ProxiedRequest {
  readonly method: string
  readonly path: string
  readonly body: string
}

/** A request that waits. */
export interface HeldRequest {
  /** Resolves when it has come. */
  readonly arrived: Promise<void>
  /** Passes it on. */
  release(): void
}

/** An answer that the proxy gives for the cluster. */
export interface GivenAnswer {
  readonly status: number
  readonly body: object
}

/** A proxy of a cluster that can leave requests without an answer, let one of them wait, or answer for the cluster. */
export interface ClusterProxy {
  listen(): Promise<string>
  /** Answers nothing from now on. */
  hang(): void
  /** Holds the next request that a condition is true for. */
  holdNext(isHeld: (request: ProxiedRequest) => boolean): HeldRequest
  /** Answers the next searches itself. */
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
