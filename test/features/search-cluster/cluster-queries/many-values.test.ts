import { expect } from 'chai'
import { searchHasAll } from '../../../support/http/search-examples.js'
import { jsonSchema, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'
import { storeDocument } from '../../../support/search/cluster-service.js'
import { clusterOptions, describeOneCluster } from '../../../support/search/test-cluster.js'

describeOneCluster('A facet with thousands of values in a cluster', searchCluster => {
  let service: TestService
  before(async () => {
    service = await startService({ features: clusterOptions(searchCluster) })
    const tags = Array.from({ length: 1100 }, (_, number) => `tag ${number}`)
    const schemas = { first: jsonSchema(), second: jsonSchema('tags') }
    for (const [schemaId, schema] of Object.entries(schemas)) {
      const search = { fields: [{ path: 'tags', as: 'keyword', facet: true }] }
      await service.postSchema({ schemaId, search }, schema).expect(201)
      await storeDocument(service, `of-${schemaId}`, { schemaId, document: { tags } })
    }
    await searchHasAll(service)
  })
  after(async () => {
    await removeRepositories()
  })

  it('reports the possible error of its counts', async () => {
    const few = await service.http.get('/api/v1/search?facets=tags&facetSize=1').expect(200)
    expect(few.body.notes).to.deep.equal([
      'The field "tags" has very many values: each count may be too low by up to 2.',
    ])
    const all = await service.http.get('/api/v1/search?facets=tags&facetSize=200').expect(200)
    expect(all.body.notes).to.deep.equal([])
    expect(all.body.facets.tags[0]).to.deep.equal({ value: 'tag 0', count: 2 })
  })

  it('reports the possible error of its counts to existing frontends', async () => {
    const aggs = { tags: { terms: { field: 'metadataDocument.tags', size: 1 } } }
    const { body } = await service.http.post('/api/v1/search').send({ size: 0, aggs }).expect(200)
    expect(body.aggregations.tags.doc_count_error_upper_bound).to.equal(2)
  })
})
