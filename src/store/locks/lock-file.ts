import { randomBytes } from 'node:crypto'
import {
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
import {
  errorCode,
  type NewFile,
  undefinedIfMissing,
  writeFileDurably,
} from '../file-system/durable-files.js'

/*
 * Git's own lock protocol: whoever creates `<file>.lock` may change `<file>`. Ours are hard links to a file in a folder of our
 * own, so that after a kill we know which locks are ours: a lock with the same inode, or the same content where the file system
 * has no links. Nobody else's is ever touched.
 * Call everything here only with the writer lock held. @see https://github.com/git/git/blob/v2.31.0/lockfile.h
 */

export interface HeldLockFile {
  /** Puts the lock file in the place of the file it locks, which releases it. */
  install(): void
  release(): void
}

/** What a person who looks into one of our lock files reads. */
const mark = 'git-metastore is bringing the work tree up to date\n'

/** File systems without hard links answer a link with one of these, and so do two mounts. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']

const locksIn = (stagingDir: string) => join(stagingDir, 'locks')

/** A lock that is to be taken: a file in our own folder that becomes one. */
export interface PreparedLockFile {
  /** To be written before the lock is taken, durably where the lock is to be installed. */
  readonly file: NewFile
  /** @returns undefined where somebody else has the lock */
  take(): HeldLockFile | undefined
  /** Removes the file from our own folder, at the end and whatever has become of the lock. */
  forget(): void
}

/** @param content what `<gitDir>/<name>` holds once the lock was installed */
export function prepareLockFile(
  gitDir: string,
  stagingDir: string,
  name: string,
  content: Uint8Array,
): PreparedLockFile {
  const target = join(gitDir, name)
  const lock = `${target}.lock`
  const own = join(locksIn(stagingDir), `${encodeURIComponent(name)}~${randomBytes(6).toString('hex')}`)
  mkdirSync(locksIn(stagingDir), { recursive: true })
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

/** @returns false where it is there already */
function createLock(own: string, lock: string, content: Uint8Array): boolean {
  try {
    linkSync(own, lock)
    return true
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST') return false
    if (!noLinks.includes(errorCode(thrown) ?? '')) throw thrown
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
 * Takes `<gitDir>/<name>.lock` to keep others away, not to install it.
 * @returns undefined where somebody else has it
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
      // Where it fails it may be called again: by then the lock may be somebody else's.
      release() {
        if (isOurs) lock.release()
        isOurs = false
        forget()
      },
    }
  )
}

/** Whether a process of ours holds a lock, or was killed while it did. */
export function hasOwnLocks(stagingDir: string): boolean {
  return (undefinedIfMissing(() => readdirSync(locksIn(stagingDir))) ?? []).length > 0
}

/** Whether the lock that is on a file is one of ours. */
export function isOwnLock(gitDir: string, stagingDir: string, name: string): boolean {
  const entries = undefinedIfMissing(() => readdirSync(locksIn(stagingDir))) ?? []
  return entries
    .filter(entry => entry.startsWith(`${encodeURIComponent(name)}~`))
    .some(entry =>
      undefinedIfMissing(() => isSame(join(locksIn(stagingDir), entry), join(gitDir, `${name}.lock`))),
    )
}

/** Removes what processes of ours that were killed have left locked. */
export function removeStaleLockFiles(gitDir: string, stagingDir: string): void {
  for (const entry of undefinedIfMissing(() => readdirSync(locksIn(stagingDir))) ?? []) {
    const own = join(locksIn(stagingDir), entry)
    const lock = join(gitDir, `${decodeURIComponent(entry.slice(0, entry.lastIndexOf('~')))}.lock`)
    if (isSame(own, lock)) unlinkSync(lock)
    unlinkSync(own)
  }
}

/** Whether a lock is a link to a file of ours or, where there are no links, a copy of it. */
function isSame(own: string, lock: string): boolean {
  const [first, second] = [statSync(own), statSync(lock, { throwIfNoEntry: false })]
  if (!second) return false
  if (first.ino === second.ino && first.dev === second.dev) return true
  // Nobody else writes what stands there: our mark, or the name of a commit that nothing leads to yet.
  return first.size > 0 && first.size === second.size && readFileSync(own).equals(readFileSync(lock))
}
