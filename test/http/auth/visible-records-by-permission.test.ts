import { expect } from 'chai'
import { anonymousPrincipal, type Principal } from '../../../src/core/access-control.js'
import { searchText } from '../../support/data/search-requests.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, signToken, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('the id of a schema', () => {
  afterEach(removeRepositories)

  it('is not revealed to a caller who may not read the schema and uses another name of it', async () => {
    const service = await startService({ identify: identifyWithTestSecret })
    const as = async (who: string) => `Bearer ${await userToken(who)}`
    const record = {
      id: 'secret-id',
      titles: [{ value: 'A title' }],
      alternateIdentifiers: [{ value: 'urn:x:open', identifierType: 'URN' }],
    }
    await service.http
      .post('/api/v2/schemas')
      .set('Authorization', await as('owner'))
      .attach('record', Buffer.from(JSON.stringify(record)), 'record.json')
      .attach('schema', Buffer.from(jsonSchema()), 'schema.json')
      .expect(201)

    for (const path of ['/api/v1/schemas?schemaId=urn:x:open', '/api/v1/schemas/urn:x:open']) {
      const answer = await service.http.get(path).set('Authorization', await as('stranger'))
      expect(answer.status, path).to.equal(403)
      expect(JSON.stringify(answer.body)).to.contain('urn:x:open').and.to.not.contain('secret-id')
    }
  })
})

