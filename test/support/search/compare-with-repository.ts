import { expect } from 'chai'
import type { ClusterSettings } from '../../../src/features/search-cluster/cluster-settings.js'
import type { TestService } from '../http/test-service.js'
import { documentsIn } from './test-cluster.js'

interface ListedRecord {
  readonly id: string
  readonly lastUpdate: string
  readonly relatedIdentifiers: readonly { readonly relationType: string; readonly value: string }[]
}

/**
 * Lists the records in the repository: index without its generation, URL, and time of the last update.
 * @param list reads all records of a collection, in version 2
 */
export async function recordsInRepository(
  { prefix }: Pick<ClusterSettings, 'prefix'>,
  list: (collection: 'metadata' | 'schemas') => Promise<readonly ListedRecord[]>,
): Promise<readonly string[]> {
  const line = (collection: string, index: string, { id, lastUpdate }: ListedRecord) =>
    `${prefix}${index}~ http://metastore.test/api/v2/${collection}/${id} ${Date.parse(lastUpdate)}`
  const [metadata, schemas] = [await list('metadata'), await list('schemas')]
  return inOrder([
    ...metadata.map(record => line('metadata', schemaOf(record), record)),
    ...schemas.map(record => line('schemas', '~schemas', record)),
  ])
}

function inOrder(lines: readonly string[]): readonly string[] {
  return lines.toSorted((a, b) => (a < b ? -1 : 1))
}

function schemaOf({ relatedIdentifiers }: ListedRecord): string {
  const url = relatedIdentifiers.find(({ relationType }) => relationType === 'HAS_METADATA')?.value ?? ''
  return /schemas\/([^?]+)/.exec(url)?.[1] ?? ''
}

/** Lists the documents in the cluster in the same form. */
export async function recordsInCluster(cluster: Pick<ClusterSettings, 'prefix'>): Promise<readonly string[]> {
  const documents = await documentsIn(cluster)
  return inOrder(
    documents.map(
      ({ _index, _id, _source }) => `${_index.replace(/~\d+$/, '~')} ${_id} ${_source.lastUpdate}`,
    ),
  )
}

/** Checks that the cluster has a document of each record of a service, and no others. */
export async function expectEqualToRepository(
  cluster: Pick<ClusterSettings, 'prefix'>,
  { http }: Pick<TestService, 'http'>,
): Promise<void> {
  const list = async (collection: string) =>
    (await http.get(`/api/v2/${collection}?size=2000`).expect(200)).body
  expect(await recordsInCluster(cluster)).to.deep.equal(await recordsInRepository(cluster, list))
}
