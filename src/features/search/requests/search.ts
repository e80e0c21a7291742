import type { Catalog } from '../../../catalog/catalog.js'
import { type Principal, seesEverything } from '../../../core/access-control.js'
import type { HistoryPoint, PointExpression } from '../../../core/history-point.js'
import { malformedRequest, ProblemError } from '../../../core/problem.js'
import type { Oid } from '../../../core/value-types.js'
import { visibilityOf } from '../../../service/access/visible-lists.js'
import type { RecordsAtPoint } from '../../../service/points/read-at-point.js'
import type {
  SearchCaller,
  SearchEngine,
  SearchRequest,
  SearchResult,
  SuggestionRequest,
} from '../search-engine.js'
import { openIndexLag, type SearchProgress } from './index-lag.js'
import { withSchemaIds } from './schema-names.js'
import { waitUntilUpToDate } from './wait-for-index.js'

/** A search of a caller. */
export interface SearchOf extends SearchRequest {
  /** The point of history that is searched; default: now. */
  readonly at?: PointExpression
}

/** Limit of the length of a beginning for which titles are suggested, in UTF-16 units. */
const maxBeginningLength = 1000

/** Search over what the caller may read. */
export interface SearchService {
  /**
   * Values of the field `schema` may be any names of schemas. `commit` and `upToDate` of the result are about what the
   * caller sees: the last commit that changed any of it.
   * @throws ProblemError as {@link SearchEngine.search}; `malformed-request` for a point of history after which too
   *   much has changed; `not-found` for one that does not exist
   */
  search(caller: Principal, request: SearchOf): Promise<SearchResult>
  /**
   * Titles of records that the caller may read. The condition may name schemas as in `search`.
   * @throws ProblemError `unavailable`; `malformed-request` for a beginning that is too long
   */
  suggest(caller: Principal, request: SuggestionRequest): Promise<readonly string[]>
  progress(): SearchProgress
  /**
   * Waits for the index. Resolves with true when it reflects the commit, with false after the time or on abort.
   * @throws ProblemError `not-found` for a commit that is not in the served history
   */
  waitFor(commit: Oid, milliseconds: number, signal: AbortSignal): Promise<boolean>
}

interface SearchOptions {
  readonly catalog: Pick<Catalog, 'committed' | 'feed' | 'head' | 'chain'>
  readonly past: Pick<RecordsAtPoint, 'find'>
  /** Opens the engine, or returns it if it is open. */
  engine(): SearchEngine
  /** Limit in milliseconds of the wait of a search until the index is up to date; 0 in a server: no wait. */
  readonly patience: number
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal
}

export function openSearch({ catalog, past, engine, patience, closing }: SearchOptions): SearchService {
  const { committed } = catalog
  const lag = openIndexLag(catalog)

  function seenBy(caller: Principal): SearchCaller {
    return { visibility: visibilityOf(committed, caller), client: caller.client }
  }

  /** The engine. In a command, which has just opened the index, waits until the index is up to date. */
  async function readyEngine(): Promise<SearchEngine> {
    const opened = engine()
    const head = catalog.head()
    if (patience !== 0 && head !== undefined) await waitUntilUpToDate(opened, head, patience, closing)
    return opened
  }

  /**
   * The last commit, up to a point, that changed something visible to a caller who does not see everything. Later
   * commits must not be revealed to that caller: neither as the commit of an answer, nor by a refusal.
   */
  function lastVisibleCommit({ visibility }: SearchCaller, at?: HistoryPoint): Oid | undefined {
    return committed.list('metadata', visibility, { offset: 0, limit: 1, ...(at && { at }) }).commit
  }

  return {
    async search(caller, { at, ...request }) {
      const point = at && (await past.find(caller, at, 'search'))
      const opened = await readyEngine()
      const seen = seenBy(caller)
      const newest = seesEverything(caller) ? catalog.head() : lastVisibleCommit(seen)
      const wanted = {
        ...request,
        condition: withSchemaIds(committed, caller, request.condition),
        ...(request.filter && { filter: withSchemaIds(committed, caller, request.filter) }),
      }
      if (point) {
        const then = seesEverything(caller) ? point.commit : lastVisibleCommit(seen, point)
        const upToDate = lag.revisionAt(then) === lag.revisionAt(newest)
        if (opened.searchAt || !upToDate) {
          const result = await searchPast(opened, seen, wanted, then ?? point.commit)
          return { ...result, upToDate, commit: then }
        }
      }
      const result = await opened.search(seen, wanted)
      const upToDate = lag.revisionAt(result.commit) >= lag.revisionAt(newest)
      const answer = seesEverything(caller)
        ? { ...result, ...lag.behindHead(result) }
        : { ...result, upToDate, commit: upToDate ? newest : undefined }
      if (point && !answer.upToDate) throw notIndexed(point.commit)
      return answer
    },
    async suggest(caller, { condition, ...request }) {
      if (request.beginning.length > maxBeginningLength)
        throw malformedRequest(`Titles are suggested for at most ${maxBeginningLength} characters.`)
      const opened = await readyEngine()
      return await opened.suggest(seenBy(caller), {
        ...request,
        ...(condition && { condition: withSchemaIds(committed, caller, condition) }),
      })
    },
    progress() {
      const progress = engine().progress()
      return { ...progress, ...lag.lagOf(progress) }
    },
    waitFor: async (commit, milliseconds, signal) => engine().waitFor(commit, milliseconds, signal),
  }
}

/** Searches at a commit. @throws ProblemError if the index knows only the newest records, or not yet the commit */
async function searchPast(
  engine: SearchEngine,
  caller: SearchCaller,
  request: SearchRequest,
  commit: Oid,
): Promise<SearchResult> {
  if (!engine.searchAt) {
    throw malformedRequest(
      `The search knows the newest state only, and records have changed since ${commit}. Clone the repository at ` +
        'that commit, and search the clone: git-metastore search … --data <folder>.',
    )
  }
  const result = await engine.searchAt(caller, request, commit)
  if (result) return result
  throw notIndexed(commit)
}

function notIndexed(commit: Oid): ProblemError {
  const message = `The search index does not have the commit ${commit} yet. Try again.`
  return new ProblemError('unavailable', message, { retryAfter: 1 })
}
