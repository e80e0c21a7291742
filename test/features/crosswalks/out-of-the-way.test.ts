import { Session } from 'node:inspector/promises'
import { expect } from 'chai'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('Descriptions of documents', () => {
  const session = new Session()
  let service: TestService
  before(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'fibres', crosswalk: { titles: 'title' } }, jsonSchema()).expect(201)
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  })
  after(async () => {
    session.disconnect()
    await removeRepositories()
  })

  const post = (id: string) =>
    service
      .postMetadata(
        metadataRecordV1(`https://example.org/${id}`, 'fibres', { id }),
        JSON.stringify({ title: id }),
      )
      .expect(201)

  /** The functions of the feature that run in the thread of the server until the work is done. */
  async function functionsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return result
      .filter(({ url }) => url.includes('/features/crosswalks/') && !url.includes('/test/'))
      .flatMap(({ functions }) => functions.filter(({ ranges: [range] }) => (range?.count ?? 0) > 0))
      .map(({ functionName }) => functionName)
  }

  it('are not on the way of an update, nor of a list or a record as JSON', async () => {
    await post('first')
    // The first request to a version of the interface makes its routes.
    const described = await functionsOf(async () => {
      for (const version of ['v1', 'v2'])
        await service.http.get(`/api/${version}/metadata/first/description`).expect(200)
    })
    expect(described).to.include('describeEach')

    const ran = await functionsOf(async () => {
      const { headers } = await post('second')
      expect(headers.location).to.contain('second')
      const etag = etagOf(await service.http.get('/api/v1/metadata/second').expect(200))
      await service.putMetadata('second', etag, {}, JSON.stringify({ title: 'other' })).expect(200)
      for (const version of ['v1', 'v2'])
        for (const list of ['metadata', 'schemas', 'metadata?size=20&page=0'])
          await service.http.get(`/api/${version}/${list}`).set('Accept', 'application/json').expect(200)
    })
    expect(ran).to.deep.equal([])
  })
})
