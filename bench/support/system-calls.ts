import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Number of system calls by name. */
export type SystemCalls = ReadonlyMap<string, number>

/** Columns of the summary. @see strace(1), `-U` */
const summary = ['-f', '-c', '-U', 'calls,name'] as const

/** A command that counts the system calls of another command, and writes the summary to `file`. */
export function countingCommand(file: string): readonly string[] {
  return ['strace', ...summary, '-o', file]
}

/**
 * Counts the system calls of a process and its threads during some work. Processes that already run, such as those for
 * validation, are not counted.
 * @param file for the summary
 * @returns undefined if strace is not installed or may not trace the process
 */
export async function countSystemCalls(
  pid: number,
  file: string,
  work: () => Promise<void>,
): Promise<SystemCalls | undefined> {
  const tracer = spawn('strace', [...summary, '-o', file, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let hasEnded = false
  // If strace is not installed, it emits an error event instead.
  const ended = once(tracer, 'close')
    .catch(() => undefined)
    .finally(() => {
      hasEnded = true
    })
  while (!hasEnded && !isTraced(pid)) await sleep(10)
  // The first thread is traced. The others follow at once.
  await sleep(500)
  if (hasEnded) return undefined
  try {
    await work()
  } finally {
    tracer.kill('SIGINT')
    await ended
  }
  return readSystemCalls(file)
}

/** @see proc(5), `TracerPid` */
function isTraced(pid: number): boolean {
  return /^TracerPid:\s+[1-9]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

export function readSystemCalls(file: string): SystemCalls {
  const lines = readFileSync(file, 'utf8').split('\n')
  return new Map(
    lines.flatMap(line => {
      const [, count, name] = /^\s*(\d+)\s+(\w+)\s*$/.exec(line) ?? []
      return count !== undefined && name !== undefined && name !== 'total' ? [[name, Number(count)]] : []
    }),
  )
}

/** Number of all calls. */
export function allCalls(calls: SystemCalls): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0)
}
