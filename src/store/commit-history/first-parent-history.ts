import type { Oid } from '../../core/value-types.js'
import type { CommitInfo } from '../objects/commit-and-tree-parser.js'

/** One path that differs between a commit and its first parent (or the empty tree). */
export interface PathChange {
  /** Path in the tree, `/` between its parts. */
  readonly path: string
  /** Blob after the commit; undefined where the path is gone. */
  readonly after?: Oid
  /** Mode after the commit, as Git writes it: `100644`, `120000`, `160000`… */
  readonly mode?: string
}

export interface CommitChanges {
  readonly commit: CommitInfo
  readonly changes: readonly PathChange[]
}

/**
 * How a commit stands to one that was served before:
 * `same`; `ahead`: the old one is on its first-parent chain; `aside`: it is an ancestor, but a merge put it on a
 * side; `rewritten`: it is no ancestor at all.
 */
export type HistoryRelation = 'same' | 'ahead' | 'aside' | 'rewritten'

/** Reads the first-parent history of one repository. Two makers, one test suite, like {@link ObjectReader}. */
export interface History {
  /**
   * The commits of the first-parent chain of `to` after `from` (all, where `from` is undefined), oldest first, each
   * with what it changed against its first parent. Renames are a removal and an addition. Streams: memory does not
   * grow with the history.
   * @param signal ends it: a client asked, which has gone or has had its time
   */
  walk(from: Oid | undefined, to: Oid, signal?: AbortSignal): AsyncIterable<CommitChanges>
  relation(old: Oid, now: Oid, signal?: AbortSignal): Promise<HistoryRelation>
  /**
   * Says whether the commit, which is there, is one of the tips or an ancestor of one.
   * @param signal as of `walk`
   */
  reaches(tips: readonly Oid[], commit: Oid, signal?: AbortSignal): Promise<boolean>
  commit(oid: Oid): Promise<CommitInfo>
}
