import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'

/** Serves a baseline app until SIGTERM. Prints the same ready line as the server. */
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
