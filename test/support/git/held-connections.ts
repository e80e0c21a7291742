import { type AddressInfo, createServer, connect as open, type Socket } from 'node:net'

/** A proxy before a server that holds long exchanges, so that both sides wait. */
export interface HeldConnections {
  /** URL of the proxy, with a slash at the end. */
  readonly url: string
  /** Resolves when the proxy holds an exchange. */
  readonly holds: Promise<void>
  /** Passes the rest of held exchanges. */
  release(): void
  /** Ends all connections. */
  close(): void
}

/** @param max bytes of each connection, in both directions, after which the proxy holds it */
export async function openHeldConnections(port: number, max: number): Promise<HeldConnections> {
  const sockets = new Set<Socket>()
  let isReleased = false
  let hold = () => {}
  const holds = new Promise<void>(resolve => {
    hold = resolve
  })
  const proxy = createServer(client => {
    const server = open(port, '127.0.0.1')
    let passed = 0
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from)
      from.on('data', chunk => {
        to.write(chunk)
        passed += chunk.length
        if (passed <= max || isReleased) return
        from.pause()
        hold()
      })
      from.on('end', () => to.end())
      // An error ends the connection, as `close` tells the other side.
      from.on('error', () => undefined)
      from.on('close', () => to.destroySoon())
    }
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`,
    holds,
    release() {
      isReleased = true
      for (const socket of sockets) socket.resume()
    },
    close() {
      proxy.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
