import { type Config, defaults } from '../config.js'
import { once } from '../core/data-structures/lazy-value.js'
import { openCluster } from '../search/cluster-engine.js'
import { openEmbeddedEngine } from '../search/embedded-engine.js'
import { withFallback } from '../search/engine-fallback.js'
import type { SearchEngine } from '../search/search-engine.js'
import type { RecordsAtPoint } from '../service/record-history/read-at-point.js'
import { openSearch, type SearchService } from '../service/search/search.js'
import { openBlobReader } from '../store/objects/blob-cache.js'
import type { ComposeOptions, OnClose, Parts } from './open-parts.js'

/** Milliseconds that the search of a command waits for the index. */
const patienceOfCommands = 10 * 60 * 1000

/**
 * Opens the search. A server keeps its index at the branch; a command opens the index when it searches.
 * @returns undefined where the configuration has no search
 */
export function openConfiguredSearch(
  config: Config,
  options: Pick<ComposeOptions, 'report' | 'serving' | 'renderIndexEntry'>,
  parts: Pick<Parts, 'repository' | 'catalog'>,
  past: Pick<RecordsAtPoint, 'find'>,
  onClose: OnClose,
): SearchService | undefined {
  if (config.search === 'none') return undefined
  const { serving = false } = options
  const { catalog } = parts
  let opened: SearchEngine | undefined
  onClose(async () => await opened?.close())
  const engine = once(() => {
    opened = openEngine(config, options, parts)
    return opened
  })
  if (serving) engine()
  return openSearch({ catalog, past, engine, patience: serving ? 0 : patienceOfCommands })
}

function openEngine(
  config: Config,
  {
    report,
    renderIndexEntry,
    serving = false,
  }: Pick<ComposeOptions, 'report' | 'renderIndexEntry' | 'serving'>,
  { repository, catalog }: Pick<Parts, 'repository' | 'catalog'>,
): SearchEngine {
  const { searchCluster } = config
  const embedded = () =>
    openEmbeddedEngine({
      catalog,
      objects: repository.objects,
      folder: repository.ownDir,
      gitDir: repository.gitDir,
      // A command has no such option: it takes the index of the server as it is.
      textLimit: serving || hasOwnLimit(config) ? textLimitOf(config) : undefined,
      report,
    })
  if (!searchCluster) return embedded()
  if (!renderIndexEntry) throw new Error('A search cluster needs a format of its documents.')
  const { base = '', hasFallback, ...options } = searchCluster
  const cluster = openCluster(
    { ...options, base, renderEntry: revision => renderIndexEntry(revision, `${base}/api/v2`) },
    { catalog, readDocument: openBlobReader(repository.objects).read, report },
  )
  return hasFallback ? withFallback(cluster, embedded()) : cluster
}

/** In characters; 0: documents are not indexed. */
function textLimitOf({ search, searchText }: Pick<Config, 'search' | 'searchText'>): number {
  return search === 'full' ? searchText : 0
}

function hasOwnLimit(config: Config): boolean {
  return textLimitOf(config) !== textLimitOf(defaults)
}
