// test-schedule: first
import { expect } from 'chai'
import type { Response, Test } from 'supertest'
import { exportFormats } from '../../../src/features/exports/export-formats.js'
import { openMetrics } from '../../../src/http/observability/prometheus-metrics.js'
import type { Method } from '../../../src/http/openapi/specification-types.js'
import type { DescribedRoute, RouteAccess } from '../../../src/http/route-declaration/route.js'
import { allRoutes, interfaceDescription } from '../../support/http/interface-description.js'
import {
  jsonSchema,
  metadataRecordV1,
  metadataType,
  noteXml,
  noteXsdText,
  schemaType,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, signToken, userToken } from '../../support/http/test-tokens.js'
import { idsOf, oaiOptions, parseOai } from '../../support/oai-pmh/oai-client.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

type Permission = 'NONE' | 'READ' | 'WRITE' | 'ADMINISTRATE'
const ranks: readonly Permission[] = ['NONE', 'READ', 'WRITE', 'ADMINISTRATE']

interface Operation {
  readonly name: string
  readonly method: Method
  /** Path in the OpenAPI description. */
  readonly path: string
  /** What the declaration of the route says that callers need. */
  readonly access: RouteAccess
}

const { versions, unversioned } = allRoutes

/** Every route at each of its paths. */
const operations: readonly Operation[] = [
  ...versions.flatMap(({ api, routes }) => routes.flatMap(route => operationsOf(route, api.prefix))),
  ...unversioned.flatMap(route => operationsOf(route, '')),
]

function operationsOf(
  { method, path, alsoAt = [], access }: DescribedRoute,
  prefix: string,
): readonly Operation[] {
  const name = `${method.toUpperCase()} ${path}`
  return [path, ...alsoAt].map(each => ({ name, method, path: prefix + each, access }))
}

/**
 * Permission of each caller on a record, given the permission that the record grants to `carl` and the group `team`.
 */
const callers: Readonly<Record<string, (given: Permission) => Permission>> = {
  'the administrator': () => 'ADMINISTRATE',
  carl: given => given,
  'a member of the team': given => given,
  'somebody with a temporary token': given => given,
  'a service that reads': () => 'READ',
  'a service that writes': () => 'WRITE',
  'a service that administrates': () => 'ADMINISTRATE',
  'a stranger': () => 'NONE',
  nobody: () => 'NONE',
}

/** Requests of OAI-PMH that name records. */
const harvests: readonly string[] = [
  'verb=ListRecords&metadataPrefix=oai_dc',
  'verb=ListRecords&metadataPrefix=datacite',
  'verb=ListIdentifiers&metadataPrefix=oai_dc',
  'verb=ListIdentifiers&metadataPrefix=oai_dc&set=schema:base',
  'verb=GetRecord&metadataPrefix=oai_dc&identifier=m-read',
  'verb=ListMetadataFormats',
  'verb=ListMetadataFormats&identifier=m-read',
  'verb=ListSets',
  'verb=Identify',
]

