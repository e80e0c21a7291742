import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deserialize } from 'node:v8'
import Koa from 'koa'

/*
 * What a GET costs at least with this framework: one handler that looks the path up and answers bytes from memory.
 * node bare-koa.js <file with a Map of path to bytes> <media type>
 */

const [file = '', type = ''] = process.argv.slice(2)
const answers = new Map<string, Buffer>()
for (const [path, bytes] of deserialize(readFileSync(file)) as Map<string, Uint8Array>)
  answers.set(path, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))

const app = new Koa()
app.use(ctx => {
  const bytes = answers.get(ctx.path)
  if (!bytes) return
  ctx.set('Content-Type', type)
  ctx.body = bytes
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
