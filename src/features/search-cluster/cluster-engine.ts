import type { Catalog } from '../../catalog/catalog.js'
import { type Collection, collectionNames } from '../../core/records/collection.js'
import type { Id, Oid } from '../../core/value-types.js'
import type { ReadRecordAuthor } from '../../service/record-history/record-author.js'
import { searchTextVersion } from '../search/index/search-tables.js'
import type { SearchEngine } from '../search/search-engine.js'
import { openClusterClient } from './cluster/cluster-client.js'
import type { RenderEntry } from './cluster/cluster-document.js'
import { followCatalog } from './cluster/follow-catalog.js'
import { indexNames } from './cluster/index-names.js'
import { documentVersion } from './cluster/index-template.js'
import type { ClusterSettings } from './cluster-settings.js'
import { connectorFiles, openConnectorControl } from './connectors/connector-files.js'
import { openClusterSearch } from './queries/cluster-search.js'

interface ClusterParts {
  readonly catalog: Catalog
  /** Our own folder in the Git directory, in which commands leave what the connector is asked to do. */
  readonly folder: string
  readDocument(blob: Oid): Promise<Uint8Array>
  readonly readAuthor: ReadRecordAuthor
  /** Address of the module that describes documents; undefined if there is none. */
  describeModule(): string | undefined
  readonly renderEntry: RenderEntry
  /** Takes a line for the operator. */
  readonly report: (line: string) => void
}

/** Limits of the milliseconds of a search: without, and with another engine that answers instead. */
const timeouts = { alone: 30_000, withFallback: 5000 }

/**
 * Opens the search in an OpenSearch or Elasticsearch cluster, and begins to send every revision there. It does not wait
 * for the cluster, and does not fail without it.
 */
export function openCluster(
  settings: ClusterSettings,
  { catalog, folder, readDocument, readAuthor, describeModule, renderEntry, report }: ClusterParts,
): SearchEngine {
  const { base = '', hasBareIds, refill, hasFallback, checkInterval = 60_000 } = settings
  const openClient = (ended?: AbortSignal) => openClusterClient(settings.url, settings.credentials, ended)
  const names = indexNames(settings.prefix)
  const idOf = ({ kind, id }: { readonly kind: Collection; readonly id: Id }) =>
    hasBareIds ? id : `${base}/api/v2/${collectionNames[kind]}/${id}`
  const identity = `${documentVersion}.${searchTextVersion} ${base}${hasBareIds ? ' id' : ''}`
  const follower = followCatalog({
    ...{ openClient, names, catalog, readDocument, readAuthor, describeModule, renderEntry, idOf },
    ...{ identity, refill, report, checkInterval },
    control: openConnectorControl(connectorFiles(folder, 'search'), report),
  })
  const { search, suggest } = openClusterSearch({
    ...{ client: openClient(), names, catalog, readDocument, idOf, reflected: follower.reflected },
    timeout: hasFallback ? timeouts.withFallback : timeouts.alone,
    repeats: !hasFallback,
    report,
  })

  /** Number of revisions that the cluster does not reflect yet. */
  function lag(): number {
    const [head, commit] = [catalog.head(), follower.reflected()]
    if (head === undefined) return 0
    const isKnown = commit !== undefined && catalog.chain.positionOf(commit) !== undefined
    return catalog.feed.startOf(head) - (isKnown ? catalog.feed.startOf(commit) : 0)
  }

  return {
    search,
    suggest,
    progress() {
      const commit = follower.reflected()
      const lastError = follower.lastError()
      const again = follower.again().map(({ schema, done, total }) => ({ schema, done, total }))
      return {
        commit,
        upToDate: commit !== undefined && commit === catalog.head(),
        lag: lag(),
        isMissing: commit === undefined,
        ...(again.length > 0 && { again }),
        ...(follower.isPaused() && { isPaused: true }),
        ...(lastError !== undefined && { lastError }),
      }
    },
    waitFor: follower.waitFor,
    close: follower.close,
  }
}
