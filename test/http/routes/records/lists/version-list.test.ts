import { expect } from 'chai'
import {
  metadataRecordV1,
  metadataType,
  startServiceWithWorkTree,
  type TestService,
} from '../../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../../support/repository/test-repository.js'

describe('the list of the versions of a record', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 'any' }, '{"type":"object"}').expect(201)
  })
  afterEach(removeRepositories)

  async function store(id: string, schema: string, ...documents: string[]): Promise<void> {
    const [first = '', ...others] = documents
    await service.postMetadata(metadataRecordV1(`http://x/${id}`, schema, { id }), first).expect(201)
    for (const document of others) await service.putMetadata(id, '*', undefined, document).expect(200)
  }
  const get = (path: string, accept = 'application/json') => service.http.get(path).set('Accept', accept)

  for (const mount of ['/api/v1', '/metastore/api/v1', '/api/v2', '/repository/api/v2']) {
    it(`has its versions with author and time: ${mount}`, async () => {
      await store('doc', 'any', '{"a":1}', '{"a":2}', '{"a":3}')

      const { body, headers } = await get(`${mount}/metadata/doc/versions?size=2`).expect(200)

      const root = `http://metastore.test${mount}/metadata/doc`
      const commit = await service.head()
      const record = await get(
        `${mount}/metadata/doc?version=3`,
        mount.endsWith('v1') ? metadataType : 'application/vnd.datacite.org+json',
      )
      expect(body).to.have.length(2)
      expect(body[0]).to.include({
        version: 3,
        commit,
        author: 'SELF',
        time: record.body.lastUpdate,
        message: 'Update metadata doc to version 3 (any, version 1)',
      })
      expect(body[0].links).to.deep.equal({ version: `${root}?version=3`, diff: `${root}/diff?from=2&to=3` })
      expect(headers['content-range']).to.equal('0-1/3')
      expect(headers.link).to.contain('rel="next"')
      const next = await get(`${mount}/metadata/doc/versions?size=2&page=1&at=${commit}`).expect(200)
      expect(next.body.map((entry: { version: number }) => entry.version)).to.deep.equal([1])
      expect(next.body[0].links).to.deep.equal({ version: `${root}?version=1` })
      await get(`${mount}/metadata/doc/versions?size=2&page=7`).expect(416)
    })
  }

  it('has the hashes of record and document, and the author of commits with git', async () => {
    await store('doc', 'any', '{"a":1}')
    await service.services.workTreeUpToDate()
    const file = (await service.repository.git('ls-files'))
      .split('\n')
      .find(path => path.endsWith('doc/document.json'))
    const commit = await service.repository.commit('Correct a', { [file ?? '']: '{"a":2}' })
    const { body } = await waitUntil('the commit to be served', async () => {
      const answer = await get('/api/v1/metadata/doc/versions')
      return answer.body.length === 2 && answer
    })

    expect(body[0]).to.include({
      commit,
      author: 'Jane',
      message: 'Correct a',
      recordHash: body[1].recordHash,
    })
    expect(body[0].documentHash).not.to.equal(body[1].documentHash)
  })
})
