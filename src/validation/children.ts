import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProblemError } from '../core/problem.js'
import type { Greeting } from './child.js'
import { type Limits, type Runner, tooBig, tooLong, verdict } from './limits.js'
import { type Answer, outOfMemory, type Task } from './protocol.js'
import type { XmlEngineName } from './xml-engine.js'

/** Tasks after which a child is replaced: libxmljs2 compiles at every call and leaks on bad schemas. */
const tasksPerChild = 1000
/** Milliseconds between two looks at the memory of a child. */
const lookEvery = 100
const pageSize = 4096
/** Exit code of a process whose heap was exhausted, where the system has no signals. */
const abortCode = 134
/** How a process ends by what it does itself; any other signal is somebody else's. @see signal(7) */
const crashes: ReadonlySet<string> = new Set([
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGSYS',
  'SIGTRAP',
])
/** Children that may be lost with a task, for no fault of its own, until it is given up. */
const mostLosses = 2

interface Call {
  readonly task: Task
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
  /** Children that were lost with it, for no fault of its own. */
  losses: number
}

interface Child {
  readonly process: ChildProcess
  /** What it may write to; the engine libxmljs2 needs it. */
  readonly folder: string | undefined
  readonly ended: Promise<void>
  ready: boolean
  tasks: number
  call: Call | undefined
  /** Ends the watch over the running call. */
  release: () => void
  /** What is answered to the running call when the child ends. */
  verdict: Answer | undefined
}

/**
 * Runs tasks in child processes, started when they are needed: what takes a process down takes that one only. A task
 * whose process somebody else ends is given to another one, and fails with `unavailable` where that is ended too. The
 * native memory of libxmljs2 is watched where there is a `/proc`.
 * @throws ProblemError `unusable-repository` where the engine is libxmljs2 and not installed
 */
export function openChildren(limits: Limits, engine: XmlEngineName): Runner {
  const isNative = engine === 'libxmljs2'
  if (isNative) requireLibrary()
  const most = limits.workers ?? Math.max(1, availableParallelism())
  const children = new Set<Child>()
  const waiting: Call[] = []

  function start(): void {
    const folder = isNative ? mkdtempSync(join(tmpdir(), 'git-metastore-xsd-')) : undefined
    const args = [
      `${limits.memoryLimit * 2 ** 20}`,
      `${limits.depthLimit}`,
      ...(folder === undefined ? [] : [folder]),
    ]
    const process = fork(fileURLToPath(new URL('./child.js', import.meta.url)), args, {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${limits.memoryLimit}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: childEnvironment(),
    })
    const { promise: ended, resolve } = withResolvers()
    const child: Child = {
      process,
      folder,
      ended,
      ready: false,
      tasks: 0,
      call: undefined,
      release: () => undefined,
      verdict: undefined,
    }
    children.add(child)
    process.on('message', (message: Answer | Greeting) => {
      if (message.kind === 'ready') {
        child.ready = true
        idle(child)
      } else if (message.kind === 'unusable') {
        const error = unusable(message.message)
        for (const call of waiting.splice(0)) call.reject(error)
        process.kill('SIGKILL')
      } else answered(child, message)
    })
    // It could not be started, or has ended and nobody has said so yet.
    process.on('error', error => {
      failed(child, error.message)
      process.kill('SIGKILL')
    })
    process.once('exit', (code, signal) => {
      const how = `it ended with ${signal ?? code}`
      if (code === outOfMemory || code === abortCode || signal === 'SIGABRT') child.verdict ??= tooBig(limits)
      else if (signal === null || crashes.has(signal))
        child.verdict ??= verdict(`The validator broke down on it (${how}).`)
      failed(child, how)
      resolve()
    })
  }

  function idle(child: Child): void {
    if (isSpent(child)) {
      child.process.kill('SIGKILL')
      return
    }
    const call = waiting.shift()
    if (call) {
      give(child, call)
    } else {
      // An idle child must not keep the process alive.
      child.process.unref()
      child.process.channel?.unref()
    }
  }

  function give(child: Child, call: Call): void {
    child.process.ref()
    child.process.channel?.ref()
    child.call = call
    child.tasks++
    const stop = (answer: Answer) => {
      child.verdict = answer
      child.process.kill('SIGKILL')
    }
    const timer = setTimeout(() => stop(tooLong(limits)), limits.timeLimit)
    const watch = isNative ? watchMemory(child.process, () => stop(tooBig(limits))) : undefined
    child.release = () => {
      clearTimeout(timer)
      clearInterval(watch)
    }
    child.process.send(call.task)
  }

  function watchMemory(process: ChildProcess, exceeded: () => void): NodeJS.Timeout {
    const before = memoryOf(process)
    return setInterval(() => {
      if (memoryOf(process) - before > limits.memoryLimit * 2 ** 20) exceeded()
    }, lookEvery)
  }

  function answered(child: Child, answer: Answer): void {
    const { call } = child
    child.release()
    child.call = undefined
    call?.resolve(answer)
    idle(child)
  }

  /** A child that ended, whatever the reason. Called again for an end that was seen before, it does nothing. */
  function failed(child: Child, how: string): void {
    if (!children.delete(child)) return
    child.release()
    if (child.folder !== undefined) rmSync(child.folder, { recursive: true, force: true })
    // One that never got as far as to be given anything was started for who waits longest.
    const call = child.ready ? child.call : waiting.shift()
    child.call = undefined
    if (call && child.ready && child.verdict) call.resolve(child.verdict)
    else if (call && ++call.losses < mostLosses) waiting.unshift(call)
    else call?.reject(cannotCheck(how))
    fill()
  }

  function fill(): void {
    const starting = [...children].filter(child => !child.ready).length
    if (waiting.length <= starting || children.size >= most) return
    try {
      start()
    } catch (error) {
      const reason = cannotCheck(error instanceof Error ? error.message : String(error))
      for (const call of waiting.splice(0)) call.reject(reason)
    }
  }

  return {
    run(task) {
      return new Promise((resolve, reject) => {
        const call: Call = { task, resolve, reject, losses: 0 }
        const free = [...children].find(child => child.ready && !child.call && !isSpent(child))
        if (free) give(free, call)
        else {
          waiting.push(call)
          fill()
        }
      })
    },
    workers: () => children.size,
    async close() {
      const ends = [...children].map(child => child.ended)
      for (const child of children) {
        child.process.ref()
        child.process.kill('SIGKILL')
      }
      await Promise.all(ends)
    },
  }
}

function isSpent(child: Child): boolean {
  return child.tasks >= tasksPerChild
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>(done => {
    resolve = done
  })
  return { promise, resolve }
}

/** Nothing of the parent's environment is the library's business; a catalogue of the system would be read. */
function childEnvironment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env
  return { XML_CATALOG_FILES: ' ', ...(SystemRoot === undefined ? {} : { SystemRoot }) }
}

function requireLibrary(): void {
  try {
    import.meta.resolve('libxmljs2')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw unusable('it is not installed')
  }
}

function unusable(reason: string): ProblemError {
  return new ProblemError(
    'unusable-repository',
    `The XML engine libxmljs2 cannot be used: ${reason}. Install it as docs/configuration.md says (it needs a compiler), or use the default engine libxml2-wasm.`,
  )
}

function cannotCheck(how: string): ProblemError {
  const message = `The process that was to check it failed (${how}). Try again later.`
  return new ProblemError('unavailable', message, { retryAfter: 5 })
}

/** Bytes of memory a process holds, 0 where the system does not tell. */
function memoryOf({ pid }: ChildProcess): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageSize
  } catch (error) {
    // No /proc, or the process has just ended.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0
    throw error
  }
}
