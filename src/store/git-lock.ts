import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errnoOf, orMissing, writeDurable } from './durable.js'

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

/**
 * Takes `<gitDir>/<name>.lock`.
 * @param content the future content of the file, made durable, where `install` is to be used
 * @returns undefined where somebody else has it
 */
export function takeGitLock(
  gitDir: string,
  ownDir: string,
  name: string,
  content?: Uint8Array,
): GitLock | undefined {
  const target = join(gitDir, name)
  const lock = `${target}.lock`
  const own = join(locksIn(ownDir), `${encodeURIComponent(name)}~${randomBytes(6).toString('hex')}`)
  mkdirSync(locksIn(ownDir), { recursive: true })
  if (content) writeDurable(own, [content])
  else writeFileSync(own, mark)
  try {
    linkSync(own, lock)
  } catch (thrown) {
    unlinkSync(own)
    if (errnoOf(thrown) === 'EEXIST') return undefined
    if (!noLinks.includes(errnoOf(thrown) ?? '')) throw thrown
    // The lock works without a link too, only after a kill a person has to remove it.
    return takeWithoutLink(target, content ?? Buffer.from(mark))
  }
  return {
    install() {
      renameSync(lock, target)
      unlinkSync(own)
    },
    release() {
      unlinkSync(lock)
      unlinkSync(own)
    },
  }
}

function takeWithoutLink(target: string, bytes: Uint8Array): GitLock | undefined {
  const lock = `${target}.lock`
  try {
    writeDurable(lock, [bytes])
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return undefined
    throw thrown
  }
  return { install: () => renameSync(lock, target), release: () => unlinkSync(lock) }
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
