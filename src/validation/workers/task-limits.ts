import type { Answer } from './task-protocol.js'

export interface Limits {
  /** Limit in milliseconds of the processor time of a task. */
  readonly timeLimit: number
  /** Limit in mebibytes of the memory of a worker. */
  readonly memoryLimit: number
  /** Limit of the levels of arrays and objects in a JSON document. */
  readonly depthLimit: number
}

export function timeLimitAnswer(limits: Limits): Answer {
  return verdict(`Checking it took longer than ${limits.timeLimit} ms and was stopped.`)
}

export function tooBig(limits: Limits): Answer {
  return verdict(`Checking it needs more than ${limits.memoryLimit} MiB of memory and was stopped.`)
}

export function verdict(message: string): Answer {
  return { kind: 'findings', findings: [{ message }] }
}
