import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A process seen from outside. @see proc(5) */
export interface Seen {
  /** Mebibytes of memory it uses: what is its own and what it shares, such as files that are mapped. */
  readonly memory: number
  /** The most it ever used. */
  readonly peakMemory: number
  readonly files: number
  readonly threads: number
}

/** Whether this machine lets us look. */
export const canLook = existsSync('/proc/self/status')

/** @throws Error where there is no such process */
export function look(pid: number): Seen {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const number = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN)
  return {
    memory: number('VmRSS') / 1024,
    peakMemory: number('VmHWM') / 1024,
    files: readdirSync(`/proc/${pid}/fd`).length,
    threads: number('Threads'),
  }
}

/**
 * Milliseconds of processor time that a process has taken, with all its threads, without its child processes.
 * @throws Error if there is no such process
 */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  // Linux counts in hundredths of a second for programs. @see proc(5), `utime` and `stime`
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Mebibytes that processes it has started, and they in turn, have for themselves; files they map, such as packs, are not counted. */
export function memoryOfChildren(pid: number): number {
  let sum = 0
  for (const child of childrenOf(pid)) {
    const status = unlessEnded(() => readFileSync(`/proc/${child}/status`, 'utf8')) ?? ''
    sum += Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024 + memoryOfChildren(child)
  }
  return sum
}

/** The same with the process itself, of which everything counts; 0 where it has ended. */
export function memoryOfAll(pid: number): number {
  const status = unlessEnded(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? ''
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024 + memoryOfChildren(pid)
}

function childrenOf(pid: number): readonly number[] {
  const tasks = unlessEnded(() => readdirSync(`/proc/${pid}/task`)) ?? []
  return tasks.flatMap(task => {
    const children = unlessEnded(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')) ?? ''
    return children.split(' ').flatMap(text => (text === '' ? [] : [Number(text)]))
  })
}

/** Undefined where the process, or the thread, has ended meanwhile. */
function unlessEnded<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
