import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import multer from '@koa/multer'
import Koa from 'koa'

/*
 * What a form costs at least with this framework: one handler that receives it into memory, looks at none of it and answers
 * 204.
 */

const app = new Koa()
app.use(multer({ storage: multer.memoryStorage() }).any())
app.use(ctx => {
  ctx.status = 204
})
const server = createServer({ keepAliveTimeout: 65_000 }, app.callback())
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}/\n`)
})
process.once('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
})
