import { readFileSync } from 'node:fs'
import { deserialize } from 'node:v8'
import Koa from 'koa'
import type { Collected } from '../load/load-generator.js'
import { serveBare } from './serve-koa.js'

/*
 * What a GET costs at least with this framework: one handler that looks the path up and answers bytes from memory, the
 * headers too.
 * node koa-read-server.js <file with a Map of path to a Collected answer>
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
const collected = deserialize(readFileSync(file)) as Map<string, Collected>
const answers = new Map<string, { headers: Record<string, string>; body: Buffer }>()
// In one piece of memory: the collector goes round far more often where a hundred thousand pieces lie outside its heap.
const bodies = Buffer.allocUnsafeSlow([...collected.values()].reduce((sum, { body }) => sum + body.length, 0))
let end = 0
for (const [path, { head, body }] of collected) {
  bodies.set(body, end)
  answers.set(path, { headers: headersIn(head), body: bodies.subarray(end, end + body.length) })
  end += body.length
}
collected.clear()

const app = new Koa()
app.use(ctx => {
  const answer = answers.get(ctx.path)
  if (!answer) return
  ctx.set(answer.headers)
  ctx.body = answer.body
})
serveBare(app)
