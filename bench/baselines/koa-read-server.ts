import { readFileSync } from 'node:fs'
import { deserialize } from 'node:v8'
import Koa from 'koa'
import type { Collected } from '../load/load-generator.js'
import { serveBare } from './serve-koa.js'

/*
 * The least cost of a GET with this framework: a handler that finds bytes and headers in memory by the path.
 * node koa-read-server.js <file with a Map of path to a Collected answer>
 */

/** Headers that Node.js adds itself. */
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
// All bodies share one buffer. A hundred thousand buffers outside of the heap would make the garbage collector run far
// more often.
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
