import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LRUCache } from 'lru-cache'
import { childEnvironment, crashSignals } from '../../core/child-processes.js'
import type { XmlEngineName } from '../xml/xsd-engine.js'
import {
  type Job,
  type Limits,
  outOfMemory,
  type Task,
  type WorkerReport,
  type WorkerSettings,
} from './task-protocol.js'
import { busyFactor, loadingTime } from './time-limit.js'

/** Number of compilations after which a worker is replaced: libxml2 and ajv never free compiled schemas completely. */
const maxCompilations = 1000
/** Number of tasks after which a worker with libxmljs2 is replaced: the library leaks memory on bad schemas. */
const maxNativeTasks = 1000
/** Milliseconds beyond the time limit after which a worker is killed: it cannot interrupt the compiler of V8. */
const grace = 1000
/** Milliseconds between two checks of the memory of a worker with libxmljs2. */
const memoryInterval = 100
/** Limit of the bundles that are remembered as sent to a worker. The worker keeps fewer. */
const maxSent = 1000
const pageSize = 4096
/** Limit of the young generation of a worker: with the default of 16, it grows by 20 MB under load and is no faster. */
const semiSpaceMiB = 4
/** Exit code of a process whose heap was exhausted, on systems without signals. */
const abortCode = 134

/** The reason why a worker process ended. */
export type End =
  | { readonly why: 'late' | 'out of memory' }
  | { readonly why: 'crash'; readonly how: string }
  /** Another process ended the worker, or the worker did not start. */
  | { readonly why: 'lost'; readonly how: string }
  /** The XML engine of the worker cannot be loaded. */
  | { readonly why: 'unusable'; readonly how: string }

export type Answers = Extract<WorkerReport, { kind: 'answers' }>

interface WorkerEvents {
  /** Called when the worker is idle: after its start, and after each list of answers. */
  ready(answers: Answers | undefined): void
  /** Called once, when the worker process has ended. */
  ended(end: End): void
}

/** A child process that carries out one list of tasks at a time. */
export interface WorkerProcess {
  /** Whether the worker must not get further tasks. */
  readonly isSpent: boolean
  /** Whether the worker had no tasks before its current ones. */
  readonly isFresh: boolean
  /** Whether the bundle was sent to the worker, which may have dropped it since. */
  knows(key: string): boolean
  /** Notes that the worker has dropped the bundle. */
  forget(key: string): void
  /** Sends tasks, without the bundles that the worker knows. */
  give(job: Job): void
  /** Ends the worker without a call of {@link WorkerEvents.ended}. */
  end(): Promise<void>
}

interface WorkerOptions extends Omit<WorkerSettings, 'memory' | 'depth' | 'folder'> {
  readonly limits: Limits
  readonly engine: XmlEngineName
}

