import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileAtomically, undefinedIfMissing } from '../file-system/durable-files.js'

/*
 * A file that says when `.git/index.lock` was free for git commands. All processes of ours share it: two servers that take
 * the lock from each other would leave git no gap otherwise. Only the holder of the lock between processes reads or writes
 * it. Its times are milliseconds since 1970, as processes share no other clock.
 */

/** Milliseconds a turn of git commands lasts: longer than a script waits between two tries. */
export const longestGitTurn = 200
/** One millisecond without the lock, in a gap shorter than a turn, makes up for this many with it. */
const credit = 3

/** How a process of ours left the index when it released the lock. */
export interface IndexRelease {
  readonly at: number
  /** Milliseconds the lock was held before, without a turn of git commands. */
  readonly held: number
  /** Milliseconds of the turn that began; 0: no turn. */
  readonly turn: number
  /** The state of the index file; git replaces it with every change. */
  readonly index: string | undefined
}

export interface IndexTurns {
  /** Says that the lock is released now. */
  released(held: number, turn: number): void
  /** The last release by a process of ours; undefined: none is known, or the clock was put back since. */
  last(): (IndexRelease & { readonly ago: number }) | undefined
  /** Milliseconds for which the lock counts as held already where it is taken now. */
  heldBefore(): number
  /** The state of the index file now. */
  index(): string | undefined
}

export function openIndexTurns(gitDir: string, ownDir: string): IndexTurns {
  const file = join(ownDir, 'index-turns')

  function index(): string | undefined {
    const found = undefinedIfMissing(() => statSync(join(gitDir, 'index'), { bigint: true }))
    return found && `${found.ino} ${found.mtimeNs}`
  }

  function last(): ReturnType<IndexTurns['last']> {
    const release = parse(undefinedIfMissing(() => readFileSync(file, 'utf8')) ?? '')
    const ago = release ? Date.now() - release.at : -1
    return release && ago >= 0 ? { ...release, ago } : undefined
  }

  return {
    released(held, turn) {
      const release: IndexRelease = { at: Date.now(), held: Math.round(held), turn, index: index() }
      replaceFileAtomically(file, `${JSON.stringify(release)}\n`)
    },
    last,
    heldBefore() {
      const release = last()
      if (!release || release.ago >= longestGitTurn) return 0
      return Math.max(0, release.held - credit * release.ago)
    },
    index,
  }
}

/** @returns undefined for anything else than a release: the file is not durable, so a crash may leave it empty */
function parse(text: string): IndexRelease | undefined {
  try {
    const { at, held, turn, index } = JSON.parse(text) as Partial<IndexRelease>
    if (![at, held, turn].every(Number.isFinite)) return undefined
    return { at: at as number, held: held as number, turn: turn as number, index }
  } catch {
    return undefined
  }
}