describe('access on every route', () => {
  let service: TestService
  const tokens = new Map<string, string | undefined>()
  const given = ['NONE', 'READ', 'WRITE', 'ADMINISTRATE'] as const
  /** All ids have the same length. Otherwise lengths of answers would tell records apart. */
  const idOf = (kind: 'schema' | 'metadata', what: string) => `${kind[0]}-${what.toLowerCase().slice(0, 4)}`
  /** Id of a schema that documents follow. Schemas of `idOf` have no documents, so that they can be deleted. */
  const followed = (what: Permission) => `f-${what.toLowerCase().slice(0, 4)}`
  /** Id of an XML schema, which is a format of OAI-PMH. */
  const format = (what: Permission) => `x-${what.toLowerCase().slice(0, 4)}`
  const formatted = (what: Permission) => `y-${what.toLowerCase().slice(0, 4)}`
  const document = '{"title":"x"}'
  /** Commit before the first revocation. */
  let unrevoked: string

  before(async () => {
    service = await startServiceWithWorkTree(
      // A list has one part: in its long form, this file creates more records than a part has in other tests.
      {
        identify: identifyWithTestSecret,
        metrics: await openMetrics(),
        features: { ...oaiOptions, 'oai-page': 1000, 'allow-push': true },
      },
    )
    const revoked = [idOf('schema', 'revoked'), idOf('metadata', 'revoked')]
    const permissions = [
      ...given.flatMap(permission =>
        [
          ...[idOf('schema', permission), idOf('metadata', permission), followed(permission)],
          ...[format(permission), formatted(permission)],
        ].map(resourceId => ({
          resourceId,
          permission,
        })),
      ),
      ...revoked.map(resourceId => ({ resourceId, permission: 'WRITE' })),
    ].map(entry => ({ resourceType: 'DataResource', ...entry }))
    const asService = (permission: string) =>
      signToken({ tokenType: 'SERVICE', servicename: 'robot', roles: `["ROLE_SERVICE_${permission}"]` })
    tokens
      .set('the administrator', await userToken('root', ['ADMINISTRATOR']))
      .set('the owner', await userToken('owner'))
      .set('carl', await userToken('carl'))
      .set('a member of the team', await userToken('gina', ['USER'], { groups: ['team'] }))
      .set(
        'somebody with a temporary token',
        await signToken({
          tokenType: 'TEMPORARY',
          principalname: 'tim',
          permissions: JSON.stringify(permissions),
        }),
      )
      .set('a service that reads', await asService('READ'))
      .set('a service that writes', await asService('WRITE'))
      .set('a service that administrates', await asService('ADMINISTRATE'))
      .set('a stranger', await userToken('eve', ['USER', 'GUEST', 'CURATOR']))
      .set('nobody', undefined)

    await store('base', [{ sid: 'anonymousUser', permission: 'READ' }])
    for (const permission of given)
      await store(followed(permission), [
        { sid: 'carl', permission },
        { sid: 'team', permission },
      ])
    for (const what of [...given, 'REVOKED'] as const) {
      const permission = what === 'REVOKED' ? 'WRITE' : what
      const acl = ['carl', 'team'].map(sid => ({ sid, permission }))
      for (const kind of ['schema', 'metadata'] as const) await store(idOf(kind, what), acl, kind)
    }
    unrevoked = await service.head()
    for (const kind of ['schema', 'metadata'] as const) await remove(kind, idOf(kind, 'REVOKED'), 'the owner')
    const since = await service.head()
    await as('the administrator', service.http.get('/api/v1/search').query({ since, wait: 60 })).expect(200)
  })
  after(removeRepositories)

  const pathOf = (kind: 'schema' | 'metadata', id: string) =>
    `/api/v1/${kind === 'schema' ? 'schemas' : kind}/${id}`

  function as<T extends { set(name: string, value: string): T }>(caller: string, sent: T): T {
    const token = tokens.get(caller)
    return token === undefined ? sent : sent.set('Authorization', `Bearer ${token}`)
  }

  const remove = (kind: 'schema' | 'metadata', id: string, by: string) =>
    as(by, service.http.delete(pathOf(kind, id)).set('If-Match', '*')).expect(204)

  /** Stores two versions. They differ only in the document. */
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
        service.postMetadata(metadataRecordV1(`http://x/${id}`, 'base', { id, acl }), document),
      ).expect(201)
      await as(by, service.putMetadata(id, '*', undefined, `${document}\n`)).expect(200)
    }
  }

  /** Request of an operation on a record. It changes nothing even for a caller with permission. */
  function request({ method, path }: Operation, id: string, sentAs: 'head' | Operation['method'] = method) {
    const query = /\/diff$|\/compare\//.test(path)
      ? '?from=1&to=2'
      : path.includes('landing-page')
        ? `?${path.includes('schema') ? 'schemaId' : 'id'}=${id}`
        : path.endsWith('info/refs')
          ? '?service=git-upload-pack'
          : path.endsWith('/suggest')
            ? '?q=metadata&kind=both'
            : method === 'get' && /^\/api\/v[12]\/search$/.test(path)
              ? '?kind=both'
              : ''
    if (path.endsWith('/oaipmh')) {
      const all = id.startsWith('verb=') ? id : (harvests[0] ?? '')
      if (method === 'post') return service.http.post(path).type('form').send(all)
      return service.http[sentAs](`${path}?${all}`)
    }
    const filled = path
      .replace('{id}', id)
      .replace('{path}', 'no.json')
      .replace('{number}', '1')
      .replace('{file}', 'index.html')
      .replace('{format}', 'datacite-json')
      .replace('{index}', 'metastore-*')
    const sent = service.http[sentAs](filled + query).redirects(0)
    if (path.endsWith('/validate')) return sent.attach('document', Buffer.from(document), 'd')
    if (path.endsWith('/crosswalk')) return sent.attach('document', Buffer.from(document), 'd')
    if (path.endsWith('/impact')) return sent.attach('schema', Buffer.from(jsonSchema('other')), 's')
    if (method === 'get') return sent
    if (/\/_?search$/.test(path)) return sent.send({ size: 100 })
    sent.set('If-Match', `"${'0'.repeat(40)}"`)
    if (method === 'delete') return sent
    return path.includes('schema')
      ? sent.attach('schema', Buffer.from(jsonSchema('other')), 's')
      : sent.attach('document', Buffer.from('{"title":"other"}'), 'd')
  }

  it('is tested for every path of the description', () => {
    const described = Object.entries(interfaceDescription().paths).flatMap(
      ([path, { 'x-also-at': others = [] }]) => [path, ...others],
    )
    expect(new Set(operations.map(({ path }) => path))).to.deep.equal(new Set(described))
    expect(described).to.include.members(['/api/v1/search', '/api/v1/{index}/_search', '/api/v1/metadata/'])
  })

  for (const [number, operation] of operations.entries()) {
    const { name, method, path, access } = operation
    if (!ranks.includes(access as Permission)) continue
    const kind = path.includes('schema') ? 'schema' : 'metadata'
    const changes = method === 'put' || method === 'delete'
    const [, version] = /^\/api\/v(\d)\//.exec(path) ?? []

    it(`${name} needs ${access}: ${path}`, async () => {
      await service.storesNothing(async () => {
        for (const [at, [caller, permissionOf]] of Object.entries(callers).entries()) {
          // In the short form, a caller asks about every other record in one version, and about the others in the other.
          const isAsked = (record: number) =>
            isLongForm || version === undefined || (at + record + Number(version)) % 2 === 0
          // Other callers have the same permission on every record.
          const isOfNone = permissionOf('NONE') === permissionOf('ADMINISTRATE')
          for (const what of isOfNone ? (['NONE'] as const) : given.filter((_, record) => isAsked(record))) {
            const answer = await as(caller, request(operation, idOf(kind, what)))
            const may = ranks.indexOf(permissionOf(what)) >= ranks.indexOf(access as Permission)
            const place = `${caller}, on a record that gives ${what}: ${answer.text}`
            const needsToken = changes || /\/(?:impact|crosswalk)$/.test(path)
            if (!may) expect(answer.status, place).to.equal(needsToken && caller === 'nobody' ? 401 : 403)
            // The stale ETag refuses changes, and the schema has no file of this name. Other tests cover accepted
            // requests.
            else if (changes) expect(answer.status, place).to.equal(412)
            else if (path.endsWith('/files/{path}')) expect(answer.text, place).to.contain('has no file')
            else expect(answer.status, place).to.be.within(200, 399)
          }
        }
      })
    })

    it(`${name} gets the same for a REVOKED and an absent record: ${path}`, async () => {
      const [hidden, absent] = [idOf(kind, 'REVOKED'), idOf(kind, 'absent')]
      for (const [caller, permissionOf] of Object.entries(callers)) {
        const [one, other] = [
          await as(caller, request(operation, hidden)),
          await as(caller, request(operation, absent)),
        ]
        const shown = [told(one).replaceAll(hidden, absent), told(other)]
        // A caller with ADMINISTRATE may see a REVOKED record, but not validate against it.
        if (permissionOf('WRITE') === 'ADMINISTRATE' && !path.endsWith('/validate')) {
          expect(shown[0], caller).to.not.equal(shown[1])
        } else expect(shown[0], caller).to.equal(shown[1])
      }
    })

    if (method !== 'get') continue
    it(`${name} gets the same in every representation and at every point of history: ${path}`, async () => {
      const [hidden, absent] = [idOf(kind, 'REVOKED'), idOf(kind, 'absent')]
      const asking = ['carl', 'somebody with a temporary token', 'a service that writes', 'nobody']
      for (const [index, caller] of asking.entries()) {
        for (const [form, { accept, query }] of forms().entries()) {
          // In the short form, each caller sends every fourth form, and other forms for the next operation; GET and
          // HEAD take turns.
          if ((number + form) % asking.length !== index && !isLongForm) continue
          const turn = Math.floor((number + form) / asking.length) % 2
          const methods = ['get', 'head'] as const
          for (const sentAs of isLongForm ? methods : methods.slice(turn, turn + 1)) {
            const ask = (id: string) =>
              as(caller, request(operation, id, sentAs).query(query).set('Accept', accept))
            const [one, other] = [await ask(hidden), await ask(absent)]
            expect(told(one).replaceAll(hidden, absent), `${caller}: ${sentAs} ${accept} ${query}`).to.equal(
              told(other),
            )
          }
        }
      }
    })
  }

  /** Representations, versions and times for which a client can ask. */
  const forms = () => [
    ...[
      schemaType,
      metadataType,
      'application/vnd.datacite.org+json',
      'application/vnd.datamanager.content-information+json',
      'application/vnd.datamanager.acl+json',
      'application/json',
      'text/html',
      'text/turtle',
      'application/zip',
      'application/linkset+json',
    ].map(accept => ({ accept, query: '' })),
    ...['version=1', `version=${unrevoked}`, 'at=main', `at=${unrevoked}`].flatMap(query =>
      ['*/*', schemaType, metadataType].map(accept => ({ accept, query })),
    ),
  ]

  describe('routes about the whole repository', () => {
    const refs = (program: string) => service.http.get(`/repository.git/info/refs?service=git-${program}`)
    /** A complete conversation with git. It changes nothing. */
    const talk = (program: string, text: string) =>
      service.http
        .post(`/repository.git/git-${program}`)
        .set({ 'Content-Type': `application/x-git-${program}-request`, 'Git-Protocol': 'version=2' })
        .send(text)
    const requests: Readonly<Record<string, readonly (() => Test)[]>> = {
      'GET /repository.git/info/refs': [() => refs('upload-pack'), () => refs('receive-pack')],
      'POST /repository.git/git-upload-pack': [() => talk('upload-pack', '0014command=ls-refs\n0000')],
      'POST /repository.git/git-receive-pack': [() => talk('receive-pack', '0000')],
      'GET /metrics': [() => service.http.get('/metrics')],
    }

    for (const { name, access } of operations) {
      if (access !== 'whole-repository' && access !== 'administrator') continue
      it(`${name} is only for administrators`, async () => {
        expect(requests).to.have.property(name)
        await service.storesNothing(async () => {
          for (const caller of Object.keys(callers)) {
            for (const send of requests[name] ?? []) {
              const { status, text } = await as(caller, send())
              const wanted = caller === 'the administrator' ? 200 : caller === 'nobody' ? 401 : 403
              expect(status, `${caller}: ${text}`).to.equal(wanted)
            }
          }
        })
      })
    }
  })

  describe('new records', () => {
    let count = 0
    const record = (kind: 'schema' | 'metadata', id: string, schema: string) => ({
      id,
      titles: [{ value: 'new' }],
      ...(kind === 'metadata' && {
        relatedIdentifiers: [
          { identifierType: 'URL', value: `http://new/${id}`, relationType: 'IS_METADATA_FOR' },
          { identifierType: 'INTERNAL', value: schema, relationType: 'HAS_METADATA' },
        ],
      }),
    })
    const json = { filename: 'r.json', contentType: 'application/json' }

    /** Request that stores a schema, or metadata that follow the schema. */
    function request(path: string, kind: 'schema' | 'metadata', schema: string): Test {
      const id = `new-${++count}`
      const part = kind === 'schema' ? 'schema' : 'document'
      const content = Buffer.from(kind === 'schema' ? jsonSchema() : document)
      if (path === '/api/changesets') {
        const change = { kind, action: 'create', record: record(kind, id, schema), document: 'x' }
        const set = Buffer.from(JSON.stringify({ changes: [change] }))
        return service.http.post(path).attach('changeset', set, json).attach('x', content, 'x')
      }
      const sent = path.startsWith('/api/v2/')
        ? record(kind, id, schema)
        : kind === 'schema'
          ? { schemaId: id }
          : metadataRecordV1(`http://new/${id}`, schema, { id })
      return service.http
        .post(path)
        .attach('record', Buffer.from(JSON.stringify(sent)), json)
        .attach(part, content, part)
    }

    /** Permissions that the followed schemas grant. A schema follows no schema. */
    function followedBy(kind: 'schema' | 'metadata', permissionOf: (given: Permission) => Permission) {
      if (kind === 'schema') return ['NONE'] as const
      const isOfNone = permissionOf('NONE') === permissionOf('ADMINISTRATE')
      return isOfNone && !isLongForm ? (['NONE', 'ADMINISTRATE'] as const) : given
    }

    for (const { name, path, access } of operations) {
      if (access !== 'create-role' && access !== 'token') continue
      const kinds = (['schema', 'metadata'] as const).filter(
        kind => path === '/api/changesets' || path.includes(kind),
      )
      for (const kind of kinds) {
        const needs = kind === 'schema' ? 'a token' : 'a token, and READ on the schema it follows'
        it(`by ${name} needs ${needs}: ${path}`, async () => {
          for (const [caller, permissionOf] of Object.entries(callers)) {
            for (const what of followedBy(kind, permissionOf)) {
              const may = kind === 'schema' || permissionOf(what) !== 'NONE'
              const wanted = caller === 'nobody' ? 401 : !may ? 403 : path === '/api/changesets' ? 200 : 201
              const before = await service.head()
              const { status, text } = await as(caller, request(path, kind, followed(what)))
              expect(status, `${caller}, of a schema that gives ${what}: ${text}`).to.equal(wanted)
              expect((await service.head()) === before, `${caller}: a commit`).to.equal(wanted >= 400)
            }
          }
        })
      }
    }
  })

  for (const operation of operations) {
    const { name, path, access } = operation
    if (access !== 'public-records') continue
    it(`${name} returns to every caller what callers without a token may read: ${path}`, async () => {
      const parts = path === '/sitemap.xml' ? ['', 'part=1'] : ['']
      for (const query of parts) {
        const ask = async (caller: string) => {
          const { text, body } = await as(caller, request(operation, '').query(query).buffer(true)).expect(
            200,
          )
          return text || JSON.stringify(body)
        }
        const open = await ask('nobody')
        for (const what of [...given, 'REVOKED'])
          for (const kind of ['schema', 'metadata'] as const) expect(open).to.not.contain(idOf(kind, what))
        if (path.startsWith('/catalog') || query !== '') expect(open).to.contain('schemaId=base')
        for (const caller of Object.keys(callers)) expect(await ask(caller), caller).to.equal(open)
      }
    })
  }

  for (const operation of operations) {
    const { name, path, access } = operation
    if (access !== 'none') continue
    it(`${name} answers every caller alike, without names of records: ${path}`, async () => {
      const ask = async (caller: string) => {
        const { status, text } = await as(caller, request(operation, ''))
        return { status, text }
      }
      const open = await ask('nobody')
      for (const what of [...given, 'REVOKED'])
        for (const kind of ['schema', 'metadata'] as const)
          expect(open.text ?? '').to.not.contain(idOf(kind, what))
      for (const caller of Object.keys(callers)) expect(await ask(caller), caller).to.deep.equal(open)
    })
  }

  it('every format of an export needs READ', async () => {
    for (const { name } of exportFormats) {
      for (const [kind, root] of [
        ['schema', '/api/v1/schemas'],
        ['metadata', '/api/v2/metadata'],
      ] as const) {
        for (const what of given) {
          const path = `${root}/${idOf(kind, what)}/export/${name}`
          const { status } = await as('carl', service.http.get(path))
          expect(status, path).to.equal(what === 'NONE' ? 403 : 200)
        }
      }
    }
  })

  for (const operation of operations) {
    const { name, method, path, access } = operation
    if (access !== 'readable-records') continue
    it(`${name} names only records that the caller may read: ${path}`, async () => {
      const ask = async (caller: string) => {
        const sent = as(caller, request(operation, ''))
        return await (path.endsWith('/oaipmh') ? sent : sent.query('size=100&limit=1000')).expect(200)
      }
      const all = (await ask('the administrator')).text
      for (const [caller, permissionOf] of Object.entries(callers)) {
        const { text } = await ask(caller)
        for (const kind of ['schema', 'metadata'] as const) {
          for (const what of given) {
            const id = idOf(kind, what)
            const names = (answer: string) => new RegExp(`\\b${id}\\b`).test(answer)
            const may = permissionOf(what) !== 'NONE'
            const isSearch = method === 'post' && path.endsWith('search')
            const listsDocuments = path.endsWith('/oaipmh') || isSearch
            const listsBoth = path === '/api/changes' || (method === 'get' && path.endsWith('/search'))
            const lists = listsBoth || (listsDocuments && kind === 'metadata')
            if (path.includes(kind) || lists) expect(names(all), id).to.equal(true)
            if (!may) expect(names(text), `${id} for ${caller}`).to.equal(false)
            else if (names(all)) expect(names(text), `${id} for ${caller}`).to.equal(true)
          }
        }
      }
    })
  }

  describe('harvests', () => {
    /** Only some callers may read this schema. Everyone may read the record that follows it. */
    const partial = { schema: 'x-part', metadata: 'y-part' }
    before(async () => {
      const acls = (permission: Permission) => ['carl', 'team'].map(sid => ({ sid, permission }))
      const add = async (schema: string, metadata: string, ofSchema: object, ofMetadata: object) => {
        await as('the owner', service.postSchema({ schemaId: schema, acl: ofSchema }, noteXsdText)).expect(
          201,
        )
        const record = metadataRecordV1(`http://x/${metadata}`, schema, { id: metadata, acl: ofMetadata })
        await as('the owner', service.postMetadata(record, noteXml)).expect(201)
      }
      for (const what of given) await add(format(what), formatted(what), acls(what), acls(what))
      const anyone = [{ sid: 'anonymousUser', permission: 'READ' }]
      await add(partial.schema, partial.metadata, acls('READ'), anyone)
    })

    for (const path of ['/oaipmh', '/metastore/oaipmh']) {
      for (const method of ['get', 'post'] as const) {
        // In the short form, each path has one method.
        if (!isLongForm && (method === 'get') !== (path === '/oaipmh')) continue
        describe(`by ${method.toUpperCase()} ${path}`, () => {
          /** Each caller, with what it may read and its requests. */
          const harvesters = Object.entries(callers).map(([caller, permissionOf]) => {
            const may = (what: Permission) => permissionOf(what) !== 'NONE'
            return {
              caller,
              may,
              readable: given.filter(may),
              // A temporary token names its records.
              mayReadPartial: may('READ') && caller !== 'somebody with a temporary token',
              async ask(query: string) {
                const name = `${method.toUpperCase()} /oaipmh`
                const sent = request({ name, method, path, access: 'readable-records' }, query)
                return parseOai((await as(caller, sent).expect(200)).text)
              },
            }
          })

          it('give each caller a format for each schema that the caller may read', async () => {
            const ofSchemas = [...given.map(format), partial.schema]
            for (const { caller, readable, mayReadPartial, ask } of harvesters) {
              const formats = (await ask('verb=ListMetadataFormats')).all('metadataPrefix')
              expect(
                formats.filter(each => ofSchemas.includes(each)),
                caller,
              ).to.have.members([...readable.map(format), ...(mayReadPartial ? [partial.schema] : [])])
            }
          })

          it('give each caller a set for each schema that the caller may read, or that a readable record follows', async () => {
            const setsOf = (what: Permission) =>
              [format(what), idOf('schema', what)].map(id => `schema:${id}`)
            const ofSchemas = [...given.flatMap(setsOf), `schema:${partial.schema}`]
            for (const { caller, readable, ask } of harvesters) {
              const sets = (await ask('verb=ListSets')).all('setSpec')
              expect(
                sets.filter(each => ofSchemas.includes(each)),
                caller,
              ).to.have.members([...readable.flatMap(setsOf), `schema:${partial.schema}`])
            }
          })

          for (const verb of ['ListRecords', 'ListIdentifiers']) {
            it(`give by ${verb} the records of a format only to callers who may read its schema`, async () => {
              for (const { caller, may, ask } of harvesters) {
                for (const what of given) {
                  const answer = await ask(`verb=${verb}&metadataPrefix=${format(what)}`)
                  expect([answer.errors, idsOf([answer])], `${what} for ${caller}`).to.deep.equal(
                    may(what) ? [[], [formatted(what)]] : [['cannotDisseminateFormat'], []],
                  )
                }
              }
            })

            it(`give by ${verb} the records of a set only to callers who may read them`, async () => {
              for (const { caller, may, ask } of harvesters) {
                for (const what of given) {
                  const answer = await ask(`verb=${verb}&metadataPrefix=oai_dc&set=schema:${format(what)}`)
                  expect([answer.errors, idsOf([answer])], `${what} for ${caller}`).to.deep.equal(
                    may(what) ? [[], [formatted(what)]] : [['noRecordsMatch'], []],
                  )
                }
              }
            })

            it(`give by ${verb} each caller the records that the caller may read`, async () => {
              const ofSchemas = given.map(formatted)
              for (const { caller, readable, ask } of harvesters) {
                const ids = idsOf([await ask(`verb=${verb}&metadataPrefix=oai_dc`)])
                expect(
                  ids.filter(id => ofSchemas.includes(id)),
                  caller,
                ).to.have.members(readable.map(formatted))
              }
            })
          }

          it('give a record only to callers who may read it', async () => {
            for (const { caller, may, ask } of harvesters) {
              for (const what of given) {
                const single = `verb=GetRecord&identifier=${formatted(what)}&metadataPrefix=`
                const { errors } = await ask(`${single}oai_dc`)
                const ofFormat = (await ask(single + format(what))).errors
                expect([errors, ofFormat], `${what} for ${caller}`).to.deep.equal(
                  may(what) ? [[], []] : [['idDoesNotExist'], ['cannotDisseminateFormat']],
                )
              }
            }
          })

          it('give the formats of a record only to callers who may read it', async () => {
            for (const { caller, may, ask } of harvesters) {
              for (const what of given) {
                const own = await ask(`verb=ListMetadataFormats&identifier=${formatted(what)}`)
                expect(own.errors, `${what} for ${caller}`).to.deep.equal(may(what) ? [] : ['idDoesNotExist'])
                if (may(what))
                  expect(own.all('metadataPrefix'), `${what} for ${caller}`).to.include(format(what))
              }
            }
          })

          it('give a readable record in the format of its schema only to callers who may read the schema', async () => {
            for (const { caller, mayReadPartial, ask } of harvesters) {
              const ofRecord = await ask(`verb=ListMetadataFormats&identifier=${partial.metadata}`)
              expect(ofRecord.all('metadataPrefix').includes(partial.schema), caller).to.equal(mayReadPartial)
              const single = `verb=GetRecord&identifier=${partial.metadata}&metadataPrefix=${partial.schema}`
              expect((await ask(single)).errors, caller).to.deep.equal(
                mayReadPartial ? [] : ['cannotDisseminateFormat'],
              )
            }
          })
        })
      }
    }
  })

  it('GET /search/suggest has only titles of records that the caller may read', async () => {
    const titleOf = (what: Permission) => `Suggested ${what.toLowerCase()}`
    for (const permission of given) {
      const acls = ['carl', 'team'].map(sid => ({ sid, permission }))
      const record = {
        id: `title-${permission.toLowerCase()}`,
        titles: [{ value: titleOf(permission) }],
        acls,
      }
      const sent = service.http
        .post('/api/v2/schemas')
        .attach('record', Buffer.from(JSON.stringify(record)), {
          filename: 'r.json',
          contentType: 'application/json',
        })
        .attach('schema', Buffer.from(jsonSchema('title')), 's')
      await as('the owner', sent).expect(201)
    }
    for (const api of ['/api/v1', '/api/v2']) {
      const titles = async (caller: string) => {
        const { body } = await as(
          caller,
          service.http.get(`${api}/search/suggest?q=sugg&kind=schema`),
        ).expect(200)
        return body[1] as readonly string[]
      }
      await waitUntil(
        'all are found',
        async () => (await titles('the administrator')).length === given.length,
      )
      for (const [caller, permissionOf] of Object.entries(callers)) {
        // A temporary token names its records.
        const isOfNone = caller === 'somebody with a temporary token'
        const may = given.filter(what => !isOfNone && permissionOf(what) !== 'NONE')
        expect(await titles(caller), caller).to.have.members(may.map(titleOf))
      }
    }
  })

  it('callers without a token cannot change records, regardless of access lists', async () => {
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
      // The missing If-Match is reported before the missing token.
      expect((await service.http.delete('/api/v1/schemas/open')).status).to.equal(428)
      const push = service.http.get('/repository.git/info/refs?service=git-receive-pack')
      expect((await push).status).to.equal(401)
    })
  })

  describe('changes of hidden records', () => {
    const hidden = 'hid-'
    let visible: string

    /** Sends every kind of read, in many forms, as callers who may not read hidden records. */
    async function look(watching: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const seen = new Map<string, string>()
      const forms = [
        '',
        'size=1',
        'page=1&size=1',
        'limit=1',
        `since=${visible}`,
        `at=${visible}&size=1`,
        'at=main&size=1',
        'before=now&limit=1',
      ]
      const forRecords = ['', 'at=main']
      for (const [index, caller] of watching.entries()) {
        for (const [number, operation] of operations.entries()) {
          const { method, path, access } = operation
          if (access === 'none' || !(method === 'get' || /validate|impact|crosswalk/.test(path))) continue
          const ids = /\{id\}|landing/.test(path)
            ? [idOf(path.includes('schema') ? 'schema' : 'metadata', 'READ'), 'none-such']
            : path.endsWith('/oaipmh')
              ? harvests
              : ['']
          // In the short form, each caller sends only some forms, and other forms for the next operation. OAI-PMH refuses
          // their parameters.
          const isSent = (form: number) =>
            form === 0 ||
            ((number + form) % watching.length === index && !path.endsWith('/oaipmh')) ||
            isLongForm
          const queries = (access === 'readable-records' ? forms : forRecords).filter((_, form) =>
            isSent(form),
          )
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

    it('do not show in a status, a total, a header, an address or a text', async () => {
      const root = 'the administrator'
      for (const kind of ['schema', 'metadata'] as const) await store(`${hidden}${kind}`, [], kind, root)
      await store('last', [{ sid: 'anonymousUser', permission: 'READ' }])
      visible = await service.head()
      const watching = ['carl', 'a member of the team', 'somebody with a temporary token', 'nobody']
      const before = await look(watching)

      const acl = { acl: [{ sid: 'root', permission: 'ADMINISTRATE' }] }
      for (const id of ['a', 'b', 'c'])
        await store(`${hidden}${id}`, [], id === 'a' ? 'schema' : 'metadata', root)
      await as(root, service.putMetadata(`${hidden}metadata`, '*', acl, '{"title":"other"}')).expect(200)
      for (const id of ['b', 'b', 'c']) {
        await as(root, service.http.delete(`/api/v1/metadata/${hidden}${id}`).set('If-Match', '*')).expect(
          204,
        )
      }
      await service.services.workTreeUpToDate()
      const [folder] = (await service.repository.git('ls-files', `*${hidden}metadata*record.json`)).split(
        '\n',
      )
      await service.repository.commit('Break it', { [String(folder)]: '{' })
      await waitUntil('the fault', async () => {
        const { body } = await as(root, service.http.get('/health'))
        return body.faults.length === 1
      })
      const after = await look(watching)

      expect(before.size).to.be.above(600)
      for (const [request, answer] of before) expect(after.get(request), request).to.equal(answer)
      for (const [request, answer] of after) expect(answer, request).to.not.contain(hidden)
    })

    it('do not show to services, if the records are REVOKED', async () => {
      const root = 'the administrator'
      const revoked = 'rev-'
      for (const kind of ['schema', 'metadata'] as const) {
        await store(`${revoked}${kind}`, [], kind, root)
        await remove(kind, `${revoked}${kind}`, root)
      }
      await store('end', [{ sid: 'anonymousUser', permission: 'READ' }])
      visible = await service.head()
      const watching = ['a service that reads', 'a service that writes']
      const before = await look(watching)

      for (const document of [jsonSchema('one'), jsonSchema('two')])
        await as(root, service.putSchema(`${revoked}schema`, '*', undefined, document)).expect(200)
      await as(root, service.putMetadata(`${revoked}metadata`, '*', undefined, '{"title":"other"}')).expect(
        200,
      )
      await service.services.workTreeUpToDate()
      const after = await look(watching)

      expect(await service.head()).to.not.equal(visible)
      expect(before.size).to.be.above(300)
      for (const [request, answer] of before) expect(after.get(request), request).to.equal(answer)
      // A service could read the record before its revocation. Harvests therefore show it as deleted, and nothing more.
      const deletion = new RegExp(
        `<header status=\\\\"deleted\\\\"><identifier>${revoked}metadata</identifier><datestamp>[^<]*</datestamp>` +
          '(?:<setSpec>(?:default|schema:base|type:json|resourcetype:MODEL)</setSpec>)*</header>',
        'g',
      )
      for (const [request, answer] of after)
        expect(answer.replace(deletion, ''), request).to.not.contain(revoked)
      for (const caller of watching) {
        const list = after.get(`${caller}: get /oaipmh ${harvests[0]} `) ?? ''
        expect(list.match(deletion), caller).to.have.lengthOf(1)
      }
    })
  })
})

/**
 * Everything in an answer except times, the free space of the disk, and whether a commit of any record breaks a rule, which
 * everyone learns.
 */
function told({ status, headers, text }: Response): string {
  const { date: _, 'x-request-id': __, ...others } = headers as Readonly<Record<string, string>>
  const { 'content-length': length, ...rest } = others
  const lasting = (text ?? '')
    .replace(/[\d.]+ GB \(\d+%\)/g, '… GB')
    .replace(/<responseDate>[^<]*/, '<responseDate>')
    .replace('"records":{"ok":false}', '"records":{"ok":true}')
    .replace(/<strong class="notice">The service works, but [^<]*<\/strong>/, 'Everything works.')
    .replace('<details open><summary>What is checked', '<details><summary>What is checked')
    .replace('<dt>Records</dt><dd>does not work</dd>\n', '')
  const replaced = Buffer.byteLength(text ?? '') - Buffer.byteLength(lasting)
  // The length of a compressed body depends on the time in it.
  const isCompared = length !== undefined && rest['content-encoding'] === undefined
  const size = isCompared ? Number(length) - replaced : undefined
  return JSON.stringify({ status, rest, size, text: lasting })
}
