import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** Matching a text of many a and no b takes longer than any time limit. */
const slowSchema = JSON.stringify({ properties: { text: { pattern: '^(?:(?=a)a+)+$' } } })
const slowDocument = JSON.stringify({ text: `${'a'.repeat(40)}b` })

describe('a document that takes too long to validate', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService({}, { workers: 2, validationTime: 1500 })
    await service.postSchema({ schemaId: 'slow' }, slowSchema).expect(201)
    await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
    // Starts both workers.
    const quick = Buffer.from('{"title":"quick"}')
    const validate = () =>
      service.http.post('/api/v1/schemas/note/validate').attach('document', quick, 'document.json')
    await Promise.all([1, 2, 3, 4].map(() => validate().expect(204)))
  })
  afterEach(removeRepositories)

  it('is refused with 422 and a finding, and does not delay other requests', async () => {
    let answered = false
    const slow = service
      .postMetadata(metadataRecordV1('http://x/slow', 'slow'), slowDocument)
      .then(answer => {
        answered = true
        return answer
      })
    await service.http.get('/api/v1/schemas').expect(200)
    await service.http.get('/health').expect(200)
    const record = metadataRecordV1('http://x/quick', 'note')
    await service.postMetadata(record, '{"title":"quick"}').expect(201)
    await service.postMetadata(record, '{}').expect(422)
    expect(answered, 'the slow request was answered first').to.equal(false)

    const refused = await slow
    expect(refused.status).to.equal(422)
    expect(refused.body.findings[0].message).to.include('longer than 1500 ms')
    const { body } = await service.http.get('/api/v1/metadata').expect(200)
    expect(body).to.have.lengthOf(1)
  })
})
