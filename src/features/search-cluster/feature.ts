import { flag, text } from '../../cli/arguments/option-table.js'
import { serveGroup as group } from '../../cli/arguments/shared-options.js'
import { defineFeature } from '../../feature.js'
import { searchOf } from '../search/feature.js'

/** An OpenSearch or Elasticsearch cluster that answers searches. @see docs/use/search-cluster.md */
export const searchCluster = defineFeature({
  name: 'search-cluster',
  needs: ['search'],
  options: {
    'search-url': {
      ...text,
      group,
      describe:
        'URL of an OpenSearch or Elasticsearch cluster that answers searches in place of the own index',
    },
    'search-index': {
      ...text,
      group,
      default: 'metastore-',
      describe: 'Beginning of the names of the indices in the cluster',
    },
    'search-credentials-file': {
      ...text,
      group,
      describe: 'File with user:password of the cluster; default: METASTORE_SEARCH_CREDENTIALS has it',
    },
    'search-fallback': {
      choices: ['embedded'] as const,
      requiresArg: true,
      group,
      describe: 'Answer from the own index while the cluster does not answer',
    },
    'search-ids': {
      choices: ['url', 'bare'] as const,
      requiresArg: true,
      group,
      describe: 'Ids of documents in the cluster: addresses of records below --base-url, or bare ids',
      defaultDescription: 'url',
    },
    'search-refill': {
      ...flag,
      group,
      describe: 'Fill new indices in the cluster, and replace the present ones when they are complete',
    },
  },
  commands: [
    {
      usage: 'connector <action> [name]',
      describe: 'Show what gets every revision, such as a search cluster; pause, resume or rewind it',
      load: async () => (await import('./connectors/connector-command.js')).connectorCommand,
    },
  ],
  async validate(options, all) {
    const { clusterSettings } = await import('./cluster-settings.js')
    return await clusterSettings(options, all.search, all['base-url'] as string | undefined)
  },
  async open(parts, _options, settings) {
    const { openSearchCluster } = await import('./open-search-cluster.js')
    return openSearchCluster(parts, searchOf(parts), settings)
  },
  async readStatus(clone) {
    const { connectorStatus } = await import('./connectors/connector-command.js')
    return await connectorStatus(clone)
  },
})
