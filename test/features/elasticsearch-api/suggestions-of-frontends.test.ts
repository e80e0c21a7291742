import { expect } from 'chai'
import { startSearchExamples } from '../../support/http/search-examples.js'
import { jsonSchema, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'
import { describeEngines } from '../../support/search/search-engines.js'

describeEngines('The suggestions of the search routes of existing frontends', ({ options }) => {
  let service: TestService
  before(async () => {
    service = await startSearchExamples(options)
    await service.postSchema({ schemaId: 'empty', label: 'Steel of no document' }, jsonSchema()).expect(201)
    const since = await service.head()
    await service.http.get('/api/v1/search').query({ since, wait: 60 }).expect(200)
  })
  after(removeRepositories)

  async function suggested(path: string, prefix: string, more: object = {}): Promise<readonly string[]> {
    const suggest = { s: { prefix, completion: { field: 'metadataRecord.titles.value' } } }
    const { body } = await service.http
      .post(path)
      .send({ size: 0, suggest, ...more })
      .expect(200)
    return (body.suggest.s[0].options as { text: string }[]).map(({ text }) => text)
  }

  const rods = ['Steel rod 7', 'Steel rod 8']

  it('are titles of documents in the indices of the address', async () => {
    for (const [index, prefix, titles] of [
      ['metastore-measurement', 'ste', rods],
      ['metastore-meas*', 'ste', rods],
      ['metastore-sample,metastore-measurement', 'ste', rods],
      ['metastore-*', 'ste', rods],
      ['metastore-sample', 'ste', []],
      ['metastore-none', 'ste', []],
      ['metastore-no*', 'ste', []],
      ['metastore-sample', 'iro', ['Iron bar']],
      ['metastore-measurement', 'iro', []],
    ] as const) {
      for (const path of [
        `/api/v1/${index}/_search`,
        `/api/v1/metadata/${index}/search`,
        `/api/v2/metadata/${index}/search`,
      ])
        expect(await suggested(path, prefix), `${path} ${prefix}`).to.have.members(titles)
    }
    for (const path of ['/api/v1/search', '/api/v1/metadata/search', '/api/v2/metadata/search'])
      expect(await suggested(path, 'ste'), path).to.have.members(rods)
  })

  it('exclude titles of schemas, which are not hits', async () => {
    for (const path of [
      '/api/v1/search',
      '/api/v1/metastore-*/_search',
      '/api/v1/metastore-sample/_search',
    ]) {
      expect(await suggested(path, 'sample'), path).to.deep.equal([])
      expect(await suggested(path, 'measurem'), path).to.deep.equal([])
    }
  })

  it('do not depend on the query', async () => {
    const more = { query: { match_none: {} } }
    expect(await suggested('/api/v1/metastore-measurement/_search', 'ste', more)).to.have.members(rods)
  })
})
