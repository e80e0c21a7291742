import { statSync } from 'node:fs'
import path from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import { hasErrorCode } from '../../store/file-system/file-errors.js'

interface WatchOptions {
  /** Absolute path. */
  readonly gitDir: string
  /** Full name: `refs/heads/main`. */
  readonly branch: string
  /** Whether `onChange` has to be called although the branch has not moved. Cheap: each check asks it. */
  readonly isOutdated?: () => boolean
  /**
   * Called when the branch may have moved, one call at a time. An error is reported, and the call is repeated later.
   */
  onChange(): Promise<void>
  /** Milliseconds between two checks of the refs without an event; default 3000. */
  readonly interval?: number
  readonly report?: (line: string) => void
}

/** Milliseconds in which several events count as one: git writes several files for a change, and our updates many. */
const eventPause = 50
/** Milliseconds between two checks of the refs that are caused by events: under load every flush causes one. */
const eventCheckInterval = 250
/** Milliseconds after an event in which another one counts as soon: our own lone updates cause events, too. */
const soon = 3000
/** Number of successive checks, each caused by an event soon after the last one, from which on polling costs less. */
const checksUntilPolling = 4
/**
 * Number of successive checks without a change from which on watching costs less than polling. It spans the time in which
 * an event counts as soon, so that updates every second do not set and remove the watches in turn.
 */
const checksUntilWatching = 12
const defaultInterval = 3000

/**
 * Watches the files that git writes when the branch moves: HEAD, the branch's ref, `packed-refs` and HEAD's reflog. It
 * watches their folders only, because git replaces files by renaming. It never watches the object store or the work
 * tree. It also checks the files at an interval, in case the system permits no more watches. While the branch moves all
 * the time, it polls the files instead, because chokidar lists a folder for each event.
 */
export async function watchBranch(options: WatchOptions): Promise<{ close(): Promise<void> }> {
  const watcher = new BranchWatcher(options)
  await watcher.start()
  return watcher
}

class BranchWatcher {
  readonly #gitDir: string
  readonly #files: readonly string[]
  readonly #isOutdated: () => boolean
  readonly #interval: number
  readonly #report: (line: string) => void
  readonly #calls: ReturnType<typeof openCalls>
  readonly #watches: ReturnType<typeof openWatches>
  /** Result of {@link stateOf} at the last check. */
  #seen = ''
  /** Time of the last check. */
  #checkedAt = Number.NEGATIVE_INFINITY
  /** Time of the last event that caused a check. */
  #eventAt = Number.NEGATIVE_INFINITY
  /** Message of the last check, if it failed. The same message is not reported again until a check succeeds. */
  #unreadable: string | undefined
  /** Timer of the next check that events have caused. */
  #timer: NodeJS.Timeout | undefined
  /** Timer of the polling; undefined while the files are watched. */
  #polling: NodeJS.Timeout | undefined
  #intervalTimer: NodeJS.Timeout | undefined
  /** Number of successive checks, each caused by an event soon after the last one. */
  #successiveChecks = 0
  /** Number of successive checks without a change. */
  #checksWithoutChange = 0
  #isClosed: boolean

  constructor({
    gitDir,
    branch,
    isOutdated = () => false,
    onChange,
    interval = defaultInterval,
    report = () => undefined,
  }: WatchOptions) {
    this.#isClosed = false
    this.#gitDir = path.resolve(gitDir)
    this.#isOutdated = isOutdated
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
    this.#seen = stateOf(this.#files)
    this.#intervalTimer = setInterval(() => this.#check(), this.#interval)
    await this.#watches.start()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearInterval(this.#intervalTimer)
    clearInterval(this.#polling)
    await this.#watches.close()
    await this.#calls.close()
  }

  /** Schedules a check, one for all events until it runs. */
  #scheduleCheck(): void {
    if (this.#isClosed || this.#timer || this.#polling) return
    const now = performance.now()
    const due = eventCheckInterval - (now - this.#checkedAt)
    this.#successiveChecks = now - this.#eventAt < soon ? this.#successiveChecks + 1 : 0
    this.#eventAt = now
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
    this.#checkedAt = performance.now()
    try {
      this.#compare(stateOf(this.#files))
    } catch (thrown) {
      const message = messageOf(thrown)
      if (message !== this.#unreadable) {
        this.#report(`Checking the refs of ${this.#gitDir} failed: ${message}`)
      }
      this.#unreadable = message
    }
  }

  #compare(state: string): void {
    this.#unreadable = undefined
    const isNew = state !== this.#seen || this.#isOutdated()
    this.#checksWithoutChange = isNew ? 0 : this.#checksWithoutChange + 1
    if (this.#isClosed) return
    // Polling checks four times a second. It repeats a failed call only after another change.
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

/** Runs one call at a time. If `run` is called meanwhile, however often, one more call follows. */
function openCalls(call: () => Promise<void>, onFailure: (message: string) => void) {
  let running: Promise<void> | undefined
  let again = false
  let closed = false
  /** Message of the failed call, until a call succeeds. The next check repeats the call; a message is reported once. */
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
    /** Whether the last call failed and no call is running. */
    get lastFailed() {
      return failure !== undefined && !running
    },
    async close() {
      closed = true
      await running
    },
  }
}

/** The Git directory, and every folder between it and the file. */
function foldersTo(gitDir: string, file: string): readonly string[] {
  const folders: string[] = []
  for (let folder = path.dirname(file); folder.startsWith(gitDir); folder = path.dirname(folder))
    folders.push(folder)
  return folders
}

/** A text that differs if any file was created, deleted, replaced or written. Synchronous: four calls of 5 µs each. */
function stateOf(files: readonly string[]): string {
  return files
    .map(file => {
      try {
        const found = statSync(file, { bigint: true, throwIfNoEntry: false })
        return found ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : ''
      } catch (thrown) {
        if (hasErrorCode(thrown, 'ENOTDIR')) return ''
        throw thrown
      }
    })
    .join('\n')
}

/** Sets and removes watches on folders, one change at a time. The first failure is reported. */
function openWatches(
  gitDir: string,
  folders: ReadonlySet<string>,
  depth: number,
  onEvent: () => void,
  onFailure: (message: string) => void,
) {
  let watcher: FSWatcher | undefined
  let hasReported = false
  let closed = false
  let lastChange: Promise<unknown> = Promise.resolve()

  function reportFirst(thrown: unknown): void {
    if (hasReported || closed) return
    hasReported = true
    onFailure(messageOf(thrown))
  }

  async function setWatches(): Promise<void> {
    if (closed) return
    await new Promise<void>(resolve => {
      // Also if watching fails at once: the caller checks the files at an interval, too.
      const ready = () => resolve()
      try {
        watcher = watch(gitDir, {
          ignoreInitial: true,
          depth,
          ignored: entry => !folders.has(path.resolve(entry)),
        })
        // `raw` is every event of the system; `all` leaves out some of many quick events.
        watcher
          .on('raw', onEvent)
          .on('all', onEvent)
          .on('error', reportFirst)
          .on('error', ready)
          .on('ready', ready)
      } catch (thrown) {
        reportFirst(thrown)
        ready()
      }
    })
    // There may have been changes before the watches were set.
    onEvent()
  }

  return {
    async start() {
      lastChange = lastChange.then(setWatches).catch(reportFirst)
      await lastChange
    },
    stop() {
      lastChange = lastChange.then(() => watcher?.close()).catch(reportFirst)
    },
    async close() {
      closed = true
      await lastChange
      await watcher?.close()
    },
  }
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
