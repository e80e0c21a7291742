import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Properties of a process that the system reports. @see proc(5) */
export interface Seen {
  /** Used memory in mebibytes, including shared memory such as mapped files. */
  readonly memory: number
  /** Peak of the used memory. */
  readonly peakMemory: number
  readonly files: number
  readonly threads: number
}

/** Whether this machine reports properties of processes. */
export const canLook = existsSync('/proc/self/status')

/** @throws Error if there is no such process */
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
 * Milliseconds of processor time that a process and its threads have used, without its child processes.
 * @throws Error if there is no such process
 */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  // Linux reports the time in hundredths of a second. @see proc(5), `utime` and `stime`
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Private memory of the processes below a process in mebibytes, without mapped files such as packs. */
export function memoryOfChildren(pid: number): number {
  let sum = 0
  for (const child of childrenOf(pid)) {
    const status = unlessEnded(() => readFileSync(`/proc/${child}/status`, 'utf8')) ?? ''
    sum += Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024 + memoryOfChildren(child)
  }
  return sum
}

/**
 * Memory of a process and the processes below it. The process itself counts with its mapped files, or with 0 if it has
 * ended.
 */
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

/** Returns undefined if the process or the thread has ended meanwhile. */
function unlessEnded<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
