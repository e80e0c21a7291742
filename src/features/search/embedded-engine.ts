import { toRevision } from '../../catalog/read/revision-row.js'
import { ProblemError } from '../../core/problem.js'
import { ProcessEnded } from '../../store/workers/job-process.js'
import {
  type FindJob,
  type FindLimits,
  type FindProcessResults,
  type FoundHits,
  findLimits,
  type SuggestJob,
} from './find/find-jobs.js'
import type { SearchPlace } from './index/index-thread-jobs.js'
import { type IndexerOptions, openSearchIndexer } from './index/search-indexer.js'
import { openPastReader } from './past/past-reader.js'
import { openSearchReader } from './processes/search-reader.js'
import type { SearchCaller, SearchEngine, SearchHit, SearchRequest } from './search-engine.js'

/** Limit of the milliseconds that searches right after the start wait for the first index. */
const firstIndexWait = 2000

export interface EmbeddedEngineOptions extends Omit<IndexerOptions, 'disconnectReaders'> {
  /** Default: {@link findLimits}. */
  readonly limits?: Partial<FindLimits>
}

/**
 * The search of this program itself. A thread keeps an index, a separate file, up to date with the catalog. Processes
 * answer searches, so that neither waits for the other, and a search that takes too long can be ended.
 * @see docs/decisions/012-search-index.md
 */
export function openEmbeddedEngine(options: EmbeddedEngineOptions): SearchEngine {
  const { catalog, objects } = options
  const limits = { ...findLimits, ...options.limits }
  const check = () => void catalog.identity()
  const reader = openSearchReader(objects, check, limits)
  const past = openPastReader(objects, check, limits)
  async function disconnectReaders(): Promise<void> {
    await Promise.all([reader.disconnect(), past.disconnect()])
  }
  const indexer = openSearchIndexer({ ...options, disconnectReaders })
  catalog.addReader({ disconnect: indexer.disconnect })
  const waitForFirstIndex = openFirstIndexWait(catalog, indexer)

  async function translatingErrors<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked
    } catch (thrown) {
      if (!(thrown instanceof ProcessEnded)) throw indexer.toProblem(thrown)
      const message = 'The search was interrupted. Try again.'
      throw new ProblemError('unavailable', message, { retryAfter: 2 }, { cause: thrown })
    }
  }

  async function ask<J extends FindJob | SuggestJob>(
    job: (place: SearchPlace) => J,
    caller: SearchCaller,
  ): Promise<FindProcessResults[J['do']]> {
    await waitForFirstIndex(caller)
    return await translatingErrors(reader.ask(() => job(indexer.place()), caller.client))
  }

  async function resultOf(page: FoundHits, request: SearchRequest, { client }: SearchCaller) {
    const { hits, isCurrent, ...rest } = page
    const highlights = await reader.highlights(hits, request, client)
    return {
      ...rest,
      hits: hits.map(({ row, score }, index): SearchHit => {
        return {
          revision: toRevision(row),
          highlights: highlights[index] ?? [],
          ...(score !== undefined && { score }),
        }
      }),
      upToDate: isCurrent && page.commit === catalog.head(),
      engine: 'embedded',
    }
  }

  return {
    async search(caller, request) {
      const { visibility } = caller
      const page = await ask(place => ({ do: 'find', ...place, visibility, request, limits }), caller)
      return await resultOf(page, request, caller)
    },
    async searchAt(caller, request, commit) {
      const { visibility, client } = caller
      const job = () => ({ ...indexer.place(), visibility, request, limits, commit })
      const page = await translatingErrors(past.find(job, client))
      return page && (await resultOf(page, request, caller))
    },
    async suggest(caller, request) {
      const { visibility } = caller
      return await ask(place => ({ do: 'suggest', ...place, visibility, request }), caller)
    },
    progress: indexer.progress,
    waitFor: indexer.waitFor,
    async close() {
      await indexer.close()
      await reader.close()
      await past.close()
    },
  }
}

/**
 * Opens a wait for the first index after the start, which a small repository has in a moment. Calls after the first one
 * do not wait.
 */
function openFirstIndexWait(
  catalog: IndexerOptions['catalog'],
  indexer: ReturnType<typeof openSearchIndexer>,
): (caller: SearchCaller) => Promise<void> {
  let mayWait = true
  return async ({ client }) => {
    const head = catalog.head()
    const { isMissing, lastError } = indexer.progress()
    if (mayWait && isMissing && lastError === undefined && head !== undefined)
      await indexer.waitFor(head, firstIndexWait, client?.signal ?? new AbortController().signal)
    mayWait = false
  }
}