/** @see docs/contract.md#permissions-of-a-caller */
describe('visible records', () => {
  const permissions = ['NONE', 'READ', 'WRITE', 'ADMINISTRATE'] as const
  const pairs = permissions.flatMap(user => permissions.map(guest => ({ user, guest })))
  const sees = { admin: 17, otheruser: 17, user: 13, guest: 13, nobody: 1 } as const
  type Name = keyof typeof sees
  let service: TestService
  const tokens = new Map<Name, string>()

  before(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    tokens
      .set('admin', await userToken('admin', ['ADMINISTRATOR']))
      .set('otheruser', await userToken('otheruser'))
      .set('user', await userToken('user'))
      .set('guest', await userToken('guest', ['GUEST']))
    for (const [index, { user, guest }] of pairs.entries()) {
      await store(index, [
        { sid: 'user', permission: user },
        { sid: 'guest', permission: guest },
      ])
    }
    await store(16, [{ sid: 'anonymousUser', permission: 'READ' }])
  })
  after(removeRepositories)

  async function store(at: number, acl: readonly object[]): Promise<void> {
    const token = `Bearer ${tokens.get('otheruser')}`
    await service
      .postSchema({ schemaId: `s${at}`, acl }, jsonSchema())
      .set('Authorization', token)
      .expect(201)
    const record = metadataRecordV1(`http://x/${at}`, `s${at}`, { id: `m${at}`, acl })
    await service.postMetadata(record, '{}').set('Authorization', token).expect(201)
  }

  function get(caller: Name, path: string) {
    const token = tokens.get(caller)
    const sent = service.http.get(path)
    return token === undefined ? sent : sent.set('Authorization', `Bearer ${token}`)
  }

  function mayRead(caller: Name, at: number): boolean {
    if (caller === 'admin' || caller === 'otheruser' || at === 16) return true
    return caller !== 'nobody' && pairs[at]?.[caller] !== 'NONE'
  }

  for (const [caller, count] of Object.entries(sees) as [Name, number][]) {
    const own = Array.from({ length: 17 }, (_, index) => index).filter(at => mayRead(caller, at))

    for (const [kind, collection, letter] of [
      ['schema', 'schemas', 's'],
      ['metadata', 'metadata', 'm'],
    ] as const) {
      for (const mount of ['/api/v1', '/api/v2']) {
        for (const query of ['', '&sort=id', '&at=main', '&until=2999-01-01T00:00:00Z'])
          it(`the caller ${caller} sees ${count} of 17 records in ${mount}/${collection}?size=100${query}`, async () => {
            const { body, headers } = await get(caller, `${mount}/${collection}?size=100${query}`).expect(200)
            const listed = (body as Record<string, string>[]).map(({ id, schemaId }) => id ?? schemaId)
            expect(listed).to.have.members(own.map(at => `${letter}${at}`))
            expect(headers['content-range']).to.equal(`0-${count - 1}/${count}`)
          })
      }

      it(`the caller ${caller} sees ${count} of 17 records in the table of ${collection} of the user interface`, async () => {
        const table = await get(caller, `/api/v1/ui/${collection}?size=1`).expect(200)
        expect(table.body.last_page).to.equal(count)
      })

      it(`the caller ${caller} sees at least ${count} links on the page /${kind}-management`, async () => {
        const page = await get(caller, `/${kind}-management`).expect(200)
        expect(
          page.text.match(new RegExp(`${kind}-landing-page\\?(schemaId|id)=${letter}\\d+`, 'g')),
        ).to.have.length.at.least(count)
      })

      it(`the caller ${caller} sees the number ${count} of ${collection} in /actuator/info`, async () => {
        const { body } = await get(caller, '/actuator/info').expect(200)
        expect(body[`${kind}Repo`][`No of ${kind} documents`]).to.equal(String(count))
      })

      it(`the caller ${caller} gets the ${count} visible ${collection} and their versions, and 403 for others`, async () => {
        for (let index = 0; index < 17; index++) {
          for (const path of ['', '?version=1', '/versions', '/blame']) {
            const { status } = await get(caller, `/api/v1/${collection}/${letter}${index}${path}`)
            expect(status, `${letter}${index}${path}`).to.equal(mayRead(caller, index) ? 200 : 403)
          }
        }
      })
    }

    it(`the caller ${caller} sees the changes of ${count} of 17 records of each kind`, async () => {
      const { body } = await get(caller, '/api/changes?limit=1000').expect(200)
      const told = (body.items as { id: string }[]).map(({ id }) => id)
      expect(own).to.have.length(count)
      expect(told).to.have.members(own.flatMap(at => [`s${at}`, `m${at}`]))
    })

    it(`the caller ${caller} finds ${count} of 17 documents by a search`, async () => {
      const found = await searchText(service.services, asCaller(caller), 'http')
      expect(found.total).to.equal(count)
    })
  }

  it('callers with the token of a service or a temporary token also see the records that the token permits', async () => {
    const total = async (claims: object, path = '/api/v1/metadata?size=1') => {
      const token = await signToken({ ...claims })
      const { headers } = await service.http.get(path).set('Authorization', `Bearer ${token}`).expect(200)
      return headers['content-range']
    }
    const robot = { tokenType: 'SERVICE', servicename: 'robot', sources: '["127.0.0.0/8","::1"]' }
    expect(await total(robot)).to.equal('0-0/1')
    for (const what of ['READ', 'WRITE', 'ADMINISTRATE'])
      expect(await total({ ...robot, roles: [`ROLE_SERVICE_${what}`] })).to.equal('0-0/17')
    const permissions = (...entries: readonly (readonly [string, string])[]) =>
      JSON.stringify(
        entries.map(([resourceId, permission]) => ({ resourceType: 'DataResource', resourceId, permission })),
      )
    const temporary = { tokenType: 'TEMPORARY', principalname: 'tim' }
    expect(await total(temporary)).to.equal('0-0/1')
    const three = permissions(
      ['m0', 'READ'],
      ['m1', 'NONE'],
      ['s1', 'WRITE'],
      ['m16', 'READ'],
      ['nowhere', 'READ'],
    )
    expect(await total({ ...temporary, permissions: three })).to.equal('0-0/2')
    expect(await total({ ...temporary, permissions: three }, '/api/v1/schemas?size=1')).to.equal('0-0/2')
    // A user with a temporary token still sees everything that the user sees without it.
    expect(await total({ ...temporary, principalname: 'user', permissions: three })).to.equal('0-0/14')
  })

  it('REVOKED records are visible only to callers with ADMINISTRATE, and to services with it', async () => {
    const token = `Bearer ${tokens.get('otheruser')}`
    await service.http
      .delete('/api/v1/metadata/m15')
      .set({ Authorization: token, 'If-Match': '*' })
      .expect(204)
    const total = async (sent: ReturnType<typeof get>) => (await sent.expect(200)).headers['content-range']
    const list = '/api/v1/metadata?size=1'
    // Record m15 grants ADMINISTRATE to otheruser and to user.
    for (const [caller, count] of [
      ['admin', 17],
      ['otheruser', 17],
      ['user', 13],
      ['nobody', 1],
    ] as const)
      expect(await total(get(caller, list)), caller).to.equal(`0-0/${count}`)
    await service.http
      .delete('/api/v1/metadata/m10')
      .set({ Authorization: token, 'If-Match': '*' })
      .expect(204)
    expect(await total(get('user', list))).to.equal('0-0/12')
    await get('user', '/api/v1/metadata/m10').expect(404)
    for (const [what, count] of [
      ['READ', 15],
      ['WRITE', 15],
      ['ADMINISTRATE', 17],
    ] as const) {
      const robot = await signToken({
        tokenType: 'SERVICE',
        servicename: 'robot',
        roles: [`ROLE_SERVICE_${what}`],
      })
      expect(await total(service.http.get(list).set('Authorization', `Bearer ${robot}`))).to.equal(
        `0-0/${count}`,
      )
    }
  })
})

/** The principal of a caller, for functions without a route of HTTP. */
function asCaller(name: string): Principal {
  if (name === 'nobody') return anonymousPrincipal
  return { sid: name, name, email: 'a@b', groups: [], administrator: name === 'admin' }
}
