import type { Oid } from '../../core/value-types.js'
import { type IndexFileOptions, type OpenIndex, openIndexFiles } from './index-files.js'
import type { IndexState } from './index-thread-jobs.js'

/**
 * The indexes of a repository: the own index, which follows the catalog, and a former one. The former index belongs to
 * an earlier build of the catalog, and answers searches until the own index is complete. It does not answer if the
 * history was rewritten since, because it may still have purged data.
 */
export interface IndexBuilds {
  /** The state of the own index; undefined until it is opened. */
  readonly state: IndexState | undefined
  /** The index that answers searches; undefined while there is none. */
  serving(): OpenIndex | undefined
  /** Opens the own index for a build of the catalog. */
  use(identity: string): Promise<OpenIndex>
  /** Stores the state that the own index has reached. Once it is complete, closes and deletes all other indexes. */
  reach(state: IndexState): Promise<void>
  /** Whether an index was found damaged since {@link repair}. */
  readonly isDamaged: boolean
  /** Replaces a damaged index by an empty one. */
  repair(): Promise<void>
  close(): void
}

interface BuildsOptions extends IndexFileOptions {
  /** Whether the served history has a commit. */
  isInHistory(commit: Oid): boolean
  /** Closes the connections of all threads. */
  disconnect(): Promise<void>
}

export function openIndexBuilds({ isInHistory, disconnect, ...fileOptions }: BuildsOptions): IndexBuilds {
  let isDamaged = false
  const files = openIndexFiles({
    ...fileOptions,
    onDamage() {
      isDamaged = true
      fileOptions.onDamage()
    },
  })
  let own: OpenIndex | undefined
  let former: OpenIndex | undefined
  let state: IndexState | undefined
  let othersRemoved = false

  function replaceOwn(): void {
    if (own && state?.complete && !own.database.damaged) {
      former?.close()
      former = own
    } else {
      own?.close()
    }
    own = undefined
    state = undefined
    othersRemoved = false
  }

  /** Whether the history still has the commit that an index reflects; true if the index reflects none. */
  function isOfHistory(commit: string | null | undefined): boolean {
    return commit === null || commit === undefined || isInHistory(commit as Oid)
  }

  return {
    get state() {
      return state
    },
    get isDamaged() {
      return isDamaged
    },
    serving() {
      const isComplete = state?.complete && !own?.database.damaged
      const index = isComplete ? own : former
      const commit = isComplete ? state?.commit : former?.progress()[2]
      return index?.database.damaged || !isOfHistory(commit) ? undefined : index
    },
    async use(identity) {
      if (own && state?.identity === identity) return own
      await disconnect()
      replaceOwn()
      own = files.open(identity)
      state = storedState(own, identity)
      if (!state.complete) former ??= files.openFormer(own)
      return own
    },
    async reach(reached) {
      state = reached
      if (!own || !reached.complete || othersRemoved) return
      if (former) await disconnect()
      former?.close()
      former = undefined
      files.removeOthers(own)
      othersRemoved = true
    },
    async repair() {
      isDamaged = false
      await disconnect()
      if (former?.database.damaged) {
        former.close()
        former = undefined
      }
      if (!own?.database.damaged) return
      if (state) state = { ...state, complete: false, more: true }
      own.database.recreate()
      own.database.markComplete()
    },
    close() {
      own?.close()
      former?.close()
    },
  }
}

/** The state that an index has in its file. */
function storedState(index: OpenIndex, identity: string): IndexState {
  const [, through, commit, complete] = index.progress()
  return {
    ...{ identity, through, last: through, commit: (commit ?? undefined) as Oid | undefined },
    ...{ complete: complete === 1, more: true, missing: [] },
  }
}
