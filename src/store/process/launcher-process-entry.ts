import type { Order, Report } from './launcher.js'
import { runHere } from './run-program.js'

/*
 * Entry point of the launcher process. @see launcher.ts
 */

const running = new Map<number, AbortController>()

process.on('message', (order: Order) => {
  if ('end' in order) running.get(order.id)?.abort()
  else void run(order.id, order.program)
})

// The server ends its programs before it exits. After a kill of the server, nothing reads the results.
process.on('disconnect', () => {
  for (const each of running.values()) each.abort()
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

async function run(id: number, program: Extract<Order, { program: unknown }>['program']): Promise<void> {
  const over = new AbortController()
  running.set(id, over)
  let report: Report
  try {
    report = { id, result: await runHere(program, over.signal) }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    report = { id, error: { message, code } }
  }
  running.delete(id)
  if (process.connected) process.send?.(report)
}
