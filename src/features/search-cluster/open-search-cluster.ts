import type { CoreParts } from '../../compose/compose.js'
import type { OpenFeature } from '../../http/open-feature.js'
import { serviceIndexEntryOf } from '../../http/record-formats/search-index-entry.js'
import { openBlobReader } from '../../store/blobs/blob-reader.js'
import type { SearchState } from '../search/open-search.js'
import { openCluster } from './cluster-engine.js'
import type { ClusterSettings } from './cluster-settings.js'
import { connectorFiles } from './connectors/connector-files.js'
import { withFallback } from './engine-fallback.js'

/** Lets a cluster answer searches. @param settings undefined: there is no cluster */
export function openSearchCluster(
  { repository, catalog, report, serving }: CoreParts,
  search: SearchState | undefined,
  settings: ClusterSettings | undefined,
): OpenFeature {
  if (serving && !settings) connectorFiles(repository.ownDir, 'search').deleteStatus()
  if (settings) {
    search?.replaceEngine(embedded => {
      const cluster = openCluster(settings, {
        ...{ catalog, report, folder: repository.ownDir },
        readDocument: openBlobReader(repository.objects).read,
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