/** Starts a worker. An idle worker does not keep this process alive. @throws Error if it cannot be started */
export function startWorker(options: WorkerOptions, events: WorkerEvents): WorkerProcess {
  const isNative = options.engine === 'libxmljs2'
  const folder = isNative ? mkdtempSync(join(tmpdir(), 'git-metastore-xsd-')) : undefined
  const child = forkWorker(options, folder)
  const sent = new LRUCache<string, true>({ max: maxSent })
  let tasks = 0
  let earlierTasks = 0
  let compilations = 0
  let isMarkedSpent = false
  let hasEnded = false
  let stopped: 'late' | 'out of memory' | undefined

  function stop(why: 'late' | 'out of memory'): void {
    stopped = why
    child.kill('SIGKILL')
  }
  const jobLimits = openJobLimits(child, options, stop)

  function rest(): void {
    jobLimits.end()
    child.unref()
    child.channel?.unref()
  }

  function end(how: End): void {
    rest()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    if (hasEnded) return
    hasEnded = true
    events.ended(how)
  }

  child.on('message', (report: WorkerReport) => {
    if (report.kind === 'unusable') {
      end({ why: 'unusable', how: report.message })
      child.kill('SIGKILL')
      return
    }
    rest()
    if (report.kind === 'answers') {
      compilations += report.compilations
      isMarkedSpent ||= report.isSpent
    }
    if (!hasEnded) events.ready(report.kind === 'answers' ? report : undefined)
  })
  // The worker did not start, or it has ended and its exit is not reported yet.
  child.on('error', error => {
    end({ why: 'lost', how: error.message })
    child.kill('SIGKILL')
  })
  const exit = new Promise<void>(resolve => {
    child.once('exit', (code, signal) => {
      end(stopped ? { why: stopped } : endOf(code, signal))
      resolve()
    })
  })

  return {
    get isSpent() {
      return isMarkedSpent || compilations >= maxCompilations || (isNative && tasks >= maxNativeTasks)
    },
    get isFresh() {
      return earlierTasks === 0
    },
    knows: key => sent.has(key),
    forget: key => sent.delete(key),
    give({ tasks: list, stops }) {
      earlierTasks = tasks
      tasks += list.length
      child.ref()
      child.channel?.ref()
      jobLimits.begin(stops)
      child.send({ tasks: list.map(task => withoutKnown(task, sent)), stops } satisfies Job)
    },
    async end() {
      hasEnded = true
      child.ref()
      child.kill('SIGKILL')
      await exit
    },
  }
}

/** Milliseconds after which the worker is killed. It stops by itself before that, except with libxmljs2. */
function maxDuration({ engine, timeLimit }: WorkerOptions, stops: number): number {
  if (engine === 'libxmljs2') return timeLimit
  return (timeLimit + loadingTime) * busyFactor(timeLimit, stops) + grace
}

function forkWorker(
  { limits, timeLimit, niceness }: WorkerOptions,
  folder: string | undefined,
): ChildProcess {
  const settings: WorkerSettings = {
    memory: limits.memoryLimit * 2 ** 20,
    depth: limits.depthLimit,
    timeLimit,
    niceness,
    ...(folder !== undefined && { folder }),
  }
  const script = fileURLToPath(new URL('./validation-process-entry.js', import.meta.url))
  return fork(script, [JSON.stringify(settings)], {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${limits.memoryLimit}`, `--max-semi-space-size=${semiSpaceMiB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Without this variable libxml2 reads the catalogue of the system.
    env: { ...childEnvironment(), XML_CATALOG_FILES: ' ' },
  })
}

function endOf(code: number | null, signal: NodeJS.Signals | null): End {
  const how = `it ended with ${signal ?? code}`
  if (code === outOfMemory || code === abortCode || signal === 'SIGABRT') return { why: 'out of memory' }
  return { why: signal === null || crashSignals.has(signal) ? 'crash' : 'lost', how }
}

function withoutKnown(task: Task, sent: LRUCache<string, true>): Task {
  if (task.kind === 'references') return task
  const key = task.kind === 'check' ? task.bundle.key : task.key
  const isKnown = task.kind === 'validate' && sent.has(key)
  sent.set(key, true)
  return isKnown ? { ...task, bundle: undefined } : task
}

/** Stops a worker whose job exceeds the limits on time and memory. */
function openJobLimits(
  { pid }: ChildProcess,
  options: WorkerOptions,
  stop: (why: 'late' | 'out of memory') => void,
): { begin(stops: number): void; end(): void } {
  let timer: NodeJS.Timeout | undefined
  let watch: NodeJS.Timeout | undefined
  return {
    begin(stops) {
      timer = setTimeout(() => stop('late'), maxDuration(options, stops))
      if (options.engine !== 'libxmljs2') return
      const before = memoryOf(pid)
      watch = setInterval(() => {
        if (memoryOf(pid) - before > options.limits.memoryLimit * 2 ** 20) stop('out of memory')
      }, memoryInterval)
    },
    end() {
      clearTimeout(timer)
      clearInterval(watch)
    },
  }
}

/** Resident memory of a process in bytes; 0 if the system does not tell. */
function memoryOf(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageSize
  } catch (error) {
    // No /proc, or the process has just ended.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0
    throw error
  }
}
