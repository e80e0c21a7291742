import { pathBelow, version1Mounts, version2Mounts } from '../mounts.js'

/** Paths of searches in the Elasticsearch query language: of both interface versions; of version 1 only. */
const searchPaths = [
  pathBelow([...version1Mounts, ...version2Mounts], 'metadata/(?:[^/]+/)?search'),
  pathBelow(version1Mounts, '(?:search|[^/]+/_search)'),
]
/** The search path on which every request counts as one of a client of Elasticsearch, whatever its method. */
const ownPath = pathBelow(version1Mounts, '[^/]+/_search')

interface Addressed {
  readonly method: string
  readonly path: string
}

/** Whether a request searches with the Elasticsearch query language. Such a POST changes nothing. */
export function isElasticsearchSearch({ method, path }: Addressed): boolean {
  return method === 'POST' && searchPaths.some(pattern => pattern.test(path))
}

/** Whether a client of Elasticsearch sent a request, and expects errors of Elasticsearch. */
export function expectsElasticsearch(request: Addressed): boolean {
  return isElasticsearchSearch(request) || ownPath.test(request.path)
}
