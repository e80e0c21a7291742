import { expect } from 'chai'
import { jsonSchema, startService, type TestService } from './support/http.js'
import { cleanUp } from './support/repository.js'

describe('GET /health', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(cleanUp)

  it('says that the service is alive, can write, and that its catalog is at the branch', async () => {
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)

    const answer = await service.http.get('/health').expect(200)

    expect(answer.headers).to.include({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    expect(answer.body).to.include({
      status: 'UP',
      head: await service.head(),
      catalog: await service.head(),
    })
    for (const check of ['repository', 'writable', 'catalog']) {
      expect(answer.body.checks[check], check).to.include({ ok: true })
    }
    expect(answer.body.faults).to.deep.equal([])
  })
})
