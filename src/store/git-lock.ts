import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errnoOf, type NewFile, orMissing, writeDurable } from './durable.js'

/*
 * Git's own lock protocol: whoever creates `<file>.lock` may change `<file>`. Ours are hard links to a file in our own
 * folder, so that after a kill we know which locks are ours: a lock with the same inode. Nobody else's is ever touched.
 * Call everything here only with the writer lock held. @see git's lockfile.h
 */

export interface GitLock {
  /** Puts the lock file in the place of the file it locks, which releases it. */
  install(): void
  release(): void
}

/** What a person who looks into one of our lock files reads. */
const mark = 'git-metastore is bringing the work tree up to date\n'

/** File systems without hard links answer a link with one of these. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

const locksIn = (ownDir: string) => join(ownDir, 'locks')

/** A lock that is to be taken: a file in our own folder that becomes one. */
export interface OwnLock {
  /** To be written before the lock is taken, durably where the lock is to be installed. */
  readonly file: NewFile
  /** @returns undefined where somebody else has the lock */
  take(): GitLock | undefined
  /** Removes the file from our own folder, at the end and whatever has become of the lock. */
  forget(): void
}

/** @param content what `<gitDir>/<name>` holds once the lock was installed */
export function ownLock(gitDir: string, ownDir: string, name: string, content: Uint8Array): OwnLock {
  const target = join(gitDir, name)
  const lock = `${target}.lock`
  const own = join(locksIn(ownDir), `${encodeURIComponent(name)}~${randomBytes(6).toString('hex')}`)
  mkdirSync(locksIn(ownDir), { recursive: true })
  return {
    file: { path: own, parts: [content] },
    take() {
      if (!createLock(own, lock, content)) return undefined
      return { install: () => renameSync(lock, target), release: () => unlinkSync(lock) }
    },
    forget() {
      orMissing(() => unlinkSync(own))
    },
  }
}

/** @returns false where it is there already */
function createLock(own: string, lock: string, content: Uint8Array): boolean {
  try {
    linkSync(own, lock)
    return true
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return false
    if (!noLinks.includes(errnoOf(thrown) ?? '')) throw thrown
    // The lock works without a link too, only after a kill a person has to remove it.
    return createWithoutLink(lock, content)
  }
}

function createWithoutLink(lock: string, content: Uint8Array): boolean {
  try {
    writeDurable(lock, [content])
    return true
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return false
    throw thrown
  }
}

/**
 * Takes `<gitDir>/<name>.lock` to keep others away, not to install it.
 * @returns undefined where somebody else has it
 */
export function takeGitLock(
  gitDir: string,
  ownDir: string,
  name: string,
): Pick<GitLock, 'release'> | undefined {
  const { file, take, forget } = ownLock(gitDir, ownDir, name, Buffer.from(mark))
  writeFileSync(file.path, mark)
  let lock: GitLock | undefined
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

/** Removes what processes of ours that were killed have left locked. */
export function clearOwnLocks(gitDir: string, ownDir: string): void {
  for (const entry of orMissing(() => readdirSync(locksIn(ownDir))) ?? []) {
    const own = join(locksIn(ownDir), entry)
    const lock = join(gitDir, `${decodeURIComponent(entry.slice(0, entry.lastIndexOf('~')))}.lock`)
    const [first, second] = [statSync(own), statSync(lock, { throwIfNoEntry: false })]
    if (second && first.ino === second.ino && first.dev === second.dev) unlinkSync(lock)
    unlinkSync(own)
  }
}
