// test-schedule: quick
import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('the pages', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'plain' }, jsonSchema('title')).expect(201)
    await service
      .postMetadata(metadataRecordV1('http://x/1', 'plain', { id: 'document' }), '{"title":"A"}')
      .expect(201)
  })
  after(removeRepositories)

  for (const path of [
    '/dashboard',
    '/schema-management',
    '/metadata-management',
    '/schema-landing-page?schemaId=plain',
    '/metadata-landing-page?id=document',
    '/schema-landing-page-v2?schemaId=plain',
    '/metadata-landing-page-v2?id=document',
  ]) {
    it(`${path} is served at the root and below /metastore`, async () => {
      const root = await service.http.get(path).expect(200)
      const below = await service.http.get(`/metastore${path}`).expect(200)

      expect(root.headers['content-type']).to.equal('text/html; charset=utf-8')
      expect(below.headers['content-type']).to.equal(root.headers['content-type'])
    })
  }
})
