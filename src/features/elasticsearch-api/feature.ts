import { defineFeature } from '../../feature.js'

/** The routes on which existing frontends search in the Elasticsearch query language. @see docs/use/search.md */
export const elasticsearchApi = defineFeature({
  name: 'elasticsearch-api',
  async loadRoutes() {
    const { searchProxyRoutes } = await import('./search-proxy-routes.js')
    const { answerAsElasticsearch } = await import('./elasticsearch-problems.js')
    return { versionRoutes: searchProxyRoutes, answerProblem: answerAsElasticsearch }
  },
})
