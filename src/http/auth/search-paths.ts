/** Paths of searches in the Elasticsearch query language, below any mount of an interface version. */
const searchPath = /\/api\/v[12]\/(?:metadata\/(?:[^/]+\/)?search|search|[^/]+\/_search)$/
/** Those of them that have no other meaning with another method. */
const ownPath = /\/api\/v[12]\/[^/]+\/_search$/

interface Addressed {
  readonly method: string
  readonly path: string
}

/** Whether a request searches with the Elasticsearch query language. Such a POST changes nothing. */
export function isElasticsearchSearch({ method, path }: Addressed): boolean {
  return method === 'POST' && searchPath.test(path)
}

/** Whether a client of Elasticsearch sent a request, and expects errors of Elasticsearch. */
export function expectsElasticsearch(request: Addressed): boolean {
  return isElasticsearchSearch(request) || ownPath.test(request.path)
}
