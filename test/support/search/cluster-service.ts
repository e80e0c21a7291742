import { join } from 'node:path'
import { expect } from 'chai'
import type { Oid } from '../../../src/core/value-types.js'
import { openersOf } from '../../../src/feature.js'
import { searchOf } from '../../../src/features/search/feature.js'
import type { ClusterSettings } from '../../../src/features/search-cluster/cluster-settings.js'
import {
  type ConnectorFiles,
  connectorFiles,
} from '../../../src/features/search-cluster/connectors/connector-files.js'
import { features } from '../../../src/features.js'
import { jsonSchema, metadataRecordV1, startService, type TestService } from '../http/test-service.js'
import { type TestRepository, waitUntil } from '../repository/test-repository.js'

/**
 * Starts a service in this process that feeds a cluster.
 * @param more `serving`: other processes see it as a server, and `/health` tells about the search
 */
export async function startClusterService(
  cluster: ClusterSettings,
  repository?: TestRepository,
  more: { readonly serving?: boolean } = {},
): Promise<TestService> {
  const fed = features.map(each =>
    each.name === 'search-cluster' ? { ...each, validate: () => cluster } : each,
  )
  const options = { features: await openersOf(fed, {}), ...more }
  const service = await startService({ baseUrl: cluster.base ?? '' }, {}, repository, options)
  searchOf(service.services.parts)?.progress()
  return service
}

/** Stores a schema `one` and documents that follow it. The titles are the ids. */
export async function storeRecords(service: TestService, ...ids: readonly string[]): Promise<void> {
  await service.postSchema({ schemaId: 'one' }, jsonSchema('title')).expect(201)
  for (const id of ids) await storeDocument(service, id)
  await followed(service)
}

export async function storeDocument(
  service: TestService,
  id: string,
  { schemaId = 'one', document = { title: id } as object } = {},
): Promise<void> {
  const record = metadataRecordV1(`http://x/${id}`, schemaId, { id })
  await service.postMetadata(record, JSON.stringify(document)).expect(201)
}

/** Waits until the cluster has the newest commit of a service. */
export async function followed({ services, head }: TestService): Promise<void> {
  const search = searchOf(services.parts)
  const isThere = await search?.waitFor((await head()) as Oid, 60_000, new AbortController().signal)
  expect(isThere, search?.progress().lastError).to.equal(true)
}

export function connectorOf({ dir }: Pick<TestRepository, 'dir'>): ConnectorFiles {
  return connectorFiles(join(dir, 'git-metastore'), 'search')
}

/** Waits until a service reports the end of the last requested rewind. */
export async function rewindDone(repository: Pick<TestRepository, 'dir'>): Promise<void> {
  const connector = connectorOf(repository)
  await waitUntil(
    'the service reports the end of the rewind',
    () => connector.status()?.rewind === connector.rewind()?.id,
  )
}
