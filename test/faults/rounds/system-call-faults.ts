import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/*
 * The system calls of a running server, seen and tampered with from outside. @see strace(1), "Tampering"
 */

/** What the write path asks the system for. */
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

/** The which one, of which thread, counted from when somebody began to look. */
export interface CallPlace {
  /** Rank of the thread among those of the process, in the order they were started: the same in every process. */
  readonly thread: number
  readonly name: string
  /** From 1. */
  readonly which: number
}

export interface SeenCall extends CallPlace {
  /** It is about a file, and not about a pipe, a socket or what wakes an event loop. */
  readonly ofFile: boolean
  /** It is an answer, or another message to somebody outside. */
  readonly ofSocket: boolean
  /** `openat(AT_FDCWD, "…", …) = 20`, as strace writes it. */
  readonly text: string
}

/** What happens to a call: the process is killed as it makes it, or it fails, from then on or once. */
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

/** Threads of a process, in the order they were started. */
function threadsOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`)
    .map(Number)
    .sort((a, b) => a - b)
}

interface Tracing {
  /** @returns the lines strace wrote, once it has let go */
  end(): Promise<readonly string[]>
}

async function attach(args: readonly string[], folder: string): Promise<Tracing> {
  const file = join(folder, 'calls')
  const child: ChildProcess = spawn('strace', ['-y', '-o', file, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  // It says so for each thread; the last one counts.
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

/** Every watched call of every thread while something is done. */
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

/** Tampers with one call of one thread while something is done. @returns the call, where it came to that */
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
 * Has the first call of a name on a path fail, in whatever thread, while something is done.
 * @returns the call, where it came to that
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

/** Whether strace's line is about a file. */
export function isOfFile(line: string): boolean {
  return /\(\d+<\//.test(line) || /\((?:AT_FDCWD(?:<[^>]*>)?, )?"/.test(line)
}
