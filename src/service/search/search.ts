import type { Principal } from '../../core/access-control.js'
import type { PointExpression } from '../../core/history-point.js'
import type { Oid } from '../../core/value-types.js'
import type { IndexProgress, SearchRequest, SearchResult } from '../../search/search-engine.js'

/** A search of a caller. */
export interface SearchOf extends SearchRequest {
  /** The point of history that is searched; default: now. */
  readonly at?: PointExpression
}

/** Search over what the caller may read. */
export interface SearchService {
  /**
   * @throws ProblemError as {@link SearchEngine.search}; `malformed-request` for a point of history that the index does
   *   not reflect; `not-found` for one that does not exist
   */
  search(caller: Principal, request: SearchOf): Promise<SearchResult>
  /** Titles of readable records that have a word with this beginning. @throws ProblemError `unavailable` */
  suggest(caller: Principal, beginning: string, limit: number): Promise<readonly string[]>
  progress(): IndexProgress
  /**
   * Resolves with true when the index reflects the commit, with false after the time or on abort.
   * @throws ProblemError `not-found` for a commit that is not in the served history
   */
  waitFor(commit: Oid, milliseconds: number, signal: AbortSignal): Promise<boolean>
}
