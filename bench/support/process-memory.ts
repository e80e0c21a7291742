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
 * Milliseconds of processor time that a process, its threads and the processes below it have used, with processes that
 * have ended. Processes that are not waited for by their parent are missing.
 * @throws Error if there is no such process
 */
export function processorTimeOfAll(pid: number): number {
  const { own, ended } = processorTimes(pid)
  const children = childrenOf(pid).map(child => unlessEnded(() => processorTimeOfAll(child)) ?? 0)
  return children.reduce((sum, time) => sum + time, own + ended)
}

/** Milliseconds of processor time that the ended processes below a process have used. */
export function processorTimeOfEnded(pid: number): number {
  return processorTimes(pid).ended
}

/** @see proc(5), `utime`, `stime`, `cutime` and `cstime` in hundredths of a second */
function processorTimes(pid: number): { readonly own: number; readonly ended: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
  return { own: (user + system) * 10, ended: (endedUser + endedSystem) * 10 }
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
