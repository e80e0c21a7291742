import { expect } from 'chai'
import type { Response } from 'supertest'
import { describeInterface } from '../src/http/openapi/description.js'
import { methods } from '../src/http/openapi/types.js'
import { jsonSchema, metadataRecord, startService, type TestService } from './support/http.js'
import { cleanUp, eventually } from './support/repository.js'
import { identifyBySecret, tokenOf, userToken } from './support/tokens.js'

type Permission = 'NONE' | 'READ' | 'WRITE' | 'ADMINISTRATE'
const ranks: readonly Permission[] = ['NONE', 'READ', 'WRITE', 'ADMINISTRATE']

/** What an operation is to whoever may not do everything. */
type Sort =
  /** About one record, which takes a permission. */
  | Exclude<Permission, 'NONE'>
  /** Has what the caller may read. */
  | 'seen'
  /** Needs a token. */
  | 'changes'
  /** Says the same to everybody. */
  | 'same'
  /** For administrators, or for everybody where everything is. */
  | 'whole'

/** Every operation there is, versions of the interface apart; a new one has to be thought about here. */
const considered: Readonly<Record<string, Sort>> = {
  'GET /schemas': 'seen',
  'POST /schemas': 'changes',
  'GET /schemas/{id}': 'READ',
  'PUT /schemas/{id}': 'WRITE',
  'DELETE /schemas/{id}': 'ADMINISTRATE',
  'POST /schemas/{id}/validate': 'READ',
  'GET /schemas/{id}/files/{path}': 'READ',
  'GET /schemas/{id}/versions': 'READ',
  'GET /schemas/{id}/diff': 'READ',
  'GET /schemas/{id}/blame': 'READ',
  'POST /schemas/{id}/impact': 'READ',
  'GET /metadata': 'seen',
  'POST /metadata': 'changes',
  'GET /metadata/{id}': 'READ',
  'PUT /metadata/{id}': 'WRITE',
  'DELETE /metadata/{id}': 'ADMINISTRATE',
  'GET /metadata/{id}/versions': 'READ',
  'GET /metadata/{id}/diff': 'READ',
  'GET /metadata/{id}/blame': 'READ',
  'GET /api/changes': 'seen',
  'POST /api/changesets': 'changes',
  'GET /': 'seen',
  'GET /metastore': 'same',
  'GET /schema-landing-page': 'READ',
  'GET /schema-landing-page-v2': 'READ',
  'GET /metadata-landing-page': 'READ',
  'GET /metadata-landing-page-v2': 'READ',
  'GET /dashboard': 'seen',
  'GET /schema-management': 'seen',
  'GET /metadata-management': 'seen',
  'GET /download/schemas/{id}': 'READ',
  'GET /download/metadata/{id}': 'READ',
  'GET /ui/schemas': 'seen',
  'GET /ui/metadata': 'seen',
  'GET /repository.git/info/refs': 'whole',
  'POST /repository.git/git-upload-pack': 'whole',
  'POST /repository.git/git-receive-pack': 'whole',
  'GET /health': 'seen',
  'GET /health/live': 'same',
  'GET /health/ready': 'same',
  'GET /metrics': 'whole',
  'GET /actuator/health': 'seen',
  'GET /actuator/info': 'seen',
  'GET /v3/api-docs': 'same',
  'GET /swagger-ui.html': 'same',
  'GET /swagger-ui/{file}': 'same',
}

interface Operation {
  readonly name: string
  readonly method: (typeof methods)[number]
  /** As the description has it. */
  readonly path: string
  readonly sort: Sort | undefined
}

const operations: readonly Operation[] = Object.entries(describeInterface({ base: '' }).paths).flatMap(
  ([path, item]) =>
    methods
      .filter(method => item[method])
      .map(method => {
        const name = `${method.toUpperCase()} ${path.replace(/^\/api\/v[12](?=\/)/, '')}`
        return { name, method, path, sort: considered[name] }
      }),
)

