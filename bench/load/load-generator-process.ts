import { type Answer, type Connection, openConnection } from './http-connection.js'
import type { Expected, LoadMessage, LoadRequest, LoadResult } from './load-generator.js'

/*
 * The clients, in a separate process. Requests are complete before the measurement starts, and answers are compared as
 * bytes, so that the clients use little processor time.
 */

const prepared = new Map<string, LoadRequest[]>()

process.on('message', (message: LoadMessage) => {
  carryOut(message).then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  )
})

async function carryOut(message: LoadMessage): Promise<unknown> {
  if (message.do === 'prepare') {
    const known = prepared.get(message.name) ?? []
    prepared.set(message.name, known)
    for (const request of message.requests) known.push(request)
    return known.length
  }
  if (message.do === 'forget') return prepared.delete(message.name)
  const requests = prepared.get(message.name)
  if (!requests) throw new Error(`There are no prepared requests named "${message.name}".`)
  return await run(requests, message)
}

async function run(
  requests: readonly LoadRequest[],
  { port, clients, pause, order, collect }: LoadMessage & { do: 'run' },
): Promise<LoadResult> {
  const turns = order ?? Uint32Array.from(requests, (_, index) => index)
  const width = Math.min(clients, turns.length)
  const connections = await Promise.all(Array.from({ length: width }, () => openConnection(port)))
  const latencies = new Float64Array(turns.length)
  const answers: { head: string; body: Uint8Array }[] = []
  const cpu = process.cpuUsage()
  const started = performance.now()
  let next = 0
  async function work(connection: Connection): Promise<void> {
    while (next < turns.length) {
      const turn = next++
      const at = turns[turn] as number
      const request = requests[at] as LoadRequest
      const sent = performance.now()
      const answer = await connection.send(buffer(request.bytes))
      latencies[turn] = performance.now() - sent
      check(request.expected, answer)
      if (collect) answers[at] = { head: answer.head, body: Buffer.from(answer.body) }
      if (pause > 0) await new Promise(resolve => setTimeout(resolve, pause))
    }
  }
  try {
    await Promise.all(connections.map(work))
  } finally {
    for (const connection of connections) connection.close()
  }
  const elapsed = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  return { elapsed, latencies, cpu: (user + system) / 1000 / elapsed, answers }
}

/** @throws Error if an answer differs from the expected one */
function check({ status, body, type }: Expected, answer: Answer): void {
  if (answer.status !== status) {
    throw new Error(
      `The answer has status ${answer.status}, not ${status}: ${answer.body.toString().slice(0, 500)}`,
    )
  }
  if (type !== undefined && answer.header('content-type') !== type) {
    throw new Error(`The answer has the type ${answer.header('content-type')}, not ${type}.`)
  }
  if (body && !answer.body.equals(body)) {
    throw new Error(`The answer has other bytes: ${answer.body.toString().slice(0, 500)}`)
  }
}

function buffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
