import type { CoreParts } from '../../compose/compose.js'
import { ProblemError } from '../../core/problem.js'
import type { OpenFeature } from '../../http/open-feature.js'
import { serviceIndexEntryOf } from '../../http/record-formats/search-index-entry.js'
import { openRecordAuthors } from '../../service/record-history/record-author.js'
import { openBlobReader } from '../../store/blobs/blob-reader.js'
import type { SearchState } from '../search/open-search.js'
import type { SearchEngine } from '../search/search-engine.js'
import { ClusterError } from './cluster/cluster-client.js'
import { openCluster } from './cluster-engine.js'
import type { ClusterSettings } from './cluster-settings.js'
import { connectorFiles } from './connectors/connector-files.js'

/** Lets a cluster answer searches. @param settings undefined: there is no cluster */
export function openSearchCluster(
  { repository, catalog, report, serving, describeModule }: CoreParts,
  search: SearchState | undefined,
  settings: ClusterSettings | undefined,
): OpenFeature {
  if (serving && !settings) connectorFiles(repository.ownDir, 'search').deleteStatus()
  if (settings) {
    search?.replaceEngine(embedded => {
      const cluster = openCluster(settings, {
        ...{ catalog, report, describeModule, folder: repository.ownDir },
        readDocument: openBlobReader(repository.objects).read,
        readAuthor: openRecordAuthors(catalog, repository.history),
        renderEntry: revision => serviceIndexEntryOf(revision, `${settings.base ?? ''}/api/v2`),
      })
      return settings.hasFallback ? withFallback(cluster, embedded()) : cluster
    })
  }
  if (!serving || !search) return {}
  return {
    gauges: [
      {
        name: 'search_paused',
        help: '1 if the connector to the search cluster was paused by a command; 0 otherwise.',
        read: () => Number(search.progress().isPaused === true),
      },
    ],
  }
}

/** Milliseconds. A failure after more than `failure` is slow; for `rest` after it, the first engine is not asked. */
const slow = { failure: 2000, rest: 15_000 }

/**
 * Asks the second engine while the first one is unavailable, and if the cluster of the first one refuses a search. An
 * engine rejects the cursors of the other one, so a client may have to begin again at the first page.
 */
export function withFallback(first: SearchEngine, second: SearchEngine): SearchEngine {
  let restsUntil = 0
  const isResting = () => performance.now() < restsUntil

  async function askEither<T>(ask: (engine: SearchEngine) => Promise<T>): Promise<T> {
    if (isResting()) return await ask(second)
    const begun = performance.now()
    try {
      return await ask(first)
    } catch (error) {
      if (!mayBeAnswered(error)) throw error
      const now = performance.now()
      if (now - begun > slow.failure) restsUntil = now + slow.rest
      return await ask(second)
    }
  }

  return {
    search: (caller, request) => askEither(engine => engine.search(caller, request)),
    ...(second.searchAt && { searchAt: second.searchAt }),
    suggest: (caller, request) => askEither(engine => engine.suggest(caller, request)),
    progress: () => first.progress(),
    waitFor(commit, milliseconds, signal) {
      const isAway = isResting() || first.progress().lastError !== undefined
      return (isAway ? second : first).waitFor(commit, milliseconds, signal)
    },
    async close() {
      await Promise.all([first.close(), second.close()])
    },
  }
}

/** Whether the second engine may answer after this error: a cluster also refuses searches that are too large for it. */
function mayBeAnswered(error: unknown): boolean {
  return (
    error instanceof ProblemError && (error.kind === 'unavailable' || error.cause instanceof ClusterError)
  )
}