/** Who asks, and what each has on a record, by what the record gives `carl` and the group `team`. */
const callers: Readonly<Record<string, (given: Permission) => Permission>> = {
  'the administrator': () => 'ADMINISTRATE',
  carl: given => given,
  'a member of the team': given => given,
  'somebody with a temporary token': given => given,
  'a service that reads': () => 'READ',
  'a service that writes': () => 'WRITE',
  'a stranger': () => 'NONE',
  nobody: () => 'NONE',
}

describe('access, on every way in', () => {
  let service: TestService
  const tokens = new Map<string, string | undefined>()
  const given = ['NONE', 'READ', 'WRITE', 'ADMINISTRATE'] as const
  /** All ids are of one length, or lengths would tell them apart here. */
  const idOf = (kind: 'schema' | 'metadata', what: string) => `${kind[0]}-${what.toLowerCase().slice(0, 4)}`
  const document = '{"title":"x"}'

  before(async () => {
    service = await startService({ identify: identifyBySecret }, { allowPush: true })
    const ids = given.flatMap(what => [idOf('schema', what), idOf('metadata', what)])
    const revoked = [idOf('schema', 'revoked'), idOf('metadata', 'revoked')]
    const permissions = [
      ...ids.map((resourceId, at) => ({ resourceId, permission: given[Math.floor(at / 2)] })),
      ...revoked.map(resourceId => ({ resourceId, permission: 'WRITE' })),
    ].map(entry => ({ resourceType: 'DataResource', ...entry }))
    const asService = (permission: string) =>
      tokenOf({ tokenType: 'SERVICE', servicename: 'robot', roles: `["ROLE_SERVICE_${permission}"]` })
    tokens
      .set('the administrator', await userToken('root', ['ADMINISTRATOR']))
      .set('the owner', await userToken('owner'))
      .set('carl', await userToken('carl'))
      .set('a member of the team', await userToken('gina', ['USER'], { groups: ['team'] }))
      .set(
        'somebody with a temporary token',
        await tokenOf({
          tokenType: 'TEMPORARY',
          principalname: 'tim',
          permissions: JSON.stringify(permissions),
        }),
      )
      .set('a service that reads', await asService('READ'))
      .set('a service that writes', await asService('WRITE'))
      .set('a stranger', await userToken('eve', ['USER', 'GUEST', 'CURATOR']))
      .set('nobody', undefined)

    await store('base', [{ sid: 'anonymousUser', permission: 'READ' }])
    for (const what of [...given, 'REVOKED'] as const) {
      const permission = what === 'REVOKED' ? 'WRITE' : what
      const acl = ['carl', 'team'].map(sid => ({ sid, permission }))
      for (const kind of ['schema', 'metadata'] as const) {
        const id = idOf(kind, what)
        await store(id, acl, kind)
        if (what === 'REVOKED')
          await as('the owner', service.http.delete(pathOf(kind, id)).set('If-Match', '*')).expect(204)
      }
    }
  })
  after(cleanUp)

  const pathOf = (kind: 'schema' | 'metadata', id: string) =>
    `/api/v1/${kind === 'schema' ? 'schemas' : kind}/${id}`

  function as<T extends { set(name: string, value: string): T }>(caller: string, sent: T): T {
    const token = tokens.get(caller)
    return token === undefined ? sent : sent.set('Authorization', `Bearer ${token}`)
  }

  /** Two versions, the second of the document alone. */
  async function store(
    id: string,
    acl: object,
    kind: 'schema' | 'metadata' = 'schema',
    by = 'the owner',
  ): Promise<void> {
    if (kind === 'schema') {
      await as(by, service.postSchema({ schemaId: id, acl }, jsonSchema('title'))).expect(201)
      await as(by, service.putSchema(id, '*', undefined, `${jsonSchema('title')}\n`)).expect(200)
    } else {
      await as(
        by,
        service.postMetadata(metadataRecord(`http://x/${id}`, 'base', { id, acl }), document),
      ).expect(201)
      await as(by, service.putMetadata(id, '*', undefined, `${document}\n`)).expect(200)
    }
  }

  /** The request of an operation about a record, which changes nothing even where it may. */
  function request({ method, path }: Operation, id: string) {
    const query = path.endsWith('/diff')
      ? '?from=1&to=2'
      : path.includes('landing-page')
        ? `?${path.includes('schema') ? 'schemaId' : 'id'}=${id}`
        : path.endsWith('info/refs')
          ? '?service=git-upload-pack'
          : ''
    const filled = path.replace('{id}', id).replace('{path}', 'no.json').replace('{file}', 'index.html')
    const sent = service.http[method](filled + query).redirects(0)
    if (path.endsWith('/validate')) return sent.attach('document', Buffer.from(document), 'd')
    if (path.endsWith('/impact')) return sent.attach('schema', Buffer.from(jsonSchema('other')), 's')
    if (method === 'get') return sent
    sent.set('If-Match', `"${'0'.repeat(40)}"`)
    if (method === 'delete') return sent
    return path.includes('schema')
      ? sent.attach('schema', Buffer.from(jsonSchema('other')), 's')
      : sent.attach('document', Buffer.from('{"title":"other"}'), 'd')
  }

  it('is thought about for every operation there is, and for no other', () => {
    expect(operations.filter(({ sort }) => sort === undefined).map(({ name }) => name)).to.deep.equal([])
    const names = operations.map(({ name }) => name)
    expect(Object.keys(considered).filter(name => !names.includes(name))).to.deep.equal([])
  })

  for (const operation of operations) {
    const { name, method, path, sort } = operation
    if (sort === undefined || !ranks.includes(sort as Permission)) continue
    const kind = path.includes('schema') ? 'schema' : 'metadata'
    const changes = method === 'put' || method === 'delete'

    it(`${name} needs ${sort}: ${path}`, async () => {
      await service.storesNothing(async () => {
        for (const [caller, permissionOf] of Object.entries(callers)) {
          // of the others all records are alike
          const records = permissionOf('NONE') === permissionOf('ADMINISTRATE') ? (['NONE'] as const) : given
          for (const what of records) {
            const answer = await as(caller, request(operation, idOf(kind, what)))
            const may = ranks.indexOf(permissionOf(what)) >= ranks.indexOf(sort as Permission)
            const place = `${caller}, on a record that gives ${what}: ${answer.text}`
            if (!may) expect(answer.status, place).to.equal(changes && caller === 'nobody' ? 401 : 403)
            // what is right about it is told elsewhere; the file is one the schema has not
            else if (changes) expect(answer.status, place).to.equal(412)
            else if (path.includes('/files/')) expect(answer.text, place).to.contain('has no file')
            else expect(answer.status, place).to.be.within(200, 399)
          }
        }
      })
    })

    it(`${name} answers for what is REVOKED as for what never was: ${path}`, async () => {
      const [hidden, absent] = [idOf(kind, 'REVOKED'), idOf(kind, 'absent')]
      for (const [caller, permissionOf] of Object.entries(callers)) {
        const [one, other] = [
          await as(caller, request(operation, hidden)),
          await as(caller, request(operation, absent)),
        ]
        const shown = [told(one).replaceAll(hidden, absent), told(other)]
        // who may see it may still not use it
        if (permissionOf('WRITE') === 'ADMINISTRATE' && !path.endsWith('/validate')) {
          expect(shown[0], caller).to.not.equal(shown[1])
        } else expect(shown[0], caller).to.equal(shown[1])
      }
    })
  }

  it('no caller without a token changes anything, whatever an access list says', async () => {
    await store('open', [{ sid: 'anonymousUser', permission: 'ADMINISTRATE' }])
    const record = Buffer.from('{"schemaId":"new"}')
    const json = { filename: 'r.json', contentType: 'application/json' }
    await service.storesNothing(async () => {
      for (const mount of [
        '/api/v1',
        '/api/v2',
        '/repository/api/v2',
        '/metastore/api/v1',
        '/metastore/api/v2',
      ]) {
        for (const sent of [
          service.http.post(`${mount}/schemas`).attach('record', record, json),
          service.http.post(`${mount}/schemas/`).attach('record', record, json),
          service.http.post(`${mount}/metadata`).attach('record', record, json),
          service.http.put(`${mount}/schemas/open`).set('If-Match', '*').attach('record', record, json),
          service.http.delete(`${mount}/schemas/open`).set('If-Match', '*'),
        ]) {
          const { status, headers } = await sent
          expect([status, headers['www-authenticate']]).to.deep.equal([401, 'Bearer realm="git-metastore"'])
        }
      }
      expect(
        (await service.http.post('/api/changesets').attach('changeset', Buffer.from('{}'), json)).status,
      ).to.equal(401)
      // what is missing is said before who is
      expect((await service.http.delete('/api/v1/schemas/open')).status).to.equal(428)
      const push = service.http.get('/repository.git/info/refs?service=git-receive-pack')
      expect((await push).status).to.equal(401)
    })
  })

  describe('what others do', () => {
    const hidden = 'hid-'
    const watching = ['carl', 'nobody']
    let visible: string

    /** Every read there is, by those who may not know of what is hidden, in many forms. */
    async function look(): Promise<ReadonlyMap<string, string>> {
      const seen = new Map<string, string>()
      const forms = [
        '',
        'size=1',
        'page=1&size=1',
        'limit=1',
        `since=${visible}`,
        `at=${visible}&size=1`,
        'at=main&size=1',
      ]
      const forRecords = ['', 'at=main']
      for (const caller of watching) {
        for (const operation of operations) {
          const { method, path, sort } = operation
          if (sort === 'same' || !(method === 'get' || /validate|impact/.test(path))) continue
          const ids = /\{id\}|landing/.test(path)
            ? [idOf(path.includes('schema') ? 'schema' : 'metadata', 'READ'), 'none-such']
            : ['']
          const queries = sort === 'seen' ? forms : forRecords
          for (const id of ids) {
            for (const query of queries) {
              const sent = as(caller, request(operation, id))
              const answer = await sent
                .query(query)
                .set('Accept', path.includes('page') || path === '/' ? 'text/html' : 'application/json')
              seen.set(`${caller}: ${method} ${path} ${id} ${query}`, told(answer))
            }
          }
        }
      }
      return seen
    }

    it('is not told to those who may not know: not by a status, a total, a header, an address or a word', async function () {
      this.timeout(300_000)
      const root = 'the administrator'
      for (const kind of ['schema', 'metadata'] as const) await store(`${hidden}${kind}`, [], kind, root)
      await store('last', [{ sid: 'anonymousUser', permission: 'READ' }])
      visible = await service.head()
      const before = await look()

      const acl = { acl: [{ sid: 'root', permission: 'ADMINISTRATE' }] }
      for (const id of ['a', 'b', 'c'])
        await store(`${hidden}${id}`, [], id === 'a' ? 'schema' : 'metadata', root)
      await as(root, service.putMetadata(`${hidden}metadata`, '*', acl, '{"title":"other"}')).expect(200)
      for (const id of ['b', 'b', 'c']) {
        await as(root, service.http.delete(`/api/v1/metadata/${hidden}${id}`).set('If-Match', '*')).expect(
          204,
        )
      }
      await service.services.settled()
      const [folder] = (await service.repository.git('ls-files', `*${hidden}metadata*record.json`)).split(
        '\n',
      )
      await service.repository.commit('Break it', { [String(folder)]: '{' })
      await eventually('the fault', async () => {
        const { body } = await as(root, service.http.get('/health'))
        return body.faults.length === 1
      })
      const after = await look()

      expect(before.size).to.be.above(300)
      for (const [request, answer] of before) expect(after.get(request), request).to.equal(answer)
      for (const [request, answer] of after) expect(answer, request).to.not.contain(hidden)
    })
  })
})

/** All that an answer says, but when it was said, and how full the disk is. */
function told({ status, headers, text }: Response): string {
  const { date: _, 'x-request-id': __, ...rest } = headers as Readonly<Record<string, string>>
  return JSON.stringify({ status, rest, text: (text ?? '').replace(/[\d.]+ GB \(\d+%\)/g, '… GB') })
}
