import type { Catalog } from '../../catalog/catalog.js'
import { type Principal, seesEverything } from '../../core/access-control.js'
import type { HistoryPoint, PointExpression } from '../../core/history-point.js'
import { malformedRequest, ProblemError, shuttingDown } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { SearchCondition } from '../../search/search-condition.js'
import type {
  IndexProgress,
  SearchCaller,
  SearchEngine,
  SearchRequest,
  SearchResult,
  SuggestionRequest,
} from '../../search/search-engine.js'
import type { RecordsAtPoint } from '../record-history/read-at-point.js'
import { findIfReadable } from '../rules/find-record.js'
import { visibilityOf } from '../rules/visible-lists.js'

/** A search of a caller. */
export interface SearchOf extends SearchRequest {
  /** The point of history that is searched; default: now. */
  readonly at?: PointExpression
}

/** Limit of the length of a beginning for which titles are suggested, in UTF-16 units. */
const maxBeginningLength = 1000

/** How far the search index follows the branch. */
export interface SearchProgress extends IndexProgress {
  /** Number of commits that searches do not reflect yet. */
  readonly lagCommits: number
  /** Age in seconds of the oldest revision that searches do not find yet. */
  readonly lagSeconds: number
}

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
  const { committed, feed } = catalog

  function seenBy(caller: Principal): SearchCaller {
    return { visibility: visibilityOf(committed, caller), client: caller.client }
  }

  /** The engine. In a command, which has just opened the index, waits until the index is up to date. */
  async function readyEngine(): Promise<SearchEngine> {
    const opened = engine()
    const head = catalog.head()
    if (patience === 0 || head === undefined) return opened
    const end = performance.now() + patience
    for (;;) {
      if (await opened.waitFor(head, 500, closing)) break
      if (closing.aborted) throw shuttingDown()
      const { lag, lastError, isPaused } = opened.progress()
      // A paused index is not brought up to date until a command resumes it.
      if (isPaused) break
      if (lastError === undefined && performance.now() < end) continue
      const why = lastError === undefined ? `${lag} revisions are left` : lastError
      throw new ProblemError('unavailable', `The search index is not up to date: ${why}. Try again.`)
    }
    return opened
  }

  /** The number of the last revision up to a commit. */
  const revisionAt = (commit: Oid | undefined) => (commit === undefined ? 0 : feed.startOf(commit))

  /**
   * The last commit, up to a point, that changed something visible to a caller who does not see everything. Later
   * commits must not be revealed to that caller: neither as the commit of an answer, nor by a refusal.
   */
  function lastVisibleCommit({ visibility }: SearchCaller, at?: HistoryPoint): Oid | undefined {
    return committed.list('metadata', visibility, { offset: 0, limit: 1, ...(at && { at }) }).commit
  }

  /** How far a result is behind the head, for callers who see everything. Commits may come during the search. */
  function behindHead({ commit, upToDate }: SearchResult): Required<Pick<SearchResult, 'upToDate' | 'lag'>> {
    const head = catalog.head()
    return {
      upToDate: upToDate && commit === head,
      lag: Math.max(0, revisionAt(head) - revisionAt(commit)),
    }
  }

  function lagOf({ commit, upToDate }: IndexProgress): Pick<SearchProgress, 'lagCommits' | 'lagSeconds'> {
    const [head, reflected] = [catalog.head(), commit].map(oid => oid && catalog.chain.positionOf(oid))
    if (upToDate || head === undefined) return { lagCommits: 0, lagSeconds: 0 }
    const since = catalog.chain.firstChangeAfter(reflected === undefined ? undefined : commit)
    return {
      lagCommits: head - (reflected ?? 0),
      lagSeconds: since === undefined ? 0 : Math.max(0, Math.round((Date.now() - since) / 1000)),
    }
  }

  return {
    async search(caller, { at, ...request }) {
      const point = at && (await past.find(caller, at, 'search'))
      const opened = await readyEngine()
      const seen = seenBy(caller)
      const newest = seesEverything(caller) ? catalog.head() : lastVisibleCommit(seen)
      const wanted = {
        ...request,
        condition: withSchemaIds(request.condition, caller),
        ...(request.filter && { filter: withSchemaIds(request.filter, caller) }),
      }
      if (point) {
        const then = seesEverything(caller) ? point.commit : lastVisibleCommit(seen, point)
        const upToDate = revisionAt(then) === revisionAt(newest)
        if (opened.searchAt || !upToDate) {
          const found = await searchPast(opened, seen, wanted, then ?? point.commit)
          return { ...found, upToDate, commit: then }
        }
      }
      const found = await opened.search(seen, wanted)
      const upToDate = revisionAt(found.commit) >= revisionAt(newest)
      const known = seesEverything(caller)
        ? { ...found, ...behindHead(found) }
        : { ...found, upToDate, commit: upToDate ? newest : undefined }
      if (point && !known.upToDate) throw notIndexed(point.commit)
      return known
    },
    async suggest(caller, { condition, ...request }) {
      if (request.beginning.length > maxBeginningLength)
        throw malformedRequest(`Titles are suggested for at most ${maxBeginningLength} characters.`)
      const opened = await readyEngine()
      return await opened.suggest(seenBy(caller), {
        ...request,
        ...(condition && { condition: withSchemaIds(condition, caller) }),
      })
    },
    progress() {
      const progress = engine().progress()
      return { ...progress, ...lagOf(progress) }
    },
    waitFor: async (commit, milliseconds, signal) => engine().waitFor(commit, milliseconds, signal),
  }

  /** Replaces names of schemas by ids. Only callers who may read a schema learn that a name belongs to it. */
  function withSchemaIds(condition: SearchCondition, caller: Principal): SearchCondition {
    switch (condition.type) {
      case 'not':
        return { ...condition, condition: withSchemaIds(condition.condition, caller) }
      case 'and':
      case 'or':
        return { ...condition, conditions: condition.conditions.map(part => withSchemaIds(part, caller)) }
      case 'equals': {
        if (condition.field !== 'schema' || condition.values.length > maxNames) return condition
        const values = condition.values.map(
          name => findIfReadable(committed, caller, 'schema', name)?.id ?? name,
        )
        return { ...condition, values }
      }
      default:
        return condition
    }
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
  const found = await engine.searchAt(caller, request, commit)
  if (found) return found
  throw notIndexed(commit)
}

function notIndexed(commit: Oid): ProblemError {
  const message = `The search index does not have the commit ${commit} yet. Try again.`
  return new ProblemError('unavailable', message, { retryAfter: 1 })
}

/** Limit of the names of schemas that are looked up at once. */
const maxNames = 100
