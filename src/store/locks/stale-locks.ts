import { statSync } from 'node:fs'
import { join } from 'node:path'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { isOwnLock } from './lock-file.js'

/** Milliseconds that an update waits for locks of other processes. */
export const usualPatience = 5000

/** A lock file of Git that is older than {@link usualPatience}. */
export interface StaleLock {
  /** Path in the Git directory, such as `index.lock`. */
  readonly file: string
  /** Age of the file in seconds. */
  readonly seconds: number
  /** What fails while the file exists. */
  readonly stops: 'updates' | 'pushes' | 'packing of refs'
}

interface Seen {
  readonly state: string
  /** Time when this state was first seen, by `performance.now()`. */
  readonly since: number
}

interface WatchedPlace {
  readonly gitDir: string
  readonly branch: string
  readonly bare: boolean
  /** Folder that identifies our own locks. */
  readonly stagingDir: string
}

/**
 * Finds locks that were left behind or are held for long.
 * @param patience milliseconds from which a lock is stale
 * @returns a function that lists the stale lock files, without our own
 */
export function openLockWatch(
  { gitDir, stagingDir, branch, bare }: WatchedPlace,
  patience = usualPatience,
): () => readonly StaleLock[] {
  const watched = [
    ...(bare ? [] : [{ name: 'index', stops: 'updates' } as const]),
    { name: branch, stops: 'updates' } as const,
    // Git locks HEAD too when it changes the checked-out branch, to write the reflog. Our own updates do not.
    { name: 'HEAD', stops: 'pushes' } as const,
    { name: 'packed-refs', stops: 'packing of refs' } as const,
  ]
  const seen = new Map<string, Seen>()

  /** Age of a file in milliseconds, also after a change of the clock; undefined if there is no such file. */
  function ageOf(file: string): number | undefined {
    const found = undefinedIfMissing(() => statSync(join(gitDir, file), { bigint: true }))
    if (!found) {
      seen.delete(file)
      return undefined
    }
    const state = `${found.ino} ${found.mtimeNs}`
    const now = performance.now()
    const before = seen.get(file)
    const since = before?.state === state ? before.since : now
    seen.set(file, { state, since })
    return Math.max(now - since, Date.now() - Number(found.mtimeNs / 1_000_000n))
  }

  return () =>
    watched.flatMap(({ name, stops }) => {
      const file = `${name}.lock`
      const age = ageOf(file)
      if (age === undefined || age < patience || isOwnLock(gitDir, stagingDir, name)) return []
      return [{ file, stops, seconds: Math.floor(age / 1000) }]
    })
}

/** Message for the administrator. */
export function staleLockText({ file, seconds, stops }: StaleLock): string {
  return (
    `${file} of the Git directory has been there for ${seconds} s: no ${stops} while it is. ` +
    'If no git command is running in the repository, one has been killed: remove the file. Otherwise end that command.'
  )
}
