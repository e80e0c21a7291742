import path from 'node:path'
import { type FSWatcher, watch } from 'chokidar'

/** Sets and removes watches on folders, one change at a time. The first failure is reported. */
export function openWatches(
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
