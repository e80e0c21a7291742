/** Paths of searches in the Elasticsearch query language, below any mount of an interface version. */
const searchPath = /\/api\/v[12]\/(?:metadata\/(?:[^/]+\/)?search|search|[^/]+\/_search)$/

/** Whether a request searches with the Elasticsearch query language. Such a POST changes nothing. */
export function isElasticsearchSearch({
  method,
  path,
}: {
  readonly method: string
  readonly path: string
}): boolean {
  return method === 'POST' && searchPath.test(path)
}
