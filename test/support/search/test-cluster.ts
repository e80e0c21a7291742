import { randomBytes } from 'node:crypto'
import type { SearchClusterConfig } from '../../../src/config.js'

/** The cluster that tests may use: `OPENSEARCH_URL`, of an OpenSearch or Elasticsearch. */
const url = process.env.OPENSEARCH_URL

/** Declares tests that need a real cluster. Without one they are skipped, and a line on standard error says so. */
export function describeWithCluster(title: string, declare: () => void): void {
  if (url !== undefined && url !== '') describe(title, declare)
  else {
    process.stderr.write(
      `SKIPPED: "${title}" needs a real OpenSearch or Elasticsearch. Set OPENSEARCH_URL.\n`,
    )
    describe.skip(title, declare)
  }
}

/** A cluster for one repository: its indices begin with a random name. */
export function testCluster(more: Partial<SearchClusterConfig> = {}): SearchClusterConfig {
  const prefix = `test-${randomBytes(6).toString('hex')}-`
  return { url: url ?? '', prefix, refill: false, hasFallback: false, base: 'http://metastore.test', ...more }
}

/** Asks the cluster. */
export async function askCluster<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${url}/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
  return (await answer.json()) as T
}

/** A document as it is in the cluster. */
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

/** All documents behind the aliases of a repository. */
export async function documentsIn({
  prefix,
}: Pick<SearchClusterConfig, 'prefix'>): Promise<readonly StoredDocument[]> {
  await askCluster('POST', `${prefix}*/_refresh`)
  const { hits } = await askCluster<{ hits: { hits: readonly StoredDocument[] } }>(
    'POST',
    `${prefix}~all/_search?ignore_unavailable=true`,
    { size: 10_000, version: true, query: { match_all: {} } },
  )
  return hits.hits
}

/** Deletes all indices of a repository at once: a server that runs meanwhile sees all of them or none. */
export async function removeIndices({ prefix }: Pick<SearchClusterConfig, 'prefix'>): Promise<void> {
  const found = await askCluster<Readonly<Record<string, object>>>('GET', `${prefix}*/_alias`)
  const indices = Object.keys(found)
  if (indices.length > 0) await askCluster('DELETE', indices.join())
  await askCluster('DELETE', `_index_template/${prefix}~template`)
}
