import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A process seen from outside. @see proc(5) */
export interface Seen {
  /** Mebibytes of memory it uses: what is its own and what it shares, such as files that are mapped. */
  readonly memory: number
  /** The most it ever used. */
  readonly mostMemory: number
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
    mostMemory: number('VmHWM') / 1024,
    files: readdirSync(`/proc/${pid}/fd`).length,
    threads: number('Threads'),
  }
}

/** Mebibytes that processes it has started have for themselves; files they map, such as packs, are not counted. */
export function memoryOfChildren(pid: number): number {
  let sum = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
    for (const child of children.split(' ').filter(text => text !== '')) {
      try {
        const status = readFileSync(`/proc/${child}/status`, 'utf8')
        sum += Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
      } catch (error) {
        // It has ended since.
        if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
      }
    }
  }
  return sum
}
