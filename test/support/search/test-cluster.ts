import { randomBytes } from 'node:crypto'
import type { ClusterSettings } from '../../../src/features/search-cluster/cluster-settings.js'

/** URL of the cluster for tests: `OPENSEARCH_URL`, an OpenSearch or Elasticsearch. */
const url = process.env.OPENSEARCH_URL

/** Declares tests that need a real cluster. Without a cluster, skips them and writes a line to standard error. */
export function describeWithCluster(title: string, declare: () => void): void {
  if (url !== undefined && url !== '') describe(title, declare)
  else {
    process.stderr.write(
      `SKIPPED: "${title}" needs a real OpenSearch or Elasticsearch. Set OPENSEARCH_URL.\n`,
    )
    describe.skip(title, declare)
  }
}

/** Declares tests with the configuration of one cluster, whose indices are deleted at the end. */
export function describeOneCluster(title: string, declare: (cluster: ClusterSettings) => void): void {
  describeWithCluster(title, () => {
    const cluster = testCluster()
    declare(cluster)
    after(() => removeIndices(cluster))
  })
}

/** The configuration of a cluster for one repository. The names of its indices begin with a random prefix. */
export function testCluster(more: Partial<ClusterSettings> = {}): ClusterSettings {
  const prefix = `test-${randomBytes(6).toString('hex')}-`
  return { url: url ?? '', prefix, refill: false, hasFallback: false, base: 'http://metastore.test', ...more }
}

/** The options of `serve` for a cluster. */
export function clusterOptions(cluster: ClusterSettings): Readonly<Record<string, unknown>> {
  return {
    'search-url': cluster.url,
    'search-index': cluster.prefix,
    'search-refill': cluster.refill,
    'search-ids': cluster.hasBareIds ? 'bare' : undefined,
    'search-fallback': cluster.hasFallback ? 'embedded' : undefined,
    'base-url': cluster.base,
  }
}

/** Sends a request to the cluster. */
export async function askCluster<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${url}/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
  return (await answer.json()) as T
}

/** A document in the cluster. */
export interface StoredDocument {
  readonly _index: string
  readonly _id: string
  readonly _version: number
  readonly _source: {
    readonly id: string
    readonly lastUpdate: number
    readonly read: readonly string[]
    readonly metadataText: readonly string[]
  }
}

/** Returns all documents behind the aliases of a repository. */
export async function documentsIn({
  prefix,
}: Pick<ClusterSettings, 'prefix'>): Promise<readonly StoredDocument[]> {
  await askCluster('POST', `${prefix}*/_refresh`)
  const { hits } = await askCluster<{ hits: { hits: readonly StoredDocument[] } }>(
    'POST',
    `${prefix}~all/_search?ignore_unavailable=true`,
    { size: 10_000, version: true, query: { match_all: {} } },
  )
  return hits.hits
}

/** Deletes all indices of a repository in one request. A running server sees all of them or none. */
export async function removeIndices({ prefix }: Pick<ClusterSettings, 'prefix'>): Promise<void> {
  const found = await askCluster<Readonly<Record<string, object>>>('GET', `${prefix}*/_alias`)
  const indices = Object.keys(found)
  if (indices.length > 0) await askCluster('DELETE', indices.join())
  await askCluster('DELETE', `_index_template/${prefix}~template`)
}
