import type { Answer, Task } from './protocol.js'

export interface Limits {
  /** Workers at once; undefined is the number of cores. */
  readonly workers?: number
  /** Milliseconds. */
  readonly timeLimit: number
  /** Mebibytes. */
  readonly memoryLimit: number
  /** Levels of arrays and objects a JSON document may have. */
  readonly depthLimit: number
}

/** Something that carries tasks out elsewhere, within the limits. */
export interface Runner {
  /** The answer is a finding where a limit was exceeded. @throws Error where the worker failed */
  run(task: Task): Promise<Answer>
  /** Workers there are. */
  workers(): number
  /** Ends the workers. Only to be called when no task is running. */
  close(): Promise<void>
}

export function tooLong(limits: Limits): Answer {
  return verdict(`Checking it took longer than ${limits.timeLimit} ms and was stopped.`)
}

export function tooBig(limits: Limits): Answer {
  return verdict(`Checking it needs more than ${limits.memoryLimit} MiB of memory and was stopped.`)
}

export function verdict(message: string): Answer {
  return { kind: 'findings', findings: [{ message }], compilations: 0 }
}
