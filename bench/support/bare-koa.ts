import { readFileSync } from 'node:fs'
import { deserialize } from 'node:v8'
import Koa from 'koa'
import { serveBare } from './bare-server.js'
import type { Collected } from './load.js'

/*
 * What a GET costs at least with this framework: one handler that looks the path up and answers bytes from memory, the
 * headers too.
 * node bare-koa.js <file with a Map of path to a Collected answer>
 */

/** What Node.js says of its own accord. */
const ofNode = new Set(['date', 'connection', 'keep-alive', 'content-length'])

function headersIn(head: string): Record<string, string> {
  const lines = head.split('\r\n').slice(1)
  const pairs = lines.map(line => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  return Object.fromEntries(pairs.filter(([name = '']) => !ofNode.has(name.toLowerCase())))
}

const [file = ''] = process.argv.slice(2)
const answers = new Map<string, { headers: Record<string, string>; body: Buffer }>()
for (const [path, { head, body }] of deserialize(readFileSync(file)) as Map<string, Collected>) {
  answers.set(path, {
    headers: headersIn(head),
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
  })
}

const app = new Koa()
app.use(ctx => {
  const answer = answers.get(ctx.path)
  if (!answer) return
  ctx.set(answer.headers)
  ctx.body = answer.body
})
serveBare(app)
