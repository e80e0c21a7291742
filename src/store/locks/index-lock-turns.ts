import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { tryParseJson } from '../../core/json/try-parse.js'
import { replaceFileAtomically } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'

/** Length of a turn for git commands, in milliseconds: longer than a script waits before it tries to lock again. */
export const maxGitTurn = 200
/** If the lock is free for less than a turn, each millisecond of that cancels this many milliseconds of holding it. */
const credit = 3

/** A record of the moment when one of our processes released the lock. */
interface IndexRelease {
  readonly at: number
  /** Milliseconds for which the lock was held since the last turn for git commands. */
  readonly held: number
  /** Length of the turn for git commands that began then, in milliseconds; 0 if none began. */
  readonly turn: number
  /** Inode and modification time of the index file; git replaces the file with every change. */
  readonly index: string | undefined
}

/**
 * A file that records when `.git/index.lock` was free for git commands. All git-metastore processes on the repository
 * share it. Otherwise two servers that alternate on the lock would leave no gap for git. Only the holder of the process
 * lock reads or writes the file. Times are milliseconds since 1970, because processes share no other clock.
 */
export class IndexLockTurns {
  readonly #file: string
  readonly #indexFile: string

  constructor(gitDir: string, ownDir: string) {
    this.#file = join(ownDir, 'index-turns')
    this.#indexFile = join(gitDir, 'index')
  }

  /** Records that the lock is released now. */
  released(held: number, turn: number): void {
    const release: IndexRelease = { at: Date.now(), held: Math.round(held), turn, index: this.index() }
    replaceFileAtomically(this.#file, `${JSON.stringify(release)}\n`)
  }

  /** The last recorded release; undefined if there is none, or if the clock was set back since. */
  last(): (IndexRelease & { readonly ago: number }) | undefined {
    const release = parse(undefinedIfMissing(() => readFileSync(this.#file, 'utf8')) ?? '')
    const ago = release ? Date.now() - release.at : -1
    return release && ago >= 0 ? { ...release, ago } : undefined
  }

  /** Milliseconds for which the lock already counts as held if it is taken now. */
  heldBefore(): number {
    const release = this.last()
    if (!release || release.ago >= maxGitTurn) return 0
    return Math.max(0, release.held - credit * release.ago)
  }

  /** Inode and modification time of the index file; undefined if there is no such file. */
  index(): string | undefined {
    const found = undefinedIfMissing(() => statSync(this.#indexFile, { bigint: true }))
    return found && `${found.ino} ${found.mtimeNs}`
  }
}

/** @returns undefined if the text is not a release: the file is not synced, so a crash may leave it empty */
function parse(text: string): IndexRelease | undefined {
  const { at, held, turn, index } = (tryParseJson(text) ?? {}) as Partial<IndexRelease>
  if (![at, held, turn].every(Number.isFinite)) return undefined
  return { at: at as number, held: held as number, turn: turn as number, index }
}
