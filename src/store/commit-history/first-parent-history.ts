import type { Oid } from '../../core/value-types.js'
import type { CommitInfo } from '../objects/commit-format.js'

/** One path that differs between a commit and its first parent (or the empty tree). */
export interface PathChange {
  /** Path in the tree, with `/` as separator. */
  readonly path: string
  /** Blob after the commit; undefined if the path was removed. */
  readonly after?: Oid
  /** Mode after the commit in Git's notation: `100644`, `120000`, `160000`… */
  readonly mode?: string
}

export interface CommitChanges {
  readonly commit: CommitInfo
  readonly changes: readonly PathChange[]
}

/**
 * The relation of a commit to an older one. `ahead`: the old one is on its first-parent chain. `merged`: the old one is
 * an ancestor, but not on the first-parent chain. `rewritten`: the old one is not an ancestor.
 */
export type HistoryRelation = 'same' | 'ahead' | 'merged' | 'rewritten'

/**
 * Reads the first-parent history of one repository. Implementations: `git-log.ts` and `object-walk.ts` (without git).
 */
export interface History {
  /**
   * The commits of the first-parent chain of `to` after `from`, oldest first, with their changes against their first
   * parents. A rename is a removal and an addition. Memory does not grow with the history, because this is a stream.
   * @param from undefined: from the beginning
   * @param signal aborts the walk when the client has gone or the time limit is reached
   */
  walk(from: Oid | undefined, to: Oid, signal?: AbortSignal): AsyncIterable<CommitChanges>
  relation(old: Oid, now: Oid, signal?: AbortSignal): Promise<HistoryRelation>
  /**
   * Whether an existing commit is one of the tips or an ancestor of a tip.
   * @param signal aborts
   */
  reaches(tips: readonly Oid[], commit: Oid, signal?: AbortSignal): Promise<boolean>
  commit(oid: Oid): Promise<CommitInfo>
}
