import { defineFeature } from '../../feature.js'
import { searchOf } from '../search/feature.js'
import type { SearchState } from '../search/open-search.js'

/** The routes on which existing frontends search in the Elasticsearch query language. @see docs/use/search.md */
export const elasticsearchApi = defineFeature({
  name: 'elasticsearch-api',
  needs: ['search'],
  async loadRoutes() {
    const { searchProxyRoutes } = await import('./search-proxy-routes.js')
    const { answerAsElasticsearch } = await import('./elasticsearch-problems.js')
    return { versionRoutes: searchProxyRoutes, answerProblem: answerAsElasticsearch }
  },
  open: async (parts): Promise<{ readonly state: SearchState | undefined }> => ({ state: searchOf(parts) }),
})
