import { writeFile } from 'node:fs/promises'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Response } from 'supertest'
import { methods, type Parameter } from '../../../src/http/openapi/specification-types.js'
import { interfaceDescription } from '../../support/http/interface-description.js'
import { startService, type TestService } from '../../support/http/test-service.js'
import {
  runMetastore,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const strict = 'handling=strict'
const document = JSON.stringify({ type: 'object' })
const json = { contentType: 'application/json', filename: 'record.json' }

/** Valid records. The tests derive invalid records from them. */
const records = {
  1: {
    schemas: { schemaId: 'note', label: 'Note', pid: { id: 1, identifier: '10.1/a', identifierType: 'DOI' } },
    metadata: {
      id: 'seven',
      relatedResource: { id: 1, identifier: 'https://example.org/7', identifierType: 'URL' },
      schema: { identifier: 'note', identifierType: 'INTERNAL' },
      acl: [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }],
    },
  },
  2: {
    schemas: { id: 'note', titles: [{ id: 1, value: 'Note' }] },
    metadata: {
      id: 'seven',
      titles: [{ value: 'Seven' }],
      relatedIdentifiers: [
        { value: 'https://example.org/7', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'note', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
    },
  },
} as const
type Version = keyof typeof records
type Collection = keyof (typeof records)[1]

describe('unknown names in a request', () => {
  let service: TestService
  async function start(): Promise<void> {
    service = await startService()
  }

  function post(version: Version, collection: Collection, record: object, prefer?: string) {
    const sent = service.http.post(`/api/v${version}/${collection}`)
    if (prefer !== undefined) sent.set('Prefer', prefer)
    return sent
      .attach('record', Buffer.from(JSON.stringify(record)), json)
      .attach(collection === 'schemas' ? 'schema' : 'document', Buffer.from(document), 'document')
  }

  for (const version of [1, 2] as const) {
    describe(`in the query of a list of version ${version}, if they resemble no known name,`, () => {
      before(async () => {
        await start()
        await post(version, 'schemas', records[version].schemas).expect(201)
      })
      after(removeRepositories)

      const list = `/api/v${version}/schemas`
      const ask = (prefer?: string) => {
        const sent = service.http.get(`${list}?search=zzz`)
        return prefer === undefined ? sent : sent.set('Prefer', prefer)
      }

      it('are ignored, and the answer varies with Prefer', async () => {
        const plain = await ask().expect(200)
        expect(plain.body).to.have.length(1)
        expect(plain.headers).to.not.have.property('preference-applied')
        expect(plain.headers.vary).to.include('Prefer')
      })

      for (const lenient of ['handling=lenient', 'respond-async', 'handling=lenient, handling=strict'])
        it(`are ignored with Prefer: ${lenient}`, async () => {
          await ask(lenient).expect(200)
        })

      for (const prefer of [strict, 'respond-async, Handling="strict"; foo=1, handling=lenient'])
        it(`are refused with the known names with Prefer: ${prefer}`, async () => {
          const refused = await ask(prefer).expect(400)
          expect(refused.body.detail)
            .to.contain('There is no parameter "search"')
            .and.to.contain('handling=strict')
            .and.to.contain('schemaId, size, sort')
          expect(refused.headers['preference-applied']).to.equal(strict)
        })

      it('are not confused with known names, which a strict client may send', async () => {
        const known = await service.http.get(`${list}?page=0&size=1`).set('Prefer', strict).expect(200)
        expect(known.headers['preference-applied']).to.equal(strict)
      })

      it('cause Vary: Prefer, which the answer to a request without a query lacks', async () => {
        const other = await service.http.get(list).expect(200)
        expect(other.headers.vary ?? '').to.not.include('Prefer')
      })
    })

    describe(`of version ${version}`, () => {
      beforeEach(start)
      afterEach(removeRepositories)

      it('are refused if a query parameter looks like a parameter of the operation', async () => {
        const wrong: Readonly<Record<string, string>> = {
          'schemas?szie=1': 'size',
          'schemas?SIZE=1': 'size',
          'schemas?sizes=1': 'size',
          'schemas/?pgae=1': 'page',
          'schemas?schemaID=note': 'schemaId',
          'schemas?mimetipe=xml': 'mimeType',
          'metadata?resorceId=x': 'resourceId',
          'metadata?ta=main': 'at',
          'metadata?utnil=2026': 'until',
          'metadata/seven?verison=1': 'version',
          'schemas/note/diff?from=1&to=2&tp=3&At=main': 'at',
        }
        for (const [path, meant] of Object.entries(wrong)) {
          for (const below of ['', '/metastore']) {
            const { status, body } = await service.http.get(`${below}/api/v${version}/${path}`)
            expect(status, path).to.equal(400)
            expect(body.detail, path)
              .to.match(/^There is no parameter ".+"; did you mean/)
              .and.to.contain(`did you mean "${meant}"?`)
          }
          expect((await service.http.head(`/api/v${version}/${path}`)).status, path).to.equal(400)
        }
      })

      it('are refused if a member of a record resembles a known one, in a new record and in a change', async () => {
        const wrong: readonly (readonly [Collection, object, string, string])[] =
          version === 1
            ? [
                ['schemas', { lable: 'a' }, '"lable"', 'label'],
                ['schemas', { acls: [] }, '"acls"', 'acl'],
                ['schemas', { pid: { identifer: 'a', identifierType: 'DOI' } }, 'pid has', 'identifier'],
                ['metadata', { licenceUri: 'https://x' }, '"licenceUri"', 'licenseUri'],
                ['metadata', { acl: [{ sid: 'a', permision: 'READ' }] }, 'acl[0] has', 'permission'],
              ]
            : [
                ['schemas', { title: [] }, '"title"', 'titles'],
                ['schemas', { titles: [{ value: 'a', tilteType: 'OTHER' }] }, 'titles[0] has', 'titleType'],
                ['metadata', { acl: [] }, '"acl"', 'acls'],
                [
                  'metadata',
                  { subjects: [{ value: 'a', scheme: { schemaUri: 'https://x' } }] },
                  'subjects[0].scheme has',
                  'schemeUri',
                ],
              ]
        const etags: Partial<Record<Collection, string>> = {}
        for (const collection of ['schemas', 'metadata'] as const) {
          const { headers } = await post(version, collection, records[version][collection]).expect(201)
          etags[collection] = headers.etag as string
        }
        await service.storesNothing(async () => {
          for (const [collection, members, where, meant] of wrong) {
            const base = records[version][collection]
            const id = collection === 'schemas' ? 'note' : 'seven'
            const changed = { ...base, ...members }
            const created = {
              ...changed,
              ...(version === 1 ? { schemaId: 'other', id: 'other' } : { id: 'other' }),
            }
            const put = service.http
              .put(`/api/v${version}/${collection}/${id}`)
              .set('If-Match', etags[collection] ?? '')
              .attach('record', Buffer.from(JSON.stringify(changed)), json)
            for (const answer of [await post(version, collection, created), await put]) {
              expect(answer.status, where).to.equal(400)
              expect(answer.body.detail).to.contain(where).and.to.contain(`did you mean "${meant}"?`)
            }
          }
        })
      })

      it('are refused in records for strict clients, which can send back a returned record', async () => {
        for (const collection of ['schemas', 'metadata'] as const) {
          const record = records[version][collection]
          const refused = await post(version, collection, { ...record, '@type': 'x' }, strict).expect(400)
          expect(refused.body.detail).to.contain('The record has no member "@type"')
          const created = await post(version, collection, record, strict).expect(201)
          expect(created.headers['preference-applied']).to.equal(strict)
          const id = collection === 'schemas' ? 'note' : 'seven'
          const back = await service.http
            .put(`/api/v${version}/${collection}/${id}`)
            .set('Prefer', strict)
            .set('If-Match', created.headers.etag as string)
            .attach('record', Buffer.from(JSON.stringify(created.body)), json)
          expect(back.status, JSON.stringify(back.body)).to.equal(200)
        }
      })

      it('are refused if a part of a form resembles a known one, and ignored otherwise', async () => {
        const list = `/api/v${version}`
        for (const collection of ['schemas', 'metadata'] as const)
          await post(version, collection, records[version][collection]).expect(201)
        const record = Buffer.from(JSON.stringify(records[version].metadata))
        const change = (name: string, prefer = '') =>
          service.http
            .put(`${list}/metadata/seven`)
            .set('Prefer', prefer)
            .set('If-Match', '*')
            .attach('record', record, json)
            .attach(name, Buffer.from('{"title":"new"}'), 'document.json')
        const sent = {
          documnet: change('documnet'),
          Document: change('Document'),
          includes: service.http
            .put(`${list}/schemas/note`)
            .set('If-Match', '*')
            .attach('schema', Buffer.from('{"type":"object","title":"a"}'), 'a.json')
            .attach('includes', Buffer.from('{}'), 'b.json'),
          scehma: service.http.post(`${list}/schemas`).attach('scehma', Buffer.from(document), 'a.json'),
          verison: service.http
            .post(`${list}/schemas/note/validate`)
            .attach('document', Buffer.from('{}'), 'a.json')
            .field('verison', '1'),
          shema: service.http
            .post(`${list}/schemas/note/impact`)
            .attach('include', Buffer.from('{}'), 'a.json')
            .attach('shema', Buffer.from('{}'), 'a.json'),
        }
        const meant = ['document', 'document', 'include', 'schema', 'version', 'schema']
        await service.storesNothing(async () => {
          for (const [index, [name, request]] of Object.entries(sent).entries()) {
            const { status, body } = await request
            expect(status, name).to.equal(400)
            expect(body.detail).to.equal(`The form has no part "${name}"; did you mean "${meant[index]}"?`)
          }
          const refused = await change('attachment', strict).expect(400)
          expect(refused.body.detail).to.contain('The form has no part "attachment"')
        })
        await change('attachment').expect(200)
        await change('schema').expect(200)
      })

      it('are refused in the records of a change set', async () => {
        const { schemas } = records[version]
        const change = { kind: 'schema', action: 'create', record: { ...schemas, acll: [] }, document: 'd' }
        const set = (record: unknown, prefer = '') =>
          service.http
            .post('/api/changesets')
            .set('Prefer', prefer)
            .field('changeset', JSON.stringify({ interface: version, changes: [{ ...change, record }] }))
            .attach('d', Buffer.from(document), 'd')
        const near = await set({ ...schemas, acll: [] }).expect(400)
        expect(near.body.detail).to.match(
          /^changes\[0\]: The record has no member "acll"; did you mean "acls?"\?$/,
        )
        const part = await set('r').attach(
          'r',
          Buffer.from(JSON.stringify({ ...schemas, acll: [] })),
          'r.json',
        )
        expect(part.body.detail).to.equal(near.body.detail)
        await set({ ...schemas, unheard: 1 }, strict).expect(400)
        await set({ ...schemas, unheard: 1 }).expect(200)
      })

      it('are ignored if existing clients send them', async () => {
        const names =
          'q _ t ts v id schemaId resoureId search filter format access_token order sortBy pageSize limit'
        for (const name of `${names} offset ids fields lang unit utm_source fbclid`.split(' ')) {
          for (const path of ['schemas', 'metadata', 'schemas/none', 'metadata/none'])
            expect(
              (await service.http.get(`/api/v${version}/${path}?${name}=1`)).body.detail ?? '',
              name,
            ).to.not.match(/There is no parameter/)
        }
        const extra = { '@type': 'Record', _links: [], etag: 'x', schemaId: 'note', locked: false, name: 'x' }
        await post(version, 'schemas', { ...extra, ...records[version].schemas }).expect(201)
        await post(version, 'metadata', { ...extra, ...records[version].metadata }).expect(201)
      })
    })
  }

  /** The message of a problem, in problem details or in the shape of Elasticsearch. */
  const detailOf = ({ body }: Response): string => body.detail ?? body.error?.reason

  describe('in any operation', () => {
    beforeEach(start)
    afterEach(removeRepositories)

    it('are refused in every operation for strict clients', async () => {
      const { paths, components } = interfaceDescription()
      let tried = 0
      for (const [path, item] of Object.entries(paths)) {
        for (const method of methods) {
          const operation = item[method]
          // OAI-PMH reports an unknown argument as `badArgument` to all clients.
          if (!operation || path === '/oaipmh') continue
          const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(each =>
            '$ref' in each ? components.parameters[each.$ref.replace(/^.*\//, '')] : each,
          ) as Parameter[]
          expect(parameters.map(({ name }) => name)).to.include('Prefer')
          const [name] = parameters.flatMap(each =>
            each.in === 'query' && each.name.length > 4 ? [each.name] : [],
          )
          const filled = path.replace(/\{\w+\}/g, 'x')
          const unknown = await service.http[method](`${filled}?unheardOf=1`).set('Prefer', strict)
          expect(unknown.status, `${method} ${path}`).to.equal(400)
          expect(detailOf(unknown)).to.contain('There is no parameter "unheardOf"')
          if (name === undefined) continue
          const near = await service.http[method](`${filled}?${name}x=1`)
          expect(detailOf(near), `${method} ${path}`).to.contain(`did you mean "${name}"?`)
          tried += 1
        }
      }
      expect(tried).to.be.greaterThan(15)
    })

    it('do not delay other requests, regardless of their number in a record', async () => {
      const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`labe${index}`, 1]))
      await post(1, 'schemas', { schemaId: 'note', ...many }).expect(400)
      const far = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`x-${index}-unheard`, 1]))
      await post(1, 'schemas', { schemaId: 'note', ...far }).expect(201)
    })
  })
})

