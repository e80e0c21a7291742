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

  it('is 503 while something is wrong, says what, and is 200 again when it is put right', async () => {
    const { git } = service.repository
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    await service.services.settled()
    const served = await service.head()
    await git('reset', '-q', '--hard', 'HEAD~1')

    const answer = await service.http.get('/health').expect(503)

    expect(answer.headers).to.include({ 'content-type': 'application/json' })
    expect(answer.body).to.include({ status: 'DOWN', catalog: served })
    expect(answer.body.checks.catalog).to.include({ ok: false })
    expect(answer.body.checks.catalog.detail).to.include(served)
    // What was served is read on; what would be built on lost history is refused.
    await service.http.get('/api/v1/schemas/note').expect(200)
    await service.postSchema({ schemaId: 'other' }, jsonSchema()).expect(503)

    await git('reset', '-q', '--hard', served)
    await service.http.get('/health').expect(200)
    await service.postSchema({ schemaId: 'other' }, jsonSchema()).expect(201)
  })
})
