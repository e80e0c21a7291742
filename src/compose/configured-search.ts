import { type Config, defaults } from '../config.js'
import { once } from '../core/data-structures/lazy-value.js'
import { connectorFiles } from '../search/connectors/connector-files.js'
import { openEmbeddedEngine } from '../search/embedded-engine.js'
import { withFallback } from '../search/engine-fallback.js'
import type { SearchEngine } from '../search/search-engine.js'
import type { RecordsAtPoint } from '../service/points/read-at-point.js'
import { openSearch, type SearchService } from '../service/search/search.js'
import { openBlobReader } from '../store/blobs/blob-reader.js'
import type { OnClose, PartOptions, Parts } from './open-parts.js'

/** Limit of the milliseconds that the search of a command waits for the search index. */
const patienceOfCommands = 10 * 60 * 1000
/**
 * Opens the search. A server keeps its search index up to date with the branch; a command opens it when it searches.
 * @returns undefined if the configuration switches the search off
 */
export async function openConfiguredSearch(
  config: Config,
  options: EngineOptions,
  parts: Pick<Parts, 'repository' | 'catalog'>,
  past: Pick<RecordsAtPoint, 'find'>,
  onClose: OnClose,
): Promise<SearchService | undefined> {
  const { serving = false } = options
  if (serving && !config.searchCluster) connectorFiles(parts.repository.ownDir, 'search').deleteStatus()
  if (config.search === 'none') return undefined
  const openCluster = config.searchCluster && (await loadCluster(config.searchCluster))
  const { catalog } = parts
  let opened: SearchEngine | undefined
  const closing = new AbortController()
  onClose(async () => {
    closing.abort()
    await opened?.close()
  })
  const engine = once(() => {
    opened = openEngine(config, options, parts, openCluster)
    return opened
  })
  if (serving) engine()
  const patience = serving ? 0 : patienceOfCommands
  return openSearch({ catalog, past, engine, patience, closing: closing.signal })
}

type EngineOptions = Pick<PartOptions, 'report' | 'renderIndexEntry' | 'serving' | 'findLimits'>
type EngineParts = Pick<Parts, 'repository' | 'catalog'>
type OpenCluster = (options: EngineOptions, parts: EngineParts) => SearchEngine

/** Loads the code of the cluster, which most servers and commands do not need. */
async function loadCluster(settings: NonNullable<Config['searchCluster']>): Promise<OpenCluster> {
  const { openCluster } = await import('../search/cluster-engine.js')
  const { base = '', ...options } = settings
  return ({ report, renderIndexEntry }, { repository, catalog }) => {
    if (!renderIndexEntry) throw new Error('A search cluster needs a format of its documents.')
    return openCluster(
      { ...options, base, renderEntry: revision => renderIndexEntry(revision, `${base}/api/v2`) },
      {
        catalog,
        folder: repository.ownDir,
        readDocument: openBlobReader(repository.objects).read,
        report,
      },
    )
  }
}

function openEngine(
  config: Config,
  options: EngineOptions,
  parts: EngineParts,
  openCluster: OpenCluster | undefined,
): SearchEngine {
  const { report, serving = false, findLimits = {} } = options
  const { repository, catalog } = parts
  const embedded = () =>
    openEmbeddedEngine({
      catalog,
      objects: repository.objects,
      folder: repository.ownDir,
      gitDir: repository.gitDir,
      // A command without a limit of its own takes the index as the server has made it.
      textLimit: serving || hasOwnLimit(config) ? textLimitOf(config) : undefined,
      limits: findLimits,
      report,
    })
  if (!openCluster) return embedded()
  const cluster = openCluster(options, parts)
  return config.searchCluster?.hasFallback ? withFallback(cluster, embedded()) : cluster
}

/** Limit of the indexed text of a document, in characters; 0: documents are not indexed. */
function textLimitOf({ search, searchText }: Pick<Config, 'search' | 'searchText'>): number {
  return search === 'full' ? searchText : 0
}

function hasOwnLimit(config: Config): boolean {
  return textLimitOf(config) !== textLimitOf(defaults)
}