describe('commands with --url', () => {
  afterEach(stopProcesses)

  it('make the server refuse unknown names', async () => {
    const folder = await temporaryFolder()
    const server = await startServer(['--data', join(folder, 'data')])
    const seen: (string | string[] | undefined)[] = []
    const between = createServer((incoming, outgoing) => {
      const options = {
        method: incoming.method,
        headers: incoming.headers,
        host: '127.0.0.1',
        port: server.port,
      }
      const sent = send({ ...options, path: incoming.url }, answer => {
        seen.push(answer.headers['preference-applied'])
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      })
      sent.on('error', () => outgoing.destroy())
      incoming.pipe(sent)
    })
    await new Promise<void>(resolve => between.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`
    const schema = join(folder, 'schema.json')
    await writeFile(schema, document)
    const commands = [
      ['register', 'box', schema],
      ['add', 'box', 'https://example.org/1', schema, '--id', 'one'],
      ['update', 'one', schema],
      ['update', 'box', schema],
      ['get', 'one'],
      ['list', 'schemas', '--type', 'JSON'],
      ['list', '--schema', 'box', '--resource', 'https://example.org/1', '--from', '2020'],
      ['validate', 'box', schema],
      ['impact', 'box', schema],
    ]
    try {
      for (const command of commands) {
        const { code, stderr } = await runMetastore([...command, '--url', url])
        expect(code, `${command.join(' ')}: ${stderr}`).to.equal(0)
      }
    } finally {
      between.closeAllConnections()
      between.close()
    }
    expect(seen.length).to.be.at.least(commands.length)
    expect(new Set(seen)).to.deep.equal(new Set([strict]))
  })
})
