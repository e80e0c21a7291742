import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { FixedQueue, Piscina } from 'piscina'
import { type Line, openLine } from '../core/line.js'
import { youngGeneration } from '../core/threads.js'
import { type Outcome, openGroups } from './groups.js'
import type { Limits, Runner } from './limits.js'
import { tooBig, tooLong } from './limits.js'
import {
  type Answer,
  beganAt,
  type Job,
  newProgress,
  outOfMemory,
  type Progress,
  placeOf,
  type Task,
  takeBack,
} from './protocol.js'
import type { WorkerSettings } from './worker.js'

/** Compilations after which a worker's memory is given back: compiled schemas are never freed completely. */
const compilationsPerWorker = 1000

/** Milliseconds after which tasks no longer wait behind the one that runs. */
const slow = 100

interface Call {
  readonly progress: Progress
  readonly stop: AbortController
  /** Why it was stopped; `again`: for no reason of its own, before it began. */
  end?: Answer | Error | 'again'
}

/** Worker threads of one age; they are replaced together. */
interface Generation {
  readonly pool: Piscina<Job, readonly Answer[]>
  readonly calls: Line<Call>
  compilations: number
  /** Whether one of its workers has begun a task: then they can start. */
  works: boolean
  retired: boolean
}

/** Runs tasks in worker threads, which start with the first one and do not keep the process alive while idle. */
export function openThreads(limits: Limits): Runner {
  const workers = limits.workers ?? Math.max(1, availableParallelism())
  const endings = new Set<Promise<void>>()
  let current: Generation | undefined

  function start(): Generation {
    const pool = new Piscina<Job, readonly Answer[]>({
      filename: fileURLToPath(new URL('./worker.js', import.meta.url)),
      name: 'work',
      // As many from the start as there may be: piscina replaces a lost worker only up to the minimum.
      minThreads: workers,
      maxThreads: workers,
      taskQueue: new FixedQueue(),
      recordTiming: false,
      env: {},
      resourceLimits: {
        maxOldGenerationSizeMb: limits.memoryLimit,
        maxYoungGenerationSizeMb: youngGeneration,
      },
      workerData: {
        memory: limits.memoryLimit * 2 ** 20,
        depth: limits.depthLimit,
      } satisfies WorkerSettings,
    })
    const generation: Generation = { pool, calls: openLine(), compilations: 0, works: false, retired: false }
    // A worker that could not start at all, and what waits for one would wait for ever; or one that was stopped while
    // its memory ran out, which only then is told.
    pool.on('error', (error: Error) => {
      const reason = generation.works && isOutOfMemory(error) ? 'again' : error
      for (const call of generation.calls) if (beganAt(call.progress) === 0) end(call, reason)
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

  async function attempt(tasks: readonly Task[], handBack: (from: number) => void): Promise<Outcome> {
    current ??= start()
    const generation = current
    const progress = newProgress(tasks.length)
    const call: Call = { progress, stop: new AbortController() }
    const leave = generation.calls.join(call)
    const usual = Math.min(slow, limits.timeLimit)
    let whole = tasks.length > 1
    let timer = setTimeout(look, usual)
    function look(): void {
      // Waiting for a worker is not counted: the worker notes when it began.
      const began = beganAt(progress)
      const age = began === 0 ? 0 : Date.now() - began
      if (age >= limits.timeLimit) {
        end(call, tooLong(limits))
        return
      }
      if (whole && age >= usual) {
        whole = false
        handBack(takeBack(progress))
      }
      timer = setTimeout(look, whole ? usual : limits.timeLimit - age)
    }
    try {
      const { tasks: packed, buffer } = pack(tasks)
      const answers = await generation.pool.run(
        { tasks: packed, progress },
        { signal: call.stop.signal, transferList: [buffer] },
      )
      for (const answer of answers) generation.compilations += answer.compilations
      return { answers }
    } catch (error) {
      const at = placeOf(progress)
      if (call.end === 'again') return attempt(tasks, handBack)
      if (call.end instanceof Error) throw call.end
      if (call.end) return { answers: [], lost: { at, verdict: call.end } }
      if (isOutOfMemory(error)) return { answers: [], lost: { at, verdict: 'out of memory' } }
      throw error
    } finally {
      clearTimeout(timer)
      leave()
      if (beganAt(progress) > 0) generation.works = true
      if (generation.retired || generation.compilations >= compilationsPerWorker * workers) retire(generation)
    }
  }

  return {
    run: openGroups({ workers, attempt, tooBig: tooBig(limits) }),
    workers: () => current?.pool.threads.length ?? 0,
    async close() {
      if (current) retire(current)
      await Promise.all(endings)
    },
  }
}

/**
 * Copies the documents into one buffer that can be given away: cloned, each would be copied twice. The tasks as they
 * were stay whole, as they may have to be handed out again.
 */
function pack(tasks: readonly Task[]): { readonly tasks: readonly Task[]; readonly buffer: ArrayBuffer } {
  const documentOf = (task: Task) => (task.kind === 'check' ? undefined : task.document)
  const buffer = new ArrayBuffer(tasks.reduce((sum, task) => sum + (documentOf(task)?.byteLength ?? 0), 0))
  let at = 0
  const packed = tasks.map(task => {
    const bytes = documentOf(task)
    if (!bytes) return task
    const document = new Uint8Array(buffer, at, bytes.byteLength)
    document.set(bytes)
    at += bytes.byteLength
    return { ...task, document }
  })
  return { tasks: packed, buffer }
}

function end(call: Call, reason: Answer | Error | 'again'): void {
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
