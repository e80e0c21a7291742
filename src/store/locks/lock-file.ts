import { randomBytes } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type NewFile, writeFileDurably } from '../file-system/durable-files.js'
import { errorCode, isWithoutHardLinks, undefinedIfMissing } from '../file-system/file-errors.js'

/*
 * Git's lock protocol: the process that creates `<file>.lock` may change `<file>`. Our lock files are hard links to
 * files in the staging folder. After a crash, a lock is recognized as ours by its inode, or by its content if the file
 * system has no hard links. Locks of other programs are never removed.
 * Callers hold the writer lock. @see https://github.com/git/git/blob/v2.31.0/lockfile.h
 */

export interface HeldLockFile {
  /** Replaces the locked file by the lock file, which releases the lock. */
  install(): void
  release(): void
}

/** Content of our lock files, for people who open one. */
const mark = 'git-metastore is bringing the work tree up to date\n'

const locksIn = (stagingDir: string) => join(stagingDir, 'locks')
const ownFiles = (stagingDir: string) => undefinedIfMissing(() => readdirSync(locksIn(stagingDir))) ?? []

/** A file in the staging folder that becomes a lock. */
export interface PreparedLockFile {
  /** The caller writes it before `take`; durably if it is going to be installed. */
  readonly file: NewFile
  /** @returns undefined if another process has the lock */
  take(): HeldLockFile | undefined
  /** Removes the file from the staging folder. Call it at the end, whatever happened to the lock. */
  forget(): void
}

/**
 * Prepares the lock file of `<gitDir>/<name>` in the staging folder. The lock is not taken yet.
 * @param content of the locked file after `install`
 */
export function prepareLockFile(
  gitDir: string,
  stagingDir: string,
  name: string,
  content: Uint8Array,
): PreparedLockFile {
  const target = join(gitDir, name)
  const lock = `${target}.lock`
  const own = join(locksIn(stagingDir), `${encodeURIComponent(name)}~${randomBytes(6).toString('hex')}`)
  // A look takes a tenth of the time of a mkdir that finds the folder.
  if (!existsSync(locksIn(stagingDir))) mkdirSync(locksIn(stagingDir), { recursive: true })
  return {
    file: { path: own, parts: [content] },
    take() {
      if (!createLock(own, lock, content)) return undefined
      return { install: () => renameSync(lock, target), release: () => unlinkSync(lock) }
    },
    forget() {
      undefinedIfMissing(() => unlinkSync(own))
    },
  }
}

/** @returns false if the lock exists */
function createLock(own: string, lock: string, content: Uint8Array): boolean {
  try {
    linkSync(own, lock)
    return true
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST') return false
    if (!isWithoutHardLinks(thrown)) throw thrown
    return createWithoutLink(lock, content)
  }
}

function createWithoutLink(lock: string, content: Uint8Array): boolean {
  try {
    writeFileDurably(lock, [content])
    return true
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST') return false
    throw thrown
  }
}

/**
 * Takes `<gitDir>/<name>.lock` to exclude other processes, not to install it.
 * @returns undefined if another process has it
 */
export function acquireLockFile(
  gitDir: string,
  stagingDir: string,
  name: string,
): Pick<HeldLockFile, 'release'> | undefined {
  const { file, take, forget } = prepareLockFile(gitDir, stagingDir, name, Buffer.from(mark))
  writeFileSync(file.path, mark)
  let lock: HeldLockFile | undefined
  try {
    lock = take()
  } finally {
    if (!lock) forget()
  }
  let isOurs = lock !== undefined
  return (
    lock && {
      // A second call, after a failure, must not remove a lock that another process took meanwhile.
      release() {
        if (isOurs) lock.release()
        isOurs = false
        forget()
      },
    }
  )
}

/** Whether one of our processes holds a lock, or was killed while it held one. */
export function hasOwnLocks(stagingDir: string): boolean {
  return ownFiles(stagingDir).length > 0
}

/** Whether the current lock on a file is ours. */
function isOwnLock(gitDir: string, stagingDir: string, name: string): boolean {
  return ownFiles(stagingDir)
    .filter(entry => entry.startsWith(`${encodeURIComponent(name)}~`))
    .some(entry =>
      undefinedIfMissing(() => isSame(join(locksIn(stagingDir), entry), join(gitDir, `${name}.lock`))),
    )
}

/** Removes the locks of our processes that were killed. */
export function removeStaleLockFiles(gitDir: string, stagingDir: string): void {
  for (const entry of ownFiles(stagingDir)) {
    const own = join(locksIn(stagingDir), entry)
    const lock = join(gitDir, `${decodeURIComponent(entry.slice(0, entry.lastIndexOf('~')))}.lock`)
    if (isSame(own, lock)) unlinkSync(lock)
    unlinkSync(own)
  }
}

/** Whether a lock is a hard link to, or a copy of, a file in the staging folder. */
function isSame(own: string, lock: string): boolean {
  const [first, second] = [statSync(own), statSync(lock, { throwIfNoEntry: false })]
  if (!second) return false
  if (first.ino === second.ino && first.dev === second.dev) return true
  // No other program writes this content: our mark, or the name of a commit that no ref leads to yet.
  return first.size > 0 && first.size === second.size && readFileSync(own).equals(readFileSync(lock))
}

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
    const found = statSync(join(gitDir, file), { bigint: true, throwIfNoEntry: false })
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
