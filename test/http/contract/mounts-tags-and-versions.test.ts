import { expect } from 'chai'
import type request from 'supertest'
import {
  type ApiVersion,
  apiClient,
  type Client,
  everyApiMount,
  type Json,
  version1,
  version2,
} from '../../support/http/api-versions.js'
import {
  base,
  etagOf,
  jsonSchema,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/*
 * Rules of the contract for addresses, tags and versions.
 * @see docs/contract.md#addresses; docs/contract.md#versions
 */

const versions = [version1(), version2()]

describe('rules of both versions', () => {
  let service: TestService
  let client: Client

  async function start(spoken: ApiVersion): Promise<void> {
    service = await startService()
    client = apiClient(service, spoken)
    await client.postSchema('json', jsonSchema('title')).expect(201)
    await client.postSchema('xml', noteXsdText).expect(201)
  }

  const read = async (path: string): Promise<Record<string, unknown>> =>
    JSON.parse((await client.record(path).expect(200)).text)

  describe('mounts', () => {
    before(async () => {
      await start(version1())
      await client.postMetadata('http://x/1', 'xml', noteXml, { id: 'document' }).expect(201)
    })
    after(removeRepositories)

    for (const { mount } of everyApiMount) {
      for (const [path, allow] of [
        ['/schemas', 'HEAD, GET, POST'],
        ['/schemas/', 'HEAD, GET, POST'],
        ['/schemas/xml', 'HEAD, GET, PUT, DELETE'],
        ['/schemas/xml/validate', 'POST'],
        ['/metadata', 'HEAD, GET, POST'],
        ['/metadata/', 'HEAD, GET, POST'],
        ['/metadata/document', 'HEAD, GET, PUT, DELETE'],
      ] as const) {
        it(`${mount}${path} allows ${allow}, and answers 405 to other methods`, async () => {
          const options = await service.http.options(mount + path).expect(204)
          expect(options.headers.allow).to.equal(`${allow}, OPTIONS`)
          for (const method of ['post', 'put', 'delete', 'patch', 'propfind'] as const) {
            if (allow.includes(method.toUpperCase())) continue
            const refused = await service.http[method](mount + path).expect(405)
            expect(refused.headers).to.include({
              allow: `${allow}, OPTIONS`,
              'content-type': 'application/problem+json',
            })
          }
        })
      }

      it(`${mount} answers 404 below items, for other names, and for items with a slash`, async () => {
        for (const path of [
          '',
          '/',
          '/schema',
          '/Schemas',
          '/schemas/xml/',
          '/metadata/document/',
          '/metadata/a/b',
        ]) {
          await service.http.get(mount + path).expect(404)
        }
      })
    }

    for (const path of ['/health', '/actuator/health', '/actuator/info']) {
      it(`${path} is served at the root and below /metastore`, async () => {
        const [root, below] = [
          await service.http.get(path).expect(200),
          await service.http.get(`/metastore${path}`).expect(200),
        ]
        expect(below.headers['content-type']).to.equal(root.headers['content-type'])
      })
    }

    it('paths of other versions below /repository do not exist', async () => {
      for (const path of [
        '/repository/api/v1/schemas',
        '/api/v3/schemas',
        '/repository/health',
        '/schemas',
        '/v1/schemas',
      ]) {
        await service.http.get(path).expect(404)
      }
    })
  })

  for (const spoken of versions) {
    describe(`version ${spoken.version}`, () => {
      const isFirst = spoken.version === 1
      const acls = (...entries: readonly Json[]) => ({ [isFirst ? 'acl' : 'acls']: entries })
      const schemaVersionOf = (body: Json) =>
        Number(/schemas\/json\?version=(\d+)/.exec(JSON.stringify(body))?.[1])
      const put = async (id: string, record?: unknown, document?: string): Promise<request.Response> =>
        client.put('metadata', id, '*', record, document).expect(200)

      beforeEach(() => start(spoken))
      afterEach(removeRepositories)

      it('a POST ignores members that the server sets', async () => {
        const entry = { id: 77, sid: 'guest', permission: 'READ' }
        const sent = {
          createdAt: '2001-01-01T00:00:00Z',
          lastUpdate: '2001-01-01T00:00:00Z',
          [isFirst ? 'recordVersion' : 'version']: isFirst ? 9 : '9',
          documentHash: 'sha1:0',
          metadataDocumentUri: 'http://localhost/x',
          ...acls(entry),
        }
        const { body } = await client.postMetadata('http://x/1', 'xml', noteXml, sent).expect(201)
        expect(String(body[isFirst ? 'recordVersion' : 'version'])).to.equal('1')
        expect(Date.parse(body.lastUpdate)).to.be.above(Date.parse('2020'))
        expect(JSON.stringify(body)).to.not.include('2001-01-01').and.to.not.include('localhost')
        expect(body[isFirst ? 'acl' : 'acls'].map(({ id }: { id: number }) => id)).to.deep.equal([1, 2])
      })

      it('all representations of a state have one ETag; a client with that ETag gets 304', async () => {
        const first = await client.postMetadata('http://x/1', 'xml', noteXml, { id: 'x' }).expect(201)
        await put('x', undefined, `${noteXml}\n`)
        const accepts = [
          spoken.recordTypes.metadata[0] ?? '',
          '*/*',
          ...(isFirst ? [] : ['application/vnd.datamanager.content-information+json']),
        ]
        for (const accept of accepts) {
          const old = await client.get('/metadata/x?version=1', accept).expect(200)
          expect(etagOf(old)).to.equal(etagOf(first))
          expect(old.headers.vary).to.equal('Accept')
          await client.get('/metadata/x?version=1', accept).set('If-None-Match', etagOf(first)).expect(304)
          await client.get('/metadata/x', accept).set('If-None-Match', etagOf(first)).expect(200)
        }
      })

      it('?version=n of a schema returns the newest state of that version, with its ETag', async () => {
        const body = await read('/schemas/json')
        const changed = await client
          .put('schemas', 'json', '*', { ...body, ...acls({ sid: 'guest', permission: 'READ' }) })
          .expect(200)
        await client.put('schemas', 'json', '*', undefined, jsonSchema('b')).expect(200)
        const old = await client.record('/schemas/json?version=1').expect(200)
        expect(JSON.parse(old.text)).to.deep.equal(changed.body)
        expect(etagOf(old)).to.equal(etagOf(changed))
      })

      it('only the newest version of a record blocks its pair of resource and schema', async () => {
        const { body } = await client.postMetadata('http://x/1', 'xml', noteXml).expect(201)
        await client.postMetadata('http://x/1', 'xml', noteXml).expect(409)
        await put(body.id, spoken.metadata('http://x/2', 'xml'))
        await client.postMetadata('http://x/1', 'xml', noteXml).expect(201)
        await client.postMetadata('http://x/2', 'xml', noteXml).expect(409)
      })

      it('a pair of resource and schema blocks other schema versions and both versions of the interface', async () => {
        await client.postMetadata('http://x/1', 'xml', noteXml).expect(201)
        await client.put('schemas', 'xml', '*', undefined, `${noteXsdText}\n`).expect(200)
        for (const other of versions.map(version => apiClient(service, version))) {
          const answer = await other.postMetadata('http://x/1', 'xml', noteXml).expect(409)
          expect(answer.body.title).to.equal('Conflict')
          expect(answer.body.detail).to.include('xml').and.to.include('http://x/1')
        }
      })

      it('the default schema version is the newest on POST and for another schema on PUT, and the stored one for the same schema', async () => {
        await client.put('schemas', 'json', '*', undefined, jsonSchema('title', 'date')).expect(200)
        const document = '{"title":"a","date":"b"}'
        const { body } = await client.postMetadata('http://x/1', 'json', document).expect(201)
        expect(schemaVersionOf(body)).to.equal(2)
        await client.put('schemas', 'json', '*', undefined, jsonSchema('title', 'date', 'other')).expect(200)
        const same = await put(
          body.id,
          spoken.metadata('http://x/1', 'json', acls({ sid: 'g', permission: 'READ' })),
        )
        expect(schemaVersionOf(same.body)).to.equal(2)
        await put(body.id, spoken.metadata('http://x/1', 'xml'), noteXml)
        const back = await put(
          body.id,
          spoken.metadata('http://x/1', 'json'),
          '{"title":1,"date":2,"other":3}',
        )
        expect(schemaVersionOf(back.body)).to.equal(3)
      })

      it('a URL of the server names a schema version under any mount, and is not stored', async () => {
        await client.put('schemas', 'json', '*', undefined, jsonSchema('title', 'date')).expect(200)
        const { body } = await client
          .postMetadata('http://x/1', 'json', '{"title":"a","date":"b"}')
          .expect(201)
        let number = 1
        for (const { mount } of everyApiMount) {
          const url = `${base}${mount}/schemas/json?version=1`
          const record = JSON.stringify(body)
            .replaceAll(/http:\/\/metastore\.test[^"]*\/schemas\/json\?version=2/g, url)
            .replaceAll('http://x/1', `http://x/${++number}`)
          const { id: _, schemaVersion: __, alternateIdentifiers: ___, ...sent } = JSON.parse(record)
          const created = await client.postMetadata('', '', '{"title":"a"}', sent).expect(201)
          expect(schemaVersionOf(created.body)).to.equal(1)
          expect(created.text).to.include(`${base}${spoken.mount}/schemas/json?version=1`)
        }
        const files = await service.repository
          .git('grep', '-l', '-e', 'metastore.test', '-e', 'api/v', 'HEAD')
          .catch((error: { readonly code: number; readonly stdout: string }) => {
            if (error.code !== 1) throw error
            return error.stdout
          })
        expect(files).to.equal('')
      })

      it('only one of several writers with the same ETag succeeds', async () => {
        const first = await client.postMetadata('http://x/1', 'xml', noteXml, { id: 'x' }).expect(201)
        const sent = ['\n', '\n\n', ' '].map(end =>
          client.put('metadata', 'x', etagOf(first), undefined, noteXml + end),
        )
        const statuses = (await Promise.all(sent)).map(({ status }) => status)
        expect(statuses.toSorted((a, b) => a - b)).to.deep.equal([200, 412, 412])
      })

      it('If-Match accepts a list with the ETag, or *', async () => {
        const first = await client.postMetadata('http://x/1', 'xml', noteXml, { id: 'x' }).expect(201)
        await client.put('metadata', 'x', `"other", ${etagOf(first)}`, undefined, `${noteXml}\n`).expect(200)
        await client.put('metadata', 'x', '*', undefined, noteXml).expect(200)
        await client
          .put('metadata', 'x', `"other", W/${etagOf(first)}`, undefined, `${noteXml}\n`)
          .expect(412)
      })

      it('a GONE record is not in the tree, and is still in git log', async () => {
        const first = await client.postMetadata('http://x/1', 'xml', noteXml, { id: 'x' }).expect(201)
        const files = await service.repository.git('ls-tree', '-r', '--name-only', 'HEAD', 'metadata')
        const folder = files.slice(0, files.indexOf('/x/') + 2)
        await client.delete('/metadata/x', '*').expect(204)
        await client.delete('/metadata/x', '*').expect(204)
        expect(await service.repository.git('ls-tree', '-r', '--name-only', 'HEAD', 'metadata')).to.equal('')
        const log = await service.repository.git('log', '--format=%H', '--', folder)
        expect(log.split('\n')).to.have.length(3)
        expect(log).to.include(etagOf(first).replaceAll('"', ''))
      })
    })
  }
})
