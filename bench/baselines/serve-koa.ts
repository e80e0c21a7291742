import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'

/** Serves what others are measured against, until SIGTERM; says where as a server of ours does. */
export function serveBare(app: Koa): void {
  const server = createServer({ keepAliveTimeout: 65_000 }, app.callback())
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`listening on http://127.0.0.1:${port}/\n`)
  })
  process.once('SIGTERM', () => {
    server.close()
    server.closeAllConnections()
  })
}
