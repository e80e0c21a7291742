import { LRUCache } from 'lru-cache'
import type { Work } from '../validator.js'
import type { XmlEngineName } from '../xml/xsd-engine.js'
import { openProcessPool } from './process-pool.js'
import { type Limits, timeLimitAnswer } from './task-limits.js'
import type { Answer, Task } from './task-protocol.js'

/** Milliseconds of processor time after which a task is slow. */
const quickLimit = 100
/** Milliseconds for which a client's tasks with a schema go to the slow lane, after one of them was slow. */
const slowMemory = 60_000
/** Pairs of client and schema that are remembered as slow, and schemas that are remembered as quick. */
const mostRemembered = 10_000
/** Added to the niceness of the workers for slow tasks: quick ones and the server go first. */
const slowNiceness = 10

export interface LanesOptions {
  readonly limits: Limits
  readonly engine: XmlEngineName
  /** Workers for quick tasks. */
  readonly workers: number
}

/** Runs tasks in worker processes. Slow tasks have workers of their own, so that quick ones never wait for them. */
export interface Lanes {
  /**
   * @param key of the schema
   * @returns a finding where a limit was exceeded
   * @throws ProblemError as {@link Lane.run}
   */
  run(task: Task, key: string, work: Work): Promise<Answer>
  /** Worker processes there are. */
  workers(): number
  /** Ends the workers. Only to be called when no task is running. */
  close(): Promise<void>
}

/**
 * Every task is tried in the quick lane, and begun again in the slow one where it takes longer than {@link quickLimit}.
 * The try is left out for a schema that was slow for the client a short time ago, and for a schema not known as quick
 * while other tasks of the client wait in the slow lane.
 */
export function openLanes({ limits, engine, workers }: LanesOptions): Lanes {
  const { timeLimit } = limits
  const slowWorkers = Math.max(1, workers - 1)
  const quick = openProcessPool({
    limits,
    engine,
    workers,
    timeLimit: Math.min(quickLimit, timeLimit),
    niceness: 0,
  })
  const slow = openProcessPool({ limits, engine, workers: slowWorkers, timeLimit, niceness: slowNiceness })
  const slowBefore = new LRUCache<string, true>({ max: mostRemembered, ttl: slowMemory })
  const knownQuick = new LRUCache<string, true>({ max: mostRemembered })

  function isTried(key: string, pair: string, client: string): boolean {
    if (slowBefore.has(pair)) return false
    return knownQuick.has(key) || slow.waiting(client) < slowWorkers + slow.starting()
  }

  return {
    async run(task, key, work) {
      const pair = `${work.client}\n${key}`
      if (isTried(key, pair, work.client)) {
        const answer = await quick.run(task, work, !knownQuick.has(key))
        if (answer !== 'late') {
          // A schema that compiles quickly may take long with a document.
          if (task.kind === 'validate') knownQuick.set(key, true)
          return answer
        }
        knownQuick.delete(key)
        if (timeLimit <= quickLimit) return timeLimitAnswer(limits)
        slowBefore.set(pair, true)
      }
      const answer = await slow.run(task, work, false)
      return answer === 'late' ? timeLimitAnswer(limits) : answer
    },
    workers: () => quick.workers() + slow.workers(),
    async close() {
      await Promise.all([quick.close(), slow.close()])
    },
  }
}
