import { expect } from 'chai'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  schemaType,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('conditional requests', () => {
  let service: TestService
  let etag: string
  beforeEach(async () => {
    service = await startService()
    etag = etagOf(await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201))
  })
  afterEach(removeRepositories)

  it('are required for a change, before any other check', async () => {
    await service.storesNothing(async () => {
      for (const url of ['/api/v1/schemas/note', '/api/v1/schemas/unknown', '/api/v1/metadata/unknown']) {
        await service.http.delete(url).expect(428)
        await service.http.put(url).expect(428)
        await service.http.put(`${url}?version=x`).set('Accept', 'text/html').send({}).expect(428)
      }
    })
  })

  it('allow a change with the current ETag, a list with it, or an asterisk', async () => {
    const second = await service.putSchema('note', `"other", ${etag}`, { label: 'b' }).expect(200)
    const third = await service.putSchema('note', '*', { label: 'c' }).expect(200)
    expect(etagOf(third)).not.to.equal(etagOf(second))
    await service.putSchema('note', etagOf(third), { label: 'd' }).expect(200)
  })

  it('refuse a change with an old, weak, misspelled or unknown ETag', async () => {
    const newer = etagOf(await service.putSchema('note', etag, { label: 'b' }).expect(200))

    await service.storesNothing(async () => {
      for (const wrong of [etag, `W/${newer}`, newer.replaceAll('"', ''), `${newer}x`, `"${newer}"`, '"x"']) {
        await service.putSchema('note', wrong, { label: 'c' }).expect(412)
        await service.http.delete('/api/v1/schemas/note').set('If-Match', wrong).expect(412)
      }
      // A stale ETag is refused even if the PUT would change nothing.
      await service.putSchema('note', etag, { label: 'b' }).expect(412)
      await service.putSchema('unknown', etag, { label: 'b' }).expect(404)
    })
  })

  it('accept only one of several writers with the same ETag', async () => {
    const answers = await Promise.all(
      ['b', 'c', 'd', 'e'].map(label => service.putSchema('note', etag, { label })),
    )

    expect(answers.map(answer => answer.status).toSorted((a, b) => a - b)).to.deep.equal([200, 412, 412, 412])
  })

  it('answer 304 if the client has the state, for records and documents, GET and HEAD', async () => {
    for (const accept of [schemaType, '*/*']) {
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        for (const method of ['get', 'head'] as const) {
          const answer = await service.http[method]('/api/v1/schemas/note')
            .set({ Accept: accept, 'If-None-Match': known })
            .expect(304)
          expect(answer.headers).to.include({ etag, vary: 'Accept' })
          expect(answer.headers).not.to.have.property('content-type')
          expect(answer.text ?? '').to.equal('')
        }
      }
      await service.http
        .get('/api/v1/schemas/note')
        .set({ Accept: accept, 'If-None-Match': '"x"' })
        .expect(200)
    }
    await service.http.get('/api/v1/schemas/unknown').set('If-None-Match', '*').expect(404)
  })

  it('distinguish the versions by their ETags', async () => {
    const record = metadataRecordV1('http://x/1', 'note')
    const first = await service.postMetadata(record, '{}').expect(201)
    const url = `/api/v1/metadata/${first.body.id}`
    const second = await service.putMetadata(first.body.id, etagOf(first), undefined, '{"a":1}').expect(200)

    await service.http.get(`${url}?version=1`).set('If-None-Match', etagOf(first)).expect(304)
    await service.http
      .get(url)
      .set({ 'If-None-Match': etagOf(first), Accept: metadataType })
      .expect(200)
    await service.http.get(url).set('If-None-Match', etagOf(second)).expect(304)
  })
})
