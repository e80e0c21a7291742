import { stat } from 'node:fs/promises'
import path from 'node:path'
import { type FSWatcher, watch } from 'chokidar'

export interface FollowOptions {
  /** Absolute. */
  readonly gitDir: string
  /** Full name: `refs/heads/main`. */
  readonly branch: string
  /** Called when the branch may have moved; never twice at a time. What it throws is reported, and it is called again. */
  onChange(): Promise<void>
  /** Milliseconds between two looks at the refs where no event comes; default 3000. */
  readonly interval?: number
  readonly report?: (line: string) => void
}

/** Milliseconds in which events count as one: git touches several files for a change, and our own updates many. */
const pause = 50
/** Milliseconds between two looks at the refs that events ask for: under load every flush does. */
const betweenLooks = 250
/** Looks in a row that events asked for again at once: from then on to watch costs more than to look. */
const looksUntilRestless = 8
/** Looks in a row that find nothing new, after which it is worth to watch again. */
const looksUntilCalm = 4
const defaultInterval = 3000

/**
 * Watches what git writes when the branch moves: HEAD, the branch's ref, `packed-refs` and HEAD's reflog. Only their
 * folders are watched, since git replaces files by renaming; the object store and the work tree never are. Where
 * the system has no more watches, looking at the files every few seconds remains. While the branch moves all the time nothing
 * is watched either, and the files are looked at as often as events would ask for: chokidar lists a folder for each of them.
 */
export async function watchBranch(options: FollowOptions): Promise<{ close(): Promise<void> }> {
  const { branch, onChange, interval = defaultInterval, report = () => undefined } = options
  const gitDir = path.resolve(options.gitDir)
  const files = ['HEAD', branch, 'packed-refs', 'logs/HEAD'].map(name => path.join(gitDir, name))
  const folders = new Set(files.flatMap(file => foldersTo(gitDir, file)))
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let again = false
  let complained = false
  /** Why the last call failed, and why the last look did. */
  let failure: string | undefined
  let unreadable: string | undefined

  /** Soon, once for all that comes until then. */
  function touch(): void {
    if (closed || timer || looking) return
    const due = looked + betweenLooks - performance.now()
    restless = due > pause ? restless + 1 : 0
    timer = setTimeout(
      () => {
        timer = undefined
        check()
        if (restless >= looksUntilRestless) lookOnly()
      },
      Math.max(pause, due),
    )
  }

  let seen = await look(files)
  let checking: Promise<void> | undefined
  let looked = Number.NEGATIVE_INFINITY
  /** Looks in a row that events asked for right after the one before. */
  let restless = 0
  /** Looks in a row that found nothing new. */
  let calm = 0
  /** Says that the branch may have moved if any of the files is another one than before. */
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
        // While there are only looks, four a second, what failed waits for the next change or the end of that.
        const repeats = failure !== undefined && !looking && !running
        if (looking && calm >= looksUntilCalm) watchAgain()
        if (!isNew && !repeats) return
        seen = now
        run()
      })
      .catch((thrown: unknown) => {
        const message = messageOf(thrown)
        if (message !== unreadable) report(`Looking at the refs of ${gitDir} failed: ${message}`)
        unreadable = message
      })
      .finally(() => {
        checking = undefined
      })
  }

  /** One call at a time; what happens during it is answered by another one after it. */
  function run(): void {
    if (running) {
      again = true
      return
    }
    running = onChange()
      .then(() => {
        failure = undefined
      })
      .catch((thrown: unknown) => {
        // The next look at the refs repeats what failed; it is told once.
        const message = messageOf(thrown)
        if (message !== failure) report(`Following ${branch} failed: ${message}`)
        failure = message
      })
      .finally(() => {
        running = undefined
        if (!again) return
        again = false
        if (!closed) run()
      })
  }

  const ticks = setInterval(check, interval)

  function complain(thrown: unknown): void {
    if (complained || closed) return
    complained = true
    report(`Watching ${gitDir} failed (${messageOf(thrown)}); the branch is looked at every ${interval} ms.`)
  }

  let watcher: FSWatcher | undefined
  /** Looks at the files while nothing is watched. */
  let looking: NodeJS.Timeout | undefined
  /** Ends when the watches are set, or no longer. */
  let turning: Promise<unknown> = Promise.resolve()

  async function startWatching(): Promise<void> {
    await new Promise<void>(resolve => {
      // Should watching fail at once, polling stands in for it.
      const ready = () => resolve()
      try {
        watcher = watch(gitDir, {
          ignoreInitial: true,
          depth: branch.split('/').length,
          ignored: entry => !folders.has(path.resolve(entry)),
        })
        // `raw` comes for every event of the system; `all` leaves out what follows another one closely.
        watcher.on('raw', touch).on('all', touch).on('error', complain).on('error', ready).on('ready', ready)
      } catch (thrown) {
        complain(thrown)
        ready()
      }
    })
    // What happened while the watches were being set.
    touch()
  }

  function lookOnly(): void {
    if (closed || looking) return
    calm = 0
    looking = setInterval(check, betweenLooks)
    turning = turning.then(() => watcher?.close()).catch(complain)
  }

  function watchAgain(): void {
    clearInterval(looking)
    looking = undefined
    restless = 0
    turning = turning.then(() => (closed ? undefined : startWatching())).catch(complain)
  }

  turning = startWatching()
  await turning

  return {
    async close() {
      closed = true
      clearTimeout(timer)
      clearInterval(ticks)
      clearInterval(looking)
      await turning
      await watcher?.close()
      await checking
      await running
    },
  }
}

/** The folders from the Git directory, itself included, down to the one the file is in. */
function foldersTo(gitDir: string, file: string): readonly string[] {
  const folders: string[] = []
  for (let folder = path.dirname(file); folder.startsWith(gitDir); folder = path.dirname(folder))
    folders.push(folder)
  return folders
}

/** Which files there are, in which state: git replaces them, or adds to them. */
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
