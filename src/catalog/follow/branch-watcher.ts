import { stat } from 'node:fs/promises'
import path from 'node:path'
import { type FSWatcher, watch } from 'chokidar'

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
const pause = 50
/** Milliseconds between two checks of the refs that events cause: under load every flush does. */
const betweenLooks = 250
/** Number of successive checks, each caused by an event right after the last check, after which polling costs less. */
const looksUntilRestless = 8
/** Number of successive checks without a change after which watching costs less than polling. */
const looksUntilCalm = 4
const defaultInterval = 3000

/**
 * Watches the files that git writes when the branch moves: HEAD, the branch's ref, `packed-refs` and HEAD's reflog. It
 * watches their folders only, because git replaces files by renaming. It never watches the object store or the work
 * tree. It also checks the files at an interval, in case the system has no more watches. While the branch moves all the
 * time, it polls the files instead: for each event chokidar lists a folder.
 */
export async function watchBranch(options: WatchOptions): Promise<{ close(): Promise<void> }> {
  const { branch, onChange, interval = defaultInterval, report = () => undefined } = options
  const gitDir = path.resolve(options.gitDir)
  const files = ['HEAD', branch, 'packed-refs', 'logs/HEAD'].map(name => path.join(gitDir, name))
  const folders = new Set(files.flatMap(file => foldersTo(gitDir, file)))
  const calls = openCalls(onChange, message => report(`Following ${branch} failed: ${message}`))
  const watches = openWatches(gitDir, folders, branch.split('/').length, touch, message =>
    report(`Watching ${gitDir} failed (${message}); the branch is looked at every ${interval} ms.`),
  )
  let closed = false
  let seen = await look(files)
  /** The check that is running, and the time of the last one. */
  let checking: Promise<void> | undefined
  let looked = Number.NEGATIVE_INFINITY
  /** Message of the last failed check, which is reported once. */
  let unreadable: string | undefined
  /** The next check that events caused. */
  let timer: NodeJS.Timeout | undefined
  /** The timer while the files are polled, not watched. */
  let polling: NodeJS.Timeout | undefined
  /** Number of successive checks that events caused right after the last one. */
  let restless = 0
  /** Number of successive checks without a change. */
  let calm = 0

  /** Schedules one check for all events until then. */
  function touch(): void {
    if (closed || timer || polling) return
    const due = looked + betweenLooks - performance.now()
    restless = due > pause ? restless + 1 : 0
    timer = setTimeout(
      () => {
        timer = undefined
        check()
        if (restless >= looksUntilRestless) poll()
      },
      Math.max(pause, due),
    )
  }

  /** Calls `onChange` if any of the files was replaced or written. */
  function check(): void {
    if (checking) {
      touch()
      return
    }
    looked = performance.now()
    checking = look(files)
      .then(now => {
        unreadable = undefined
        const isNew = now !== seen
        calm = isNew ? 0 : calm + 1
        if (closed) return
        // Polling, which checks four times a second, does not repeat a failed call without a change.
        const repeats = calls.lastFailed && !polling
        if (polling && calm >= looksUntilCalm) watchAgain()
        if (!isNew && !repeats) return
        seen = now
        calls.run()
      })
      .catch((thrown: unknown) => {
        const message = messageOf(thrown)
        if (message !== unreadable) report(`Checking the refs of ${gitDir} failed: ${message}`)
        unreadable = message
      })
      .finally(() => {
        checking = undefined
      })
  }

  function poll(): void {
    if (closed || polling) return
    calm = 0
    polling = setInterval(check, betweenLooks)
    watches.stop()
  }

  function watchAgain(): void {
    clearInterval(polling)
    polling = undefined
    restless = 0
    void watches.start()
  }

  const ticks = setInterval(check, interval)
  await watches.start()

  return {
    async close() {
      closed = true
      clearTimeout(timer)
      clearInterval(ticks)
      clearInterval(polling)
      await watches.close()
      await checking
      await calls.close()
    },
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

/** Sets and removes watches on folders, one change at a time. The first failure is reported. */
function openWatches(
  gitDir: string,
  folders: ReadonlySet<string>,
  depth: number,
  onEvent: () => void,
  onFailure: (message: string) => void,
) {
  let watcher: FSWatcher | undefined
  let complained = false
  let closed = false
  let lastChange: Promise<unknown> = Promise.resolve()

  function complain(thrown: unknown): void {
    if (complained || closed) return
    complained = true
    onFailure(messageOf(thrown))
  }

  async function setWatches(): Promise<void> {
    if (closed) return
    await new Promise<void>(resolve => {
      // If watching fails at once, the caller's interval remains.
      const ready = () => resolve()
      try {
        watcher = watch(gitDir, {
          ignoreInitial: true,
          depth,
          ignored: entry => !folders.has(path.resolve(entry)),
        })
        // `raw` has every event of the system; `all` leaves out events in quick succession.
        watcher
          .on('raw', onEvent)
          .on('all', onEvent)
          .on('error', complain)
          .on('error', ready)
          .on('ready', ready)
      } catch (thrown) {
        complain(thrown)
        ready()
      }
    })
    // For changes before the watches were set.
    onEvent()
  }

  return {
    async start() {
      lastChange = lastChange.then(setWatches).catch(complain)
      await lastChange
    },
    stop() {
      lastChange = lastChange.then(() => watcher?.close()).catch(complain)
    },
    async close() {
      closed = true
      await lastChange
      await watcher?.close()
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
async function look(files: readonly string[]): Promise<string> {
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

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
