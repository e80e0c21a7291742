import { spawn } from 'node:child_process'
import type { CollectedEnd, CollectedStart } from './collecting-process.js'

/*
 * Runs programs for the parent process and sends it their outputs.
 */

process.on('disconnect', () => process.exit())
process.on('message', (order: CollectedStart) => run(order))

function run({ id, command, args, cwd, env, input }: CollectedStart): void {
  const out: Buffer[] = []
  const err: Buffer[] = []
  const fail = ({ message, code }: NodeJS.ErrnoException) =>
    process.send?.({ id, error: { message, code } } satisfies CollectedEnd)
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.once('error', fail)
  // A program may end before it has read its whole input, which closes the pipe.
  child.stdin?.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') fail(error)
  })
  child.stdin?.end(input)
  child.stdout?.on('data', (bytes: Buffer) => out.push(bytes))
  child.stderr?.on('data', (bytes: Buffer) => err.push(bytes))
  child.once('close', code => {
    const output = { code, stdout: Buffer.concat(out), stderr: Buffer.concat(err) }
    process.send?.({ id, output } satisfies CollectedEnd)
  })
}
