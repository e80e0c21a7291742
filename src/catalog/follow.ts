import { stat } from 'node:fs/promises'
import path from 'node:path'
import { type FSWatcher, watch } from 'chokidar'

export interface FollowOptions {
  /** Absolute. */
  readonly gitDir: string
  /** Full name: `refs/heads/main`. */
  readonly branch: string
  /** Called when the branch may have moved; never twice at a time. What it throws is reported. */
  onChange(): Promise<void>
  /** Milliseconds between two looks at the refs where no event comes; default 3000. */
  readonly interval?: number
  readonly report?: (line: string) => void
}

/** Milliseconds in which events count as one: git touches several files for one change. */
const pause = 5
const defaultInterval = 3000

/**
 * Watches what git writes when the branch moves: HEAD, the branch's ref, `packed-refs` and HEAD's reflog. Their
 * folders are watched, since git replaces files by renaming; the object store and the work tree never are. Where
 * the system has no more watches, looking at the files every few seconds remains.
 */
export async function followBranch(options: FollowOptions): Promise<{ close(): Promise<void> }> {
  const { gitDir, branch, onChange, interval = defaultInterval, report = () => undefined } = options
  const files = ['HEAD', branch, 'packed-refs', 'logs/HEAD'].map(name => path.join(gitDir, name))
  const folders = new Set(files.flatMap(file => foldersTo(gitDir, file)))
  const wanted = new Set([...files, ...folders])
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let again = false
  let complained = false

  /** Soon, once for all that comes until then. */
  function touch(): void {
    if (closed || timer) return
    timer = setTimeout(() => {
      timer = undefined
      run()
    }, pause)
  }

  /** One call at a time; what happens during it is answered by another one after it. */
  function run(): void {
    if (running) {
      again = true
      return
    }
    running = onChange()
      .catch((thrown: unknown) => report(`Following ${branch} failed: ${messageOf(thrown)}`))
      .finally(() => {
        running = undefined
        if (!again) return
        again = false
        if (!closed) run()
      })
  }

  let seen = await look(files)
  async function poll(): Promise<void> {
    const now = await look(files)
    if (now === seen) return
    seen = now
    touch()
  }
  let polling: Promise<void> | undefined
  const ticks = setInterval(() => {
    polling ??= poll()
      .catch(complain)
      .finally(() => {
        polling = undefined
      })
  }, interval)

  function complain(thrown: unknown): void {
    if (complained || closed) return
    complained = true
    report(`Watching ${gitDir} failed (${messageOf(thrown)}); the branch is looked at every ${interval} ms.`)
  }

  let watcher: FSWatcher | undefined
  await new Promise<void>(resolve => {
    // Should watching fail at once, polling stands in for it.
    const ready = () => resolve()
    try {
      watcher = watch(gitDir, {
        ignoreInitial: true,
        depth: branch.split('/').length,
        ignored: entry => !wanted.has(path.resolve(entry)),
      })
      watcher.on('all', touch).on('error', complain).on('error', ready).on('ready', ready)
    } catch (thrown) {
      complain(thrown)
      ready()
    }
  })
  // What happened while the watches were being set.
  if ((await look(files)) !== seen) touch()

  return {
    async close() {
      closed = true
      clearTimeout(timer)
      clearInterval(ticks)
      await watcher?.close()
      await polling
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
