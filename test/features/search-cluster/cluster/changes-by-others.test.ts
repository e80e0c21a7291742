// test-schedule: waits
import { expect } from 'chai'
import type { Oid } from '../../../../src/core/value-types.js'
import { searchOf } from '../../../../src/features/search/feature.js'
import { jsonSchema, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'
import {
  connectorOf,
  followed,
  rewindDone,
  startClusterService,
  storeDocument,
  storeRecords,
} from '../../../support/search/cluster-service.js'
import {
  askCluster,
  describeWithCluster,
  documentsIn,
  removeIndices,
  testCluster,
} from '../../../support/search/test-cluster.js'

describeWithCluster('Changes of a cluster by another program', () => {
  let cluster = testCluster()
  let service: TestService
  beforeEach(() => {
    cluster = testCluster()
  })
  afterEach(async () => {
    await removeRepositories()
    await removeIndices(cluster)
  })

  /** Starts a server with a schema and two documents. */
  async function start(checkInterval?: number): Promise<void> {
    service = await startClusterService({ ...cluster, ...(checkInterval !== undefined && { checkInterval }) })
    await storeRecords(service, 'a', 'b')
  }

  const index = (schemaId = 'one') => `${cluster.prefix}${schemaId}~1`
  /** The texts of the documents by their ids. */
  const texts = async () => {
    const documents = (await documentsIn(cluster)).filter(({ _index }) => _index === index())
    return Object.fromEntries(documents.map(({ _source: { id, metadataText } }) => [id, metadataText]))
  }
  /** Increments the versions of all documents of the schema. */
  const changeDocuments = async (script?: string) => {
    await askCluster('POST', `${index()}/_refresh`)
    const body = script === undefined ? {} : { script: { source: script } }
    await askCluster('POST', `${index()}/_update_by_query?refresh`, body)
  }
  const deleteIndexOf = async (schemaId: string) => {
    const { acknowledged } = await askCluster<{ acknowledged?: boolean }>('DELETE', index(schemaId))
    expect(acknowledged).to.equal(true)
  }
  const deleteIndex = async () => {
    await deleteIndexOf('one')
    expect(await texts()).to.deep.equal({})
  }
  /** Ids of the records that a search finds. */
  const found = async () => {
    const { body } = await service.http.get('/api/v1/search').query({ facets: 'none', size: 100 }).expect(200)
    const { items } = body as { items: readonly { record: { id: string } }[] }
    return items.map(({ record }) => record.id).sort()
  }
  /** Requests a rewind to the first commit. */
  const requestRewind = async () => {
    const commits = await service.repository.git('rev-list', '--reverse', 'HEAD')
    connectorOf(service.repository).requestRewind(commits.split('\n')[0] as Oid)
  }
  const rewound = async () => {
    await rewindDone(service.repository)
    await followed(service)
  }
  const remove = (id: string) =>
    service.http.delete(`/api/v2/metadata/${id}`).set('If-Match', '*').expect(204)

  describe('a changed document', () => {
    beforeEach(() => start())

    it('equals the repository after a rewind', async () => {
      await changeDocuments("ctx._source.metadataText = ['changed']")
      expect(await texts()).to.deep.equal({ a: ['changed'], b: ['changed'] })

      await requestRewind()
      await rewound()

      expect(await texts()).to.deep.equal({ a: ['a'], b: ['b'] })
    })

    it('is replaced by the next update after any number of changes', async () => {
      for (let round = 0; round < 5; round++) await changeDocuments()

      await service.putMetadata('a', '*', undefined, '{"title":"second"}').expect(200)
      await followed(service)

      expect(await texts()).to.deep.equal({ a: ['second'], b: ['b'] })
    })

    it('is deleted with its record after any number of changes', async () => {
      for (let round = 0; round < 5; round++) await changeDocuments()

      await remove('b')
      await remove('b')
      await followed(service)

      expect(await texts()).to.deep.equal({ a: ['a'] })
    })

    it('is sent again after the cluster has forgotten its deletion, and the server reports an error until then', async () => {
      // Time for which the cluster remembers the version of a deleted document. The default is a minute.
      await askCluster('PUT', `${index()}/_settings`, { 'index.gc_deletes': '3s' })
      await askCluster('POST', `${index()}/_delete_by_query?refresh`, { query: { match_all: {} } })
      expect(await texts()).to.deep.equal({})

      await requestRewind()
      const said = await waitUntil('it says so', () => searchOf(service.services.parts)?.progress().lastError)
      expect(said).to.contain('was deleted in the cluster, not by this server')
      await rewound()

      expect(await texts()).to.deep.equal({ a: ['a'], b: ['b'] })
    })
  })

  describe('a deleted index', () => {
    it('is created again by a rewind', async () => {
      await start()
      await deleteIndex()

      await requestRewind()
      await rewound()

      expect(await texts()).to.deep.equal({ a: ['a'], b: ['b'] })
    })

    it('is created again while updates continue', async () => {
      await start(200)
      await deleteIndex()

      let stored = 0
      await waitUntil('a later document is found', async () => {
        await storeDocument(service, `later-${stored++}`)
        return 'later-0' in (await texts())
      })
    })

    it('is created again with other deleted indices, one after the other, between updates', async () => {
      await start(200)
      for (const schemaId of ['two', 'three']) {
        await service.postSchema({ schemaId }, jsonSchema('title')).expect(201)
        await storeDocument(service, `in-${schemaId}`, { schemaId })
      }
      await followed(service)
      const ids = ['a', 'b', 'in-three', 'in-two']
      expect(await found()).to.deep.equal(ids)

      for (const schemaId of ['one', 'two', 'three']) {
        await deleteIndexOf(schemaId)
        const id = `later-in-${schemaId}`
        await storeDocument(service, id, { schemaId })
        ids.push(id)
      }
      await requestRewind()
      await rewound()

      expect(await found()).to.deep.equal(ids.sort())
    })
  })
})
