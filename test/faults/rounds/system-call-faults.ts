import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/* Traces the system calls of a running server and injects faults into them. @see strace(1), "Tampering" */

/** System calls of the write path. */
const watched = [
  'openat',
  'write',
  'writev',
  'pwrite64',
  'pwritev',
  'fsync',
  'fdatasync',
  'rename',
  'renameat2',
  'link',
  'unlink',
  'ftruncate',
  'fallocate',
  'mkdir',
  'rmdir',
]

/** A system call: its thread, its name, and its number since tracing began. */
export interface CallPlace {
  /** Position of the thread among those of the process, in order of their start. It is the same in every process. */
  readonly thread: number
  readonly name: string
  /** Number of the call among those of the thread with this name, from 1. */
  readonly which: number
}

export interface SeenCall extends CallPlace {
  /** Whether the call is on a file, not on a pipe, a socket or an event descriptor. */
  readonly ofFile: boolean
  /** Whether the call is on a socket, such as that of an answer. */
  readonly ofSocket: boolean
  /** The line of strace: `openat(AT_FDCWD, "…", …) = 20`. */
  readonly text: string
}

/** A fault of a call. `KILL` kills the process at the call. An error makes the call fail, once or from then on. */
export type Fault = 'KILL' | { readonly error: 'EIO' | 'ENOSPC' | 'EROFS'; readonly lasting: boolean }

export const canTrace = traces()

function traces(): boolean {
  const { status, error } = spawnSync('strace', [
    '-e',
    'inject=getpid:error=EIO:when=1',
    '-o',
    '/dev/null',
    'true',
  ])
  return error === undefined && status === 0
}

/** Threads of a process, in the order of their start. */
function threadsOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`)
    .map(Number)
    .sort((a, b) => a - b)
}

interface Tracing {
  /** Stops strace. @returns the lines that it wrote */
  end(): Promise<readonly string[]>
}

async function attach(args: readonly string[], folder: string): Promise<Tracing> {
  const file = join(folder, 'calls')
  const child: ChildProcess = spawn('strace', ['-y', '-o', file, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  // strace reports the attachment to each thread.
  const wanted = args.filter(arg => arg === '-p').length
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if ((said.match(/ attached/g) ?? []).length >= wanted) resolve()
    })
    child.once('error', reject)
    child.once('close', () => reject(new Error(`strace ended: ${said}`)))
  })
  return {
    async end() {
      child.kill('SIGINT')
      await ended
      return (await readFile(file, 'utf8')).split('\n')
    },
  }
}

/** Traces the watched calls of every thread during an action. */
export async function callsDuring(
  pid: number,
  folder: string,
  act: () => Promise<unknown>,
): Promise<readonly SeenCall[]> {
  const threads = threadsOf(pid)
  const tracing = await attach(['-f', '-e', `trace=${watched.join()}`, '-p', String(pid)], folder)
  await act()
  const counts = new Map<string, number>()
  return (await tracing.end()).flatMap(line => {
    const found = /^(\d+) +([a-z0-9_]+)\(/.exec(line)
    if (!found) return []
    const [, tid, name = ''] = found
    const thread = threads.indexOf(Number(tid))
    const which = (counts.get(`${tid} ${name}`) ?? 0) + 1
    counts.set(`${tid} ${name}`, which)
    return thread < 0
      ? []
      : [{ thread, name, which, ofFile: isOfFile(line), ofSocket: line.includes('<socket:'), text: line }]
  })
}

/**
 * Injects a fault into one call of one thread during an action.
 * @returns the line of the call; undefined if it did not occur
 */
export async function tamper(
  pid: number,
  { thread, name, which }: CallPlace,
  fault: Fault,
  folder: string,
  act: () => Promise<unknown>,
): Promise<string | undefined> {
  const tid = threadsOf(pid)[thread]
  if (tid === undefined) return undefined
  const what = fault === 'KILL' ? 'signal=KILL' : `error=${fault.error}`
  const when = fault !== 'KILL' && fault.lasting ? `${which}+` : String(which)
  const inject = ['-e', `trace=${name}`, '-e', `inject=${name}:${what}:when=${when}`]
  const tracing = await attach([...inject, '-p', String(tid)], folder)
  await act()
  const lines = await tracing.end()
  const calls = lines.filter(line => line.startsWith(`${name}(`))
  return fault === 'KILL' ? calls[which - 1] : calls.find(line => line.includes('(INJECTED)'))
}

/**
 * Makes the first call of a name on a path fail during an action, in any thread.
 * @returns the line of the call; undefined if it did not occur
 */
export async function tamperWithPath(
  pid: number,
  { name, path, error }: { readonly name: string; readonly path: string; readonly error: 'EIO' },
  folder: string,
  act: () => Promise<unknown>,
): Promise<string | undefined> {
  const inject = ['-e', `trace=${name}`, '-e', `inject=${name}:error=${error}:when=1`]
  const tracing = await attach(['-f', '-P', path, ...inject, '-p', String(pid)], folder)
  await act()
  return (await tracing.end()).find(line => line.includes('(INJECTED)'))
}

/** Whether a line of strace is about a file. */
export function isOfFile(line: string): boolean {
  return /\(\d+<\//.test(line) || /\((?:AT_FDCWD(?:<[^>]*>)?, )?"/.test(line)
}
