import { readdirSync, readFileSync } from 'node:fs'
import type { ProgramEnd, StartedProgram } from '../../../src/store/process/started-program.js'
import { waitUntil } from '../repository/test-repository.js'
import type { RunningServer } from './run-program.js'

/* The processes that a server has started, as the system reports them. Requires `/proc`. */

export interface ChildProcessInfo {
  readonly pid: number
  /** The command line, with spaces between its arguments. */
  readonly command: string
}

/** Returns the processes below a process whose command line contains a text. */
export function descendantsOf(pid: number, what = ''): readonly ChildProcessInfo[] {
  return startedBy(pid)
    .map(pid => ({ pid, command: commandOf(pid) }))
    .filter(({ command }) => command.includes(what))
}

/** Returns the processes below a server whose command line contains a text. */
export function childrenOf({ child }: RunningServer, what?: string): readonly ChildProcessInfo[] {
  return descendantsOf(child.pid as number, what)
}

/** Waits until a server has started a process whose command line contains a text. */
export function waitForChild(
  server: RunningServer,
  what: string,
  patience?: number,
): Promise<ChildProcessInfo> {
  return waitUntil(`a process ${what}`, () => childrenOf(server, what)[0], patience)
}

/** Whether the process still runs. */
export function isRunning({ pid, command }: ChildProcessInfo): boolean {
  return commandOf(pid) === command
}

/** @returns false if the process had ended before */
export function killProcess({ pid }: ChildProcessInfo, signal: NodeJS.Signals = 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/**
 * Returns the processes below a process. Tests call this many times per second, so it reads nothing about other
 * processes.
 */
function startedBy(pid: number): readonly number[] {
  return threadsOf(pid)
    .flatMap(thread => read(pid, `task/${thread}/children`).split(' '))
    .filter(text => text !== '')
    .flatMap(text => [Number(text), ...startedBy(Number(text))])
    .filter(isAlive)
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Whether a process is alive. A zombie is not. */
function isAlive(pid: number): boolean {
  // The name of a program may contain any characters, but its bracket is the last one.
  return /\) [^Z][^)]*$/s.test(read(pid, 'stat'))
}

function commandOf(pid: number): string {
  return read(pid, 'cmdline').replaceAll('\0', ' ').trim()
}

/** @returns an empty text if the process has ended meanwhile */
function read(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}

/** Discards the output of a program and waits for its end. */
export async function dropOutput({ stdout, stderr, closed }: StartedProgram): Promise<ProgramEnd> {
  stdout.resume()
  stderr.resume()
  return await closed
}
