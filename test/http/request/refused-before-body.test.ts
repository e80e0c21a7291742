// test-schedule: quick
import { expect } from 'chai'
import type { Identify } from '../../../src/http/auth/identify-caller.js'
import { listen, type RunningServer } from '../../../src/http/server/listen.js'
import { statusBeforeBody } from '../../support/http/raw-connection.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** The header `X-Caller` names the caller: an administrator, or a caller with only the permissions of records. */
const identify: Identify = ctx => {
  const name = ctx.get('X-Caller') || 'SELF'
  return { sid: name, name, email: `${name}@example.org`, administrator: name === 'SELF', groups: [] }
}

describe('a request that is refused independently of its body', () => {
  let service: TestService
  let server: RunningServer
  before(async () => {
    service = await startService({ identify })
    const acl = [{ sid: 'rita', permission: 'READ' }]
    await service.postSchema({ schemaId: 'note', acl }, jsonSchema('title')).expect(201)
    await service.postSchema({ schemaId: 'gone' }, jsonSchema('title')).expect(201)
    await service
      .postMetadata(metadataRecordV1('http://x/a', 'note', { id: 'a', acl }), '{"title":"x"}')
      .expect(201)
    await service.http.delete('/api/v1/schemas/gone').set('If-Match', '*').expect(204)
    server = await listen(service.app, { port: 0 })
  })
  after(async () => {
    await server.stop(0)
    await removeRepositories()
  })

  for (const expects of [[], ['Expect: 100-continue']]) {
    const how = expects.length > 0 ? ', for a client that asks first' : ''
    for (const [line, caller, status] of [
      ['POST /api/v1/schemas/none/validate', 'SELF', 404],
      ['POST /api/v1/schemas/gone/validate', 'rita', 404],
      ['POST /api/v1/schemas/note/validate', 'eve', 403],
      ['POST /api/v1/schemas/note/validate?version=9', 'rita', 404],
      ['POST /api/v1/schemas/note/validate?at=0123456789abcdef0123456789abcdef01234567', 'rita', 404],
      ['PUT /api/v1/schemas/none', 'SELF', 404],
      ['PUT /api/v1/schemas/note', 'rita', 403],
      ['PUT /api/v2/metadata/none', 'SELF', 404],
      ['PUT /api/v2/metadata/a', 'rita', 403],
    ] as const) {
      it(`is answered before the body is sent: ${line} by ${caller} gets ${status}${how}`, async () => {
        const match = line.startsWith('PUT') ? ['If-Match: *'] : []
        expect(
          await statusBeforeBody(server.port, line, [`X-Caller: ${caller}`, ...match, ...expects]),
        ).to.equal(status)
      })
    }

    it(`is answered before the body is sent: a PUT of an older version gets 412${how}`, async () => {
      expect(
        await statusBeforeBody(server.port, 'PUT /api/v1/metadata/a', [
          `If-Match: "${'0'.repeat(40)}"`,
          ...expects,
        ]),
      ).to.equal(412)
    })
  }
})
