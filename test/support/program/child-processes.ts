import { readdirSync, readFileSync } from 'node:fs'
import type { ProgramEnd, StartedProgram } from '../../../src/store/process/started-program.js'
import { waitUntil } from '../repository/test-repository.js'
import type { RunningServer } from './run-program.js'

/*
 * The processes that a server has started, as whoever looks at the machine sees them. Needs a `/proc`.
 */

export interface ChildProcessInfo {
  readonly pid: number
  /** Its command line, parts apart by spaces. */
  readonly command: string
}

/** All that a process has started and they in turn, whose command line has this in it. */
export function descendantsOf(pid: number, what = ''): readonly ChildProcessInfo[] {
  return startedBy(pid)
    .map(pid => ({ pid, command: commandOf(pid) }))
    .filter(({ command }) => command.includes(what))
}

/** The same of a server. */
export function childrenOf({ child }: RunningServer, what?: string): readonly ChildProcessInfo[] {
  return descendantsOf(child.pid as number, what)
}

/** Waits until a server has started a process whose command line has this in it. */
export function waitForChild(
  server: RunningServer,
  what: string,
  patience?: number,
): Promise<ChildProcessInfo> {
  return waitUntil(`a process ${what}`, () => childrenOf(server, what)[0], patience)
}

/** Whether it has not ended yet. */
export function isRunning({ pid, command }: ChildProcessInfo): boolean {
  return commandOf(pid) === command
}

/** @returns false where it had ended before */
export function killProcess({ pid }: ChildProcessInfo, signal: NodeJS.Signals = 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** The child processes of a process, and theirs. Tests look many times a second, so this reads nothing about other processes. */
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

/** Zombies are over. */
function isAlive(pid: number): boolean {
  // The name of a program may have anything in it, but it is the last thing with a bracket.
  return /\) [^Z][^)]*$/s.test(read(pid, 'stat'))
}

function commandOf(pid: number): string {
  return read(pid, 'cmdline').replaceAll('\0', ' ').trim()
}

/** @returns nothing of a process that has ended meanwhile */
function read(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}

/** Reads what a program prints, keeps nothing of it, and waits for its end. */
export async function dropOutput({ stdout, stderr, closed }: StartedProgram): Promise<ProgramEnd> {
  stdout.resume()
  stderr.resume()
  return await closed
}
