import { expect } from 'chai'
import type { Test } from 'supertest'
import {
  jsonSchema,
  metadataRecordV1,
  metadataType,
  schemaType,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, signToken, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

type Kind = 'schema' | 'metadata'
const kinds = ['schema', 'metadata'] as const
type Acl = readonly { readonly sid: string; readonly permission: string }[]

const versions = {
  v1: { acl: 'acl', type: (kind: Kind) => (kind === 'schema' ? schemaType : metadataType) },
  v2: { acl: 'acls', type: () => 'application/vnd.datacite.org+json' },
} as const
type Version = keyof typeof versions

const pathOf = (version: Version, kind: Kind, id = '') =>
  `/api/${version}/${kind === 'schema' ? 'schemas' : kind}/${id}`
const part = (kind: Kind) => (kind === 'schema' ? 'schema' : 'document')
const contentOf = (kind: Kind, title: string) =>
  Buffer.from(kind === 'schema' ? jsonSchema(title) : JSON.stringify({ title }))

let service: TestService
let root: string
let owner: string
describe('the permissions of access lists', () => {
  beforeEach(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    root = await userToken('root', ['ADMINISTRATOR'])
    owner = await userToken('owner')
    const record = { schemaId: 'base', acl: [{ sid: 'anonymousUser', permission: 'READ' }] }
    await as(root, service.postSchema(record, jsonSchema())).expect(201)
  })
  afterEach(removeRepositories)

  function as(token: string, sent: Test): Test {
    return sent.set('Authorization', `Bearer ${token}`)
  }

  async function store(kind: Kind, id: string, acl: Acl, by = owner): Promise<void> {
    const record = { schemaId: id, acl }
    const sent =
      kind === 'schema'
        ? service.postSchema(record, contentOf(kind, 'old'))
        : service.postMetadata(
            metadataRecordV1(`http://x/${id}`, 'base', { id, acl }),
            contentOf(kind, 'old'),
          )
    await as(by, sent).expect(201)
  }

  describe('an access list', () => {
    it('is complete for every caller who may read the record, also in lists of records', async () => {
      const acl = [
        { sid: 'owner', permission: 'ADMINISTRATE' },
        { sid: 'guest', permission: 'READ' },
        { sid: 'staff', permission: 'WRITE' },
      ]
      const guest = await userToken('guest', ['GUEST'])
      for (const kind of kinds) {
        const id = `a-${kind}`
        await store(kind, id, acl)
        for (const version of ['v1', 'v2'] as const) {
          const { acl: member, type } = versions[version]
          const ask = async (path: string) =>
            (await as(guest, service.http.get(path)).set('Accept', type(kind)).expect(200)).body
          const listed = (await ask(pathOf(version, kind))) as Record<string, unknown>[]
          const inList = listed.find(each => (each.id ?? each.schemaId) === id)
          for (const record of [await ask(pathOf(version, kind, id)), inList]) {
            const entries = (record as Record<string, Acl>)[member] ?? []
            expect(
              entries.map(({ sid, permission }) => ({ sid, permission })),
              `${version}, ${kind}`,
            ).to.deep.equal(acl)
          }
        }
      }
    })

    interface Way {
      /** Version of the interface that reads and writes the record. */
      readonly version: Version
      readonly request: (kind: Kind, id: string, record: object) => Test
    }
    const put =
      (version: Version): Way['request'] =>
      (kind, id, record) =>
        service.http
          .put(pathOf(version, kind, id))
          .set('If-Match', '*')
          .attach('record', Buffer.from(JSON.stringify(record)), {
            filename: 'r.json',
            contentType: 'application/json',
          })
    const waysIn: Readonly<Record<string, Way>> = {
      'PUT, version 1': { version: 'v1', request: put('v1') },
      'PUT, version 2': { version: 'v2', request: put('v2') },
      'a set of changes': {
        version: 'v2',
        request(kind, id, record) {
          const changes = [{ kind, action: 'update', id, ifMatch: '*', record }]
          return service.http.post('/api/changesets').field('changeset', JSON.stringify({ changes }))
        },
      },
    }

    /** Sends an update that changes only the access list. */
    async function change(token: string, { version, request }: Way, kind: Kind, id: string, acl: Acl) {
      return await as(token, request(kind, id, await recordOf(version, kind, id, acl)))
    }
    /** The record with another access list. */
    async function recordOf(version: Version, kind: Kind, id: string, acl: Acl): Promise<object> {
      const { acl: member, type } = versions[version]
      const { body } = await as(root, service.http.get(pathOf(version, kind, id)))
        .set('Accept', type(kind))
        .expect(200)
      return { ...body, [member]: acl }
    }

    const ownerToo = (entries: Acl): Acl => [{ sid: 'owner', permission: 'ADMINISTRATE' }, ...entries]
    const administrate = (sid: string): Acl => [{ sid, permission: 'ADMINISTRATE' }]

    /** Sources of ADMINISTRATE for a caller whom the list does not name. */
    const sources: Readonly<
      Record<string, { readonly acl: Acl; readonly token: (id: string) => Promise<string> }>
    > = {
      'a group': {
        acl: administrate('team'),
        token: () => userToken('gina', ['USER'], { groups: ['team'] }),
      },
      'an entry for everybody': { acl: administrate('anonymousUser'), token: () => userToken('eve') },
      'an entry for the group of everybody': { acl: administrate('PUBLIC'), token: () => userToken('eve') },
      'a role of services': {
        acl: [],
        token: () =>
          signToken({ tokenType: 'SERVICE', servicename: 'robot', roles: ['ROLE_SERVICE_ADMINISTRATE'] }),
      },
      'a temporary token': {
        acl: [],
        token: resourceId =>
          signToken({
            tokenType: 'TEMPORARY',
            principalname: 'tim',
            permissions: JSON.stringify([
              { resourceType: 'DataResource', resourceId, permission: 'ADMINISTRATE' },
            ]),
          }),
      },
    }
    for (const [source, { acl, token: tokenFor }] of Object.entries(sources)) {
      it(`cannot be changed with ADMINISTRATE by ${source}; other changes are allowed`, async () => {
        for (const kind of kinds) {
          const id = `a-${kind}`
          await store(kind, id, acl)
          const token = await tokenFor(id)
          const wanted = ownerToo([...acl, { sid: 'mallory', permission: 'READ' }])
          await service.storesNothing(async () => {
            for (const [how, way] of Object.entries(waysIn)) {
              const { status, text } = await change(token, way, kind, id, wanted)
              expect(status, `${how}: ${text}`).to.equal(403)
              expect(text).to.contain('needs the permission ADMINISTRATE')
            }
          })
          // An update with the same entries in another order is accepted.
          const same = await recordOf('v1', kind, id, ownerToo(acl).toReversed())
          const changed = put('v1')(kind, id, same).attach(part(kind), contentOf(kind, 'new'), 'x')
          await as(token, changed).expect(200)
          await as(token, service.http.delete(pathOf('v1', kind, id)).set('If-Match', '*')).expect(204)
        }
      })
    }

    it('can be changed by administrators, and by a caller with ADMINISTRATE by name, who cannot give it up', async () => {
      const jane = await userToken('jane', ['USER'], { groups: ['team'] })
      const entries = [...administrate('jane'), ...administrate('team')]
      for (const kind of kinds) {
        for (const [index, [how, way]] of Object.entries(waysIn).entries()) {
          const id = `a-${kind}-${index}`
          await store(kind, id, entries)
          const status = async (token: string, acl: Acl) => (await change(token, way, kind, id, acl)).status
          const more = [...entries, { sid: 'bob', permission: 'READ' }]

          expect(await status(jane, ownerToo(more)), how).to.equal(200)
          await service.storesNothing(async () => {
            for (const without of [
              ownerToo(administrate('team')),
              ownerToo([{ sid: 'jane', permission: 'WRITE' }, ...administrate('team')]),
            ])
              expect(await status(jane, without), how).to.equal(400)
          })
          expect(await status(root, administrate('nobody else')), how).to.equal(200)
          expect(await status(jane, ownerToo(entries)), how).to.equal(403)
        }
      }
    })
  })

  describe('the author of a commit', () => {
    it('is the caller, for every kind of change', async () => {
      const author = () => service.repository.git('log', '-1', '--format=%an <%ae>')
      const jane = await userToken('jane', ['USER'], {
        firstname: 'Jane',
        lastname: 'Doe',
        email: 'jane@example.org',
      })
      const bob = await userToken('bob')
      const acl = ['jane', 'bob'].map(sid => ({ sid, permission: 'ADMINISTRATE' }))
      let head = await service.head()
      /** Author of the new commit that the request makes. */
      async function committed(sent: Test): Promise<string> {
        const answer = await sent
        expect(answer.status, answer.text).to.be.within(200, 204)
        const last = head
        head = await service.head()
        expect(head).to.not.equal(last)
        return await author()
      }
      const names = [
        [jane, 'Jane Doe <jane@example.org>'],
        [bob, 'bob <bob@git-metastore>'],
      ] as const

      for (const kind of kinds) {
        const id = `a-${kind}`
        await store(kind, id, acl)
        head = await service.head()
        for (const [index, [token, name]] of names.entries()) {
          const changes = [
            ...[{ kind, action: 'update', id, ifMatch: '*', document: 'x' }],
            { kind: 'schema', action: 'create', record: schemaOf(`${id}-${index}`), document: 'y' },
          ]
          const set = service.http
            .post('/api/changesets')
            .field('changeset', JSON.stringify({ changes }))
            .attach('x', contentOf(kind, `set ${index}`), 'x')
            .attach('y', contentOf('schema', 'y'), 'y')
          const put = service.http
            .put(pathOf('v1', kind, id))
            .set('If-Match', '*')
            .attach(part(kind), contentOf(kind, `put ${index}`), 'x')
          expect(await committed(as(token, put)), 'PUT').to.equal(name)
          expect(await committed(as(token, set)), 'a set').to.equal(name)
        }
        for (const [token, name] of names) {
          const removed = service.http.delete(pathOf('v1', kind, id)).set('If-Match', '*')
          expect(await committed(as(token, removed)), 'DELETE').to.equal(name)
        }
      }
    })
  })

  const schemaOf = (id: string) => ({ id, titles: [{ value: id }] })
})
