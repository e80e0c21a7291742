import { expect } from 'chai'
import { readHtml } from '../../../../support/http/strict-html.js'
import { jsonSchema, startService, type TestService } from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'

describe('a server without a search', () => {
  let service: TestService
  before(async () => {
    service = await startService({ features: { search: 'none' } })
    await service.postSchema({ schemaId: 'a' }, jsonSchema()).expect(201)
  })
  after(removeRepositories)

  it('answers 404 at every address of a search', async () => {
    for (const path of [
      '/api/v1/search?q=a',
      '/api/v2/search',
      '/api/v1/search/suggest?q=a',
      '/api/v1/schemas?q=a',
      '/api/v2/metadata?q=a',
      '/metastore/search?q=a',
      '/opensearch.xml',
    ]) {
      const { body } = await service.http.get(path).expect(404)
      expect(body.detail, path).to.contain('--search none')
    }
  })

  it('serves lists without a query, and pages without a search box', async () => {
    expect((await service.http.get('/api/v1/schemas?q=').expect(200)).body).to.have.length(1)
    expect((await service.http.get('/').expect(200)).body.links).to.not.have.property('search')
    for (const path of ['/dashboard', '/schema-landing-page?schemaId=a']) {
      const { text } = await service.http.get(path).set('Accept', 'text/html').expect(200)
      const { elements } = readHtml(text)
      expect(
        elements.filter(({ attributes }) => attributes.type === 'search' || attributes.rel === 'search'),
      ).to.deep.equal([])
    }
  })
})
