import { statSync } from 'node:fs'
import { join } from 'node:path'
import { undefinedIfMissing } from '../file-system/durable-files.js'
import { isOwnLock } from './lock-file.js'

/** Milliseconds that an update waits for the locks of others. */
export const usualPatience = 5000

/** A lock file of Git's that has been there for longer than an update waits for it. */
export interface StaleLock {
  /** Path in the Git directory, such as `index.lock`. */
  readonly file: string
  /** Seconds that it has been there. */
  readonly seconds: number
  /** What is refused while it is there. */
  readonly stops: 'updates' | 'pushes' | 'packing of refs'
}

export interface LockWatch {
  /** Looks at the lock files. @returns those that are stale, and none of ours */
  look(): readonly StaleLock[]
}

interface Seen {
  readonly state: string
  /** When it was seen first, as `performance.now()` says it. */
  readonly since: number
}

export interface WatchedPlace {
  readonly gitDir: string
  readonly branch: string
  readonly bare: boolean
  /** Where locks of ours are known from. */
  readonly stagingDir: string
}

/**
 * Tells a lock that a git command holds for a moment from one that was left behind, or is held for long.
 * @param patience milliseconds from which a lock is stale
 */
export function openLockWatch(
  { gitDir, stagingDir, branch, bare }: WatchedPlace,
  patience = usualPatience,
): LockWatch {
  const watched = [
    ...(bare ? [] : [{ name: 'index', stops: 'updates' } as const]),
    { name: branch, stops: 'updates' } as const,
    // What git does with the branch that is checked out writes to the log of HEAD too; our own updates do not lock that.
    { name: 'HEAD', stops: 'pushes' } as const,
    { name: 'packed-refs', stops: 'packing of refs' } as const,
  ]
  const seen = new Map<string, Seen>()

  /** Milliseconds that a file has been there, whatever the clock has done since; undefined: there is none. */
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

  return {
    look: () =>
      watched.flatMap(({ name, stops }) => {
        const file = `${name}.lock`
        const age = ageOf(file)
        if (age === undefined || age < patience || isOwnLock(gitDir, stagingDir, name)) return []
        return [{ file, stops, seconds: Math.floor(age / 1000) }]
      }),
  }
}

/** What a person does about it. */
export function staleLockText({ file, seconds, stops }: StaleLock): string {
  return (
    `${file} of the Git directory has been there for ${seconds} s: no ${stops} while it is. ` +
    'If no git command is running in the repository, one has been killed: remove the file. Otherwise end that command.'
  )
}
