import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LRUCache } from 'lru-cache'
import { childEnvironment } from '../../core/child-environment.js'
import { crashSignals } from '../../core/crash-signals.js'
import type { XmlEngineName } from '../xml/xsd-engine.js'
import type { Limits } from './task-limits.js'
import { type Job, outOfMemory, type Report, type Task, type WorkerSettings } from './task-protocol.js'
import { loadingTime, longestWait } from './time-limit.js'

/** Compilations after which a worker is replaced: libxml2 and ajv never free compiled schemas completely. */
const mostCompilations = 1000
/** Tasks after which a worker with libxmljs2 is replaced: it compiles at every call and leaks on bad schemas. */
const mostNativeTasks = 1000
/** Milliseconds a worker may be late, beyond its time limit, before it is ended: V8 compiles without interruption. */
const grace = 1000
/** Milliseconds between two looks at the memory of a worker with libxmljs2. */
const memoryInterval = 100
/** Bundles that are remembered as sent to one worker. It keeps fewer. */
const mostSent = 1000
const pageSize = 4096
/** Exit code of a process whose heap was exhausted, where the system has no signals. */
const abortCode = 134
/** Why a worker process ended. */
export type End =
  | { readonly why: 'late' | 'out of memory' }
  /** It crashed. */
  | { readonly why: 'crash'; readonly how: string }
  /** Another process ended it, or it could not be started. */
  | { readonly why: 'lost'; readonly how: string }
  /** Its engine cannot be loaded. */
  | { readonly why: 'unusable'; readonly how: string }

export type Answers = Extract<Report, { kind: 'answers' }>

export interface WorkerEvents {
  /** It waits for tasks: after its start, and after each list of answers. */
  ready(answers: Answers | undefined): void
  /** Called once. */
  ended(end: End): void
}

/** A child process that carries out one list of tasks at a time. */
export interface WorkerProcess {
  /** It must not be given further tasks. */
  readonly isSpent: boolean
  /** It had no tasks before those it has now. */
  readonly isFresh: boolean
  /** The bundle was sent to it. It may have dropped it since. */
  knows(key: string): boolean
  /** It has said that it dropped the bundle. */
  forget(key: string): void
  /** Bundles the worker knows are left out. */
  give(job: Job): void
  /** Ends it without {@link WorkerEvents.ended}. */
  end(): Promise<void>
}

export interface WorkerOptions extends Omit<WorkerSettings, 'memory' | 'depth' | 'folder'> {
  readonly limits: Limits
  readonly engine: XmlEngineName
}

/** While it is idle it does not keep this process alive. @throws Error where it cannot be started */
export function startWorker(options: WorkerOptions, events: WorkerEvents): WorkerProcess {
  const { limits, engine, timeLimit, niceness } = options
  const isNative = engine === 'libxmljs2'
  const folder = isNative ? mkdtempSync(join(tmpdir(), 'git-metastore-xsd-')) : undefined
  const settings: WorkerSettings = {
    memory: limits.memoryLimit * 2 ** 20,
    depth: limits.depthLimit,
    timeLimit,
    niceness,
    ...(folder !== undefined && { folder }),
  }
  const child = fork(
    fileURLToPath(new URL('./process-entry.js', import.meta.url)),
    [JSON.stringify(settings)],
    {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${limits.memoryLimit}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Without it libxml2 reads the catalogue of the system.
      env: { ...childEnvironment(), XML_CATALOG_FILES: ' ' },
    },
  )
  const sent = new LRUCache<string, true>({ max: mostSent })
  /** Milliseconds until the worker is ended. It stops by itself before, except for libxmljs2. */
  const longest = (isRepeated: boolean) =>
    isNative ? timeLimit : (timeLimit + loadingTime) * (isRepeated ? longestWait : 1) + grace
  let tasks = 0
  let earlierTasks = 0
  let compilations = 0
  let isMarkedSpent = false
  let hasEnded = false
  let stopped: 'late' | 'out of memory' | undefined
  let timer: NodeJS.Timeout | undefined
  let watch: NodeJS.Timeout | undefined
  let resolveExit: () => void = () => undefined
  const exit = new Promise<void>(resolve => {
    resolveExit = resolve
  })

  function rest(): void {
    clearTimeout(timer)
    clearInterval(watch)
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

  function stop(why: 'late' | 'out of memory'): void {
    stopped = why
    child.kill('SIGKILL')
  }

  child.on('message', (report: Report) => {
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
  // It could not be started, or it has ended and its exit has not been reported yet.
  child.on('error', error => {
    end({ why: 'lost', how: error.message })
    child.kill('SIGKILL')
  })
  child.once('exit', (code, signal) => {
    const how = `it ended with ${signal ?? code}`
    if (stopped) end({ why: stopped })
    else if (code === outOfMemory || code === abortCode || signal === 'SIGABRT') end({ why: 'out of memory' })
    else if (signal === null || crashSignals.has(signal)) end({ why: 'crash', how })
    else end({ why: 'lost', how })
    resolveExit()
  })

  return {
    get isSpent() {
      return isMarkedSpent || compilations >= mostCompilations || (isNative && tasks >= mostNativeTasks)
    },
    get isFresh() {
      return earlierTasks === 0
    },
    knows: key => sent.has(key),
    forget: key => sent.delete(key),
    give({ tasks: list, isRepeated }) {
      earlierTasks = tasks
      tasks += list.length
      child.ref()
      child.channel?.ref()
      timer = setTimeout(() => stop('late'), longest(isRepeated))
      if (isNative) {
        const before = memoryOf(child.pid)
        watch = setInterval(() => {
          if (memoryOf(child.pid) - before > limits.memoryLimit * 2 ** 20) stop('out of memory')
        }, memoryInterval)
      }
      child.send({ tasks: list.map(task => withoutKnown(task, sent)), isRepeated } satisfies Job)
    },
    async end() {
      hasEnded = true
      child.ref()
      child.kill('SIGKILL')
      await exit
    },
  }
}

function withoutKnown(task: Task, sent: LRUCache<string, true>): Task {
  if (task.kind === 'references') return task
  const key = task.kind === 'check' ? task.bundle.key : task.key
  const isKnown = task.kind === 'validate' && sent.has(key)
  sent.set(key, true)
  return isKnown ? { ...task, bundle: undefined } : task
}

/** Bytes of memory a process holds, 0 where the system does not tell. */
function memoryOf(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageSize
  } catch (error) {
    // No /proc, or the process has just ended.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0
    throw error
  }
}
