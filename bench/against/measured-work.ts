import { setTimeout as sleep } from 'node:timers/promises'
import { type Load, type LoadRequest, type LoadResult, rateOf } from '../load/load-generator.js'
import { canLook, memoryOfAll, processorTimeOfAll } from '../support/process-memory.js'
import type { Server } from '../support/server-process.js'
import { quantile } from '../support/statistics.js'
import type { Figures } from './comparison.js'

/** Requests of one kind. */
export interface Work {
  /** Name of its rows. */
  readonly row: string
  readonly clients: number
  /** Milliseconds that a client waits between an answer and its next request; default: 0. */
  readonly pause?: number
  /** Rate per second on a small machine, from which the number of requests follows. */
  readonly usualRate: number
  /** Whether the first requests after a start have a row of their own. */
  readonly cold: boolean
  /** Whether servers have work to do after the answers. */
  readonly isUpdate: boolean
  /** @param count number of requests that are sent; fewer are sent several times */
  requests(count: number): Iterable<LoadRequest>
}

/** Numbers of requests of some work: cold, not counted, and warm. */
export interface Counts {
  readonly cold: number
  readonly between: number
  readonly warm: number
}

/** The rows that some work gives. */
export const rowsOf = ({ row, cold }: Work): readonly string[] =>
  cold ? [`${row}, cold`, `${row}, warm`] : [row]

/** @param seconds length of the warm part on a small machine */
export function countsOf({ usualRate, pause = 0, cold }: Work, seconds: number): Counts {
  const warm = Math.max(10, Math.round(usualRate * seconds))
  return {
    cold: cold ? Math.max(10, Math.round(warm / 10)) : 0,
    between: pause > 0 ? 2 : Math.round(warm / 2),
    warm,
  }
}

/**
 * Sends the requests of some work.
 * @param different number of its prepared requests
 * @returns the figures of its wanted rows
 */
export async function measureWork(
  load: Load,
  server: Server,
  work: Work,
  { cold, between, warm }: Counts,
  different: number,
  isWanted: (row: string) => boolean,
): Promise<ReadonlyMap<string, Figures>> {
  const { row, clients, pause = 0, isUpdate } = work
  const { port, pid } = server
  async function send(from: number, to: number): Promise<LoadResult> {
    const order = Uint32Array.from({ length: to - from }, (_, index) => (from + index) % different)
    return await load.run(row, { port, clients, pause, order })
  }
  async function counted(from: number, to: number): Promise<Figures> {
    await untilQuiet(pid, isUpdate)
    const before = canLook ? processorTimeOfAll(pid) : Number.NaN
    const result = await send(from, to)
    await untilQuiet(pid, isUpdate)
    const used = canLook ? processorTimeOfAll(pid) - before : Number.NaN
    return {
      rate: rateOf(result),
      p50: quantile(result.latencies, 0.5),
      p99: quantile(result.latencies, 0.99),
      cpu: used / (to - from),
      ...(canLook && { memory: memoryOfAll(pid) }),
    }
  }

  const figures = new Map<string, Figures>()
  const [ofCold = '', ofWarm = ofCold] = rowsOf(work)
  for (const [name, from, to] of [
    [ofCold, 0, cold],
    ['', cold, cold + between],
    [ofWarm, cold + between, cold + between + warm],
  ] as const) {
    if (name !== '' && to > from && isWanted(name)) figures.set(name, await counted(from, to))
    else if (to > from) await send(from, to)
  }
  return figures
}

/** Milliseconds between two looks. */
const interval = 250
/** Number of quiet looks in a row that are enough after updates, and after reads. */
const enough = { updates: 5, reads: 1 }
/** Milliseconds of processor time of a quiet server between two looks. */
const quiet = 10
/** Milliseconds after which a server counts as quiet although it has work. */
const longest = 10_000

/**
 * Waits until a server has no work, so that the work that follows a request counts, too. Without /proc it waits a
 * moment.
 * @param afterUpdates whether work may begin a moment after the last answer
 */
export async function untilQuiet(pid: number, afterUpdates = true): Promise<void> {
  const looks = afterUpdates ? enough.updates : enough.reads
  if (!canLook) return await sleep(interval * looks)
  const end = performance.now() + longest
  let before = processorTimeOfAll(pid)
  for (let calm = 0; calm < looks && performance.now() < end; ) {
    await sleep(interval)
    const now = processorTimeOfAll(pid)
    calm = now - before <= quiet ? calm + 1 : 0
    before = now
  }
}
