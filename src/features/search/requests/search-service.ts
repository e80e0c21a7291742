import type { Catalog } from '../../../catalog/catalog.js'
import { type Principal, seesEverything } from '../../../core/access-control.js'
import type { HistoryPoint, PointExpression } from '../../../core/history-point.js'
import { malformedRequest, ProblemError, shuttingDown } from '../../../core/problem.js'
import type { Oid } from '../../../core/value-types.js'
import { findIfReadable } from '../../../service/access/find-record.js'
import { visibilityOf } from '../../../service/access/visible-lists.js'
import type { RecordsAtPoint } from '../../../service/points/read-at-point.js'
import type { SearchCondition } from '../search-condition.js'
import type {
  IndexProgress,
  SearchCaller,
  SearchEngine,
  SearchRequest,
  SearchResult,
  SuggestionRequest,
} from '../search-engine.js'

/** A search of a caller. */
export interface SearchOf extends SearchRequest {
  /** The point of history that is searched; default: now. */
  readonly at?: PointExpression
}

/** Limit of the length of a beginning for which titles are suggested, in UTF-16 units. */
const maxBeginningLength = 1000

const adviseForSearch = (base: string) =>
  `The search has no index of it. Search where the branch began with at=${base}, list the records of the branch without a query, or clone the repository, switch to the branch, and search the clone: git-metastore search … --data <folder>.`

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
      const point = at && (await past.find(caller, at, adviseForSearch))
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

/** How far the search index follows the branch. */
export interface SearchProgress extends IndexProgress {
  /** Number of commits that searches do not reflect yet. */
  readonly lagCommits: number
  /** Age in seconds of the oldest revision that searches do not find yet. */
  readonly lagSeconds: number
}

/** Compares what the search index reflects with the served history. */
interface IndexLag {
  /** The number of the last revision up to a commit. */
  revisionAt(commit: Oid | undefined): number
  /** How far a result is behind the head, for callers who see everything. Commits may come during the search. */
  behindHead(result: SearchResult): Required<Pick<SearchResult, 'upToDate' | 'lag'>>
  /** The lag in commits and in seconds. */
  lagOf(progress: IndexProgress): Pick<SearchProgress, 'lagCommits' | 'lagSeconds'>
}

function openIndexLag(catalog: Pick<Catalog, 'feed' | 'head' | 'chain'>): IndexLag {
  const revisionAt = (commit: Oid | undefined) => (commit === undefined ? 0 : catalog.feed.startOf(commit))

  return {
    revisionAt,
    behindHead({ commit, upToDate }) {
      const head = catalog.head()
      return {
        upToDate: upToDate && commit === head,
        lag: Math.max(0, revisionAt(head) - revisionAt(commit)),
      }
    },
    lagOf({ commit, upToDate }) {
      const [head, reflected] = [catalog.head(), commit].map(oid => oid && catalog.chain.positionOf(oid))
      if (upToDate || head === undefined) return { lagCommits: 0, lagSeconds: 0 }
      const since = catalog.chain.firstChangeAfter(reflected === undefined ? undefined : commit)
      return {
        lagCommits: head - (reflected ?? 0),
        lagSeconds: since === undefined ? 0 : Math.max(0, Math.round((Date.now() - since) / 1000)),
      }
    },
  }
}

/** Limit of the names of schemas that are looked up at once. */
const maxNames = 100

/** Replaces names of schemas by ids. Only callers who may read a schema learn that a name belongs to it. */
function withSchemaIds(
  committed: Catalog['committed'],
  caller: Principal,
  condition: SearchCondition,
): SearchCondition {
  switch (condition.type) {
    case 'not':
      return { ...condition, condition: withSchemaIds(committed, caller, condition.condition) }
    case 'and':
    case 'or':
      return {
        ...condition,
        conditions: condition.conditions.map(part => withSchemaIds(committed, caller, part)),
      }
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

/**
 * Waits until the index reflects the commit. A paused index is not waited for.
 * @param patience limit of the wait in milliseconds
 * @param closing aborted when the engine closes
 * @throws ProblemError `unavailable` after an error of the index, after the limit, or when the engine closes
 */
async function waitUntilUpToDate(
  engine: Pick<SearchEngine, 'waitFor' | 'progress'>,
  commit: Oid,
  patience: number,
  closing: AbortSignal,
): Promise<void> {
  const end = performance.now() + patience
  for (;;) {
    if (await engine.waitFor(commit, 500, closing)) return
    if (closing.aborted) throw shuttingDown()
    const { lag, lastError, isPaused } = engine.progress()
    // A paused index is not brought up to date until a command resumes it.
    if (isPaused) return
    if (lastError === undefined && performance.now() < end) continue
    const why = lastError === undefined ? `${lag} revisions are left` : lastError
    throw new ProblemError('unavailable', `The search index is not up to date: ${why}. Try again.`)
  }
}
