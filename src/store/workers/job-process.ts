import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../core/child-processes.js'
import { isReady, type JobAnswer } from './job-loop.js'
import { type Asked, settle } from './worker-thread.js'

/**
 * A child process that runs jobs one after another. It is for work that cannot be interrupted: only the whole process
 * can be ended meanwhile. An idle child process does not keep this process alive.
 */
export interface JobProcess<Job, Result> {
  /** Starts the process, unless it is running, and waits until it takes jobs. @throws ProcessEnded */
  start(): Promise<void>
  /**
   * Runs a job. Call it only when no other job runs.
   * @throws what the job threw: a ProblemError, or an Error with its `code`; {@link ProcessEnded}
   */
  run(job: Job): Promise<Result>
  /** Ends the process at once, even during a job. The next call of `start` or `run` makes another process. */
  end(): Promise<void>
}

/** A process ended instead of answering. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded'
}

/** A process that runs. */
interface Started<Result> {
  readonly child: ChildProcess
  readonly ready: Promise<void>
  readonly ended: Promise<ProcessEnded>
  asked: Asked<Result> | undefined
  isOver: boolean
}

/**
 * Opens a process that runs jobs one at a time. It starts with the first job.
 * @param script the compiled module, which calls `runJobLoop`
 */
export function openJobProcess<Job, Result>(script: URL): JobProcess<Job, Result> {
  let current: Started<Result> | undefined

  function running(): Started<Result> {
    if (!current || current.isOver) current = startProcess<Result>(script)
    return current
  }

  return {
    async start() {
      await running().ready
    },
    async run(job) {
      const started = running()
      await started.ready
      if (started.isOver) throw new ProcessEnded('A worker process ended before its job.')
      return await new Promise<Result>((resolve, reject) => {
        started.asked = { resolve, reject }
        hold(started.child, true)
        // A failed send is ignored: the end of the process rejects the promise.
        started.child.send(job as object, () => undefined)
      })
    },
    async end() {
      const started = current
      current = undefined
      if (!started) return
      hold(started.child, true)
      started.child.kill('SIGKILL')
      await started.ended
    },
  }
}

function startProcess<Result>(script: URL): Started<Result> {
  const child = fork(fileURLToPath(script), [], {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: childEnvironment(),
  })
  const ended = new Promise<ProcessEnded>(resolve => {
    const tell = (how: unknown) => resolve(new ProcessEnded(`A worker process ended with ${how}.`))
    child.once('exit', (code, signal) => tell(signal ?? code))
    child.on('error', error => {
      // Any other error is from sending a message to a process that is ending.
      if (child.pid === undefined) tell(error.message)
    })
  })
  const ready = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    void ended.then(reject)
  })
  // Prevents an unhandled rejection. The code that awaits `ready` gets the error.
  ready.catch(() => undefined)
  const started: Started<Result> = { child, ready, ended, asked: undefined, isOver: false }
  void ended.then(error => {
    started.isOver = true
    started.asked?.reject(error)
  })
  child.on('message', (answer: JobAnswer<Result> | typeof isReady) => {
    hold(child, false)
    if (answer === isReady) return
    const { asked } = started
    started.asked = undefined
    settle(asked, answer)
  })
  return started
}

/** Sets whether a child process keeps this process alive. */
function hold(child: ChildProcess, stays: boolean): void {
  if (stays) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}
