import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { FixedQueue, Piscina } from 'piscina'
import type { Limits, Runner } from './limits.js'
import { tooBig, tooLong } from './limits.js'
import { type Answer, type Job, outOfMemory, type Task } from './protocol.js'
import type { WorkerSettings } from './worker.js'

/** Compilations after which a worker's memory is given back: compiled schemas are never freed completely. */
const compilationsPerWorker = 1000

interface Call {
  readonly began: BigInt64Array
  readonly stop: AbortController
  /** Why it was stopped. */
  end?: Answer | Error
}

/** Worker threads of one age; they are replaced together. */
interface Generation {
  readonly pool: Piscina<Job, Answer>
  readonly calls: Set<Call>
  compilations: number
  retired: boolean
}

/** Runs tasks in worker threads, which start with the first one and do not keep the process alive while idle. */
export function openThreads(limits: Limits): Runner {
  const workers = limits.workers ?? Math.max(1, availableParallelism())
  const endings = new Set<Promise<void>>()
  let current: Generation | undefined

  function start(): Generation {
    const pool = new Piscina<Job, Answer>({
      filename: fileURLToPath(new URL('./worker.js', import.meta.url)),
      name: 'work',
      // As many from the start as there may be: piscina replaces a lost worker only up to the minimum.
      minThreads: workers,
      maxThreads: workers,
      taskQueue: new FixedQueue(),
      recordTiming: false,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryLimit },
      workerData: { memory: limits.memoryLimit * 2 ** 20 } satisfies WorkerSettings,
    })
    const generation: Generation = { pool, calls: new Set(), compilations: 0, retired: false }
    // A worker that could not start at all; what waits for one would wait for ever.
    pool.on('error', (error: Error) => {
      for (const call of generation.calls) if (Atomics.load(call.began, 0) === 0n) end(call, error)
      retire(generation)
    })
    return generation
  }

  function retire(generation: Generation): void {
    generation.retired = true
    if (current === generation) current = undefined
    if (generation.calls.size > 0) return
    const ending = generation.pool.destroy().finally(() => endings.delete(ending))
    endings.add(ending)
  }

  async function attempt(task: Task): Promise<Answer | 'out of memory'> {
    current ??= start()
    const generation = current
    const call: Call = { began: new BigInt64Array(new SharedArrayBuffer(8)), stop: new AbortController() }
    generation.calls.add(call)
    let timer = setTimeout(look, limits.timeLimit)
    function look(): void {
      // Waiting for a worker is not counted: the worker notes when it began.
      const began = Number(Atomics.load(call.began, 0))
      const left = began === 0 ? limits.timeLimit : began + limits.timeLimit - Date.now()
      if (left <= 0) end(call, tooLong(limits))
      else timer = setTimeout(look, left)
    }
    try {
      const answer = await generation.pool.run({ task, began: call.began }, { signal: call.stop.signal })
      generation.compilations += answer.compilations
      return answer
    } catch (error) {
      if (call.end instanceof Error) throw call.end
      if (call.end) return call.end
      if (isOutOfMemory(error)) return 'out of memory'
      throw error
    } finally {
      clearTimeout(timer)
      generation.calls.delete(call)
      if (generation.retired || generation.compilations >= compilationsPerWorker * workers) retire(generation)
    }
  }

  return {
    async run(task) {
      const first = await attempt(task)
      // Schemas compiled before may have used the memory up; a second worker starts with none of them.
      const answer = first === 'out of memory' ? await attempt(task) : first
      return answer === 'out of memory' ? tooBig(limits) : answer
    },
    async close() {
      if (current) retire(current)
      await Promise.all(endings)
    },
  }
}

function end(call: Call, reason: Answer | Error): void {
  call.end = reason
  call.stop.abort()
}

function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ||
    error.message === `worker exited with code: ${outOfMemory}`
  )
}
