import { stat } from 'node:fs/promises'
import path from 'node:path'
import { messageOf, openWatches } from './folder-watches.js'

interface WatchOptions {
  /** Absolute path. */
  readonly gitDir: string
  /** Full name: `refs/heads/main`. */
  readonly branch: string
  /**
   * Called when the branch may have moved, one call at a time. An error is reported, and the call is repeated later.
   */
  onChange(): Promise<void>
  /** Milliseconds between two checks of the refs without an event; default 3000. */
  readonly interval?: number
  readonly report?: (line: string) => void
}

/** Milliseconds in which events count as one: git writes several files for a change, and our updates write many. */
const eventPause = 50
/** Milliseconds between two checks of the refs that events cause: under load every flush does. */
const eventCheckInterval = 250
/** Number of successive checks, each caused by an event right after the last check, after which polling costs less. */
const checksUntilPolling = 8
/** Number of successive checks without a change after which watching costs less than polling. */
const checksUntilWatching = 4
const defaultInterval = 3000

/**
 * Watches the files that git writes when the branch moves: HEAD, the branch's ref, `packed-refs` and HEAD's reflog. It
 * watches their folders only, because git replaces files by renaming. It never watches the object store or the work
 * tree. It also checks the files at an interval, in case the system has no more watches. While the branch moves all the
 * time, it polls the files instead: for each event chokidar lists a folder.
 */
export async function watchBranch(options: WatchOptions): Promise<{ close(): Promise<void> }> {
  const watcher = new BranchWatcher(options)
  await watcher.start()
  return watcher
}

class BranchWatcher {
  readonly #gitDir: string
  readonly #files: readonly string[]
  readonly #interval: number
  readonly #report: (line: string) => void
  readonly #calls: ReturnType<typeof openCalls>
  readonly #watches: ReturnType<typeof openWatches>
  /** State of the files at the last check. */
  #seen = ''
  /** The check that is running, and the time of the last one. */
  #checking: Promise<void> | undefined
  #checkedAt = Number.NEGATIVE_INFINITY
  /** Message of the last failed check, which is reported once. */
  #unreadable: string | undefined
  /** The next check that events caused. */
  #timer: NodeJS.Timeout | undefined
  /** The timer while the files are polled, not watched. */
  #polling: NodeJS.Timeout | undefined
  #intervalTimer: NodeJS.Timeout | undefined
  /** Number of successive checks that events caused right after the last one. */
  #successiveChecks = 0
  /** Number of successive checks without a change. */
  #checksWithoutChange = 0
  #isClosed: boolean

  constructor({
    gitDir,
    branch,
    onChange,
    interval = defaultInterval,
    report = () => undefined,
  }: WatchOptions) {
    this.#isClosed = false
    this.#gitDir = path.resolve(gitDir)
    this.#interval = interval
    this.#report = report
    this.#files = ['HEAD', branch, 'packed-refs', 'logs/HEAD'].map(name => path.join(this.#gitDir, name))
    const folders = new Set(this.#files.flatMap(file => foldersTo(this.#gitDir, file)))
    this.#calls = openCalls(onChange, message => report(`Following ${branch} failed: ${message}`))
    this.#watches = openWatches(
      this.#gitDir,
      folders,
      branch.split('/').length,
      () => this.#scheduleCheck(),
      message =>
        report(`Watching ${this.#gitDir} failed (${message}); the branch is checked every ${interval} ms.`),
    )
  }

  async start(): Promise<void> {
    this.#seen = await stateOf(this.#files)
    this.#intervalTimer = setInterval(() => this.#check(), this.#interval)
    await this.#watches.start()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearInterval(this.#intervalTimer)
    clearInterval(this.#polling)
    await this.#watches.close()
    await this.#checking
    await this.#calls.close()
  }

  /** Schedules one check for all events until then. */
  #scheduleCheck(): void {
    if (this.#isClosed || this.#timer || this.#polling) return
    const due = this.#checkedAt + eventCheckInterval - performance.now()
    this.#successiveChecks = due > eventPause ? this.#successiveChecks + 1 : 0
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#check()
        if (this.#successiveChecks >= checksUntilPolling) this.#poll()
      },
      Math.max(eventPause, due),
    )
  }

  /** Calls `onChange` if any of the files was replaced or written. */
  #check(): void {
    if (this.#checking) {
      this.#scheduleCheck()
      return
    }
    this.#checkedAt = performance.now()
    this.#checking = stateOf(this.#files)
      .then(state => this.#compare(state))
      .catch((thrown: unknown) => {
        const message = messageOf(thrown)
        if (message !== this.#unreadable) {
          this.#report(`Checking the refs of ${this.#gitDir} failed: ${message}`)
        }
        this.#unreadable = message
      })
      .finally(() => {
        this.#checking = undefined
      })
  }

  #compare(state: string): void {
    this.#unreadable = undefined
    const isNew = state !== this.#seen
    this.#checksWithoutChange = isNew ? 0 : this.#checksWithoutChange + 1
    if (this.#isClosed) return
    // Polling, which checks four times a second, does not repeat a failed call without a change.
    const repeats = this.#calls.lastFailed && !this.#polling
    if (this.#polling && this.#checksWithoutChange >= checksUntilWatching) this.#watchAgain()
    if (!isNew && !repeats) return
    this.#seen = state
    this.#calls.run()
  }

  #poll(): void {
    if (this.#isClosed || this.#polling) return
    this.#checksWithoutChange = 0
    this.#polling = setInterval(() => this.#check(), eventCheckInterval)
    this.#watches.stop()
  }

  #watchAgain(): void {
    clearInterval(this.#polling)
    this.#polling = undefined
    this.#successiveChecks = 0
    void this.#watches.start()
  }
}

/** Makes one call at a time, and one more after a call for all changes during it. */
function openCalls(call: () => Promise<void>, onFailure: (message: string) => void) {
  let running: Promise<void> | undefined
  let again = false
  let closed = false
  /** Message of the last failed call. The next check repeats the call, and the same message is reported once. */
  let failure: string | undefined

  function run(): void {
    if (running) {
      again = true
      return
    }
    running = call()
      .then(() => {
        failure = undefined
      })
      .catch((thrown: unknown) => {
        const message = messageOf(thrown)
        if (message !== failure) onFailure(message)
        failure = message
      })
      .finally(() => {
        running = undefined
        if (!again) return
        again = false
        if (!closed) run()
      })
  }

  return {
    run,
    /** The last call failed, and no other one is running. */
    get lastFailed() {
      return failure !== undefined && !running
    },
    async close() {
      closed = true
      await running
    },
  }
}

/** The folders from the Git directory, which is included, to the folder of the file. */
function foldersTo(gitDir: string, file: string): readonly string[] {
  const folders: string[] = []
  for (let folder = path.dirname(file); folder.startsWith(gitDir); folder = path.dirname(folder))
    folders.push(folder)
  return folders
}

/** A text that differs if any file was created, deleted, replaced or written. */
async function stateOf(files: readonly string[]): Promise<string> {
  const states = await Promise.all(
    files.map(async file => {
      try {
        const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
        return [ino, size, mtimeNs, ctimeNs].join(' ')
      } catch (thrown) {
        if (isMissing(thrown)) return ''
        throw thrown
      }
    }),
  )
  return states.join('\n')
}

function isMissing(thrown: unknown): boolean {
  return (
    thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR')
  )
}
