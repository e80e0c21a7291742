import { expect } from 'chai'
import type { Response } from 'supertest'
import {
  getRefusals,
  postRefusals,
  putRefusals,
  validateRefusals,
} from '../../support/data/schema-refusals.js'
import {
  apiClient,
  type Client,
  formFile,
  testRefusals,
  version1,
  version2,
} from '../../support/http/api-versions.js'
import {
  etagOf,
  jsonSchema,
  noteXml,
  noteXsdText,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

/*
 * Rules of the contract for schemas.
 * @see docs/contract.md#order-of-checks; docs/contract.md#schema-documents; docs/contract.md#versions-of-schemas
 */

for (const spoken of [version1(), version2()]) {
  describe(`schemas in version ${spoken.version}`, () => {
    let service: TestService
    let client: Client
    const started = () => ({ service, client })

    async function start(): Promise<void> {
      service = await startServiceWithWorkTree()
      client = apiClient(service, spoken)
    }

    describe('a POST is refused', () => {
      before(async () => {
        await start()
        await client.postSchema('json', jsonSchema('title')).expect(201)
        await client.postSchema('myfirsttest', jsonSchema('title')).expect(201)
        await client.postSchema('revoked', jsonSchema()).expect(201)
        await client.delete('/schemas/revoked', '*').expect(204)
        await client.postSchema('gone', jsonSchema()).expect(201)
        await client.delete('/schemas/gone', '*').expect(204)
        await client.delete('/schemas/gone', '*').expect(204)
        await client.postMetadata('http://x/1', 'json', '{"title":"a"}', { id: 'document' }).expect(201)
      })
      after(removeRepositories)

      testRefusals(postRefusals(spoken), started)
    })

    describe('a POST', () => {
      beforeEach(start)
      afterEach(removeRepositories)

      it('accepts every draft from 04 on, with http or https, with or without a # at the end', async () => {
        const drafts = ['draft-04', 'draft-06', 'draft-07', 'draft/2019-09', 'draft/2020-12']
        for (const [index, draft] of drafts.entries()) {
          for (const $schema of [
            `http://json-schema.org/${draft}/schema`,
            `https://json-schema.org/${draft}/schema`,
          ]) {
            for (const end of ['', '#']) {
              const id = `x${index}-${$schema.length}${end.length}`
              const document = JSON.stringify({ $schema: $schema + end, type: 'object', required: ['title'] })
              await client.postSchema(id, document).expect(201)
              await client.validate(`/schemas/${id}/validate`, '{"title":1}').expect(204)
              await client.validate(`/schemas/${id}/validate`, '{}').expect(422)
            }
          }
        }
      })

      it('uses draft 2020-12 without $schema', async () => {
        await client.postSchema('x', '{"prefixItems":[{"type":"string"}],"items":false}').expect(201)
        await client.validate('/schemas/x/validate', '["a"]').expect(204)
        await client.validate('/schemas/x/validate', '["a","b"]').expect(422)
      })

      it('accepts the collection with and without a slash at the end', async () => {
        for (const path of ['/schemas', '/schemas/']) {
          const record = spoken.schema(`x${path.length}`)
          await client
            .send('post', path, [formFile('record', record), formFile('schema', jsonSchema())])
            .expect(201)
        }
      })

      it('accepts every allowed character and 200 characters', async () => {
        for (const id of ['a.b-c*d_9', 'x'.repeat(200), '..x', '0']) {
          await client.postSchema(id, jsonSchema()).expect(201)
          await client.record(`/schemas/${id}`).expect(200)
        }
      })

      it('accepts any content type and file name of the schema: the bytes decide', async () => {
        let number = 0
        for (const type of ['application/xml', 'application/json', 'text/plain', 'image/png', 'nonsense']) {
          for (const [document, is] of [
            [jsonSchema(), 'application/json'],
            [noteXsdText, 'application/xml'],
          ] as const) {
            const id = `x${++number}`
            const parts = [
              formFile('record', spoken.schema(id)),
              { ...formFile('schema', document, type), file: 'x.zip' },
            ]
            await client.send('post', '/schemas', parts).expect(201)
            const stored = await client.get(`/schemas/${id}`).expect(200)
            expect(stored.headers['content-type']).to.equal(is)
            expect(stored.text).to.equal(document)
          }
        }
      })

      it('accepts a schema as an XML document in UTF-16', async () => {
        const text = noteXsdText.replace('UTF-8', 'UTF-16')
        const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
        await client.postSchema('x', bytes).expect(201)
        await client.validate('/schemas/x/validate', noteXml).expect(204)
      })
    })

    describe('a GET', () => {
      before(async () => {
        await start()
        const first = await client.postSchema('json', jsonSchema('title')).expect(201)
        await client.put('schemas', 'json', etagOf(first), undefined, jsonSchema('date')).expect(200)
        await client.postSchema('xml', noteXsdText).expect(201)
        await client.postSchema('gone', jsonSchema()).expect(201)
        await client.delete('/schemas/gone', '*').expect(204)
        await client.delete('/schemas/gone', '*').expect(204)
        await client.postMetadata('http://x/1', 'json', '{"date":1}', { id: 'document' }).expect(201)
      })
      after(removeRepositories)

      testRefusals(getRefusals, started)

      it('answers 200 for a REVOKED schema to its administrators', async () => {
        await client.postSchema('revoked', jsonSchema()).expect(201)
        await client.delete('/schemas/revoked', '*').expect(204)
        await client.record('/schemas/revoked').expect(200)
        await client.get('/schemas/revoked').expect(200)
      })

      it('returns the last valid state, not 500, if the stored file of a schema is missing', async () => {
        const { repository, services, http } = service
        const { text } = await client.get('/schemas/xml').expect(200)
        await services.workTreeUpToDate()
        const broken = await repository.commit('Lose a file', { 'schemas/xml/schema.xsd': null })
        await waitUntil('the commit is seen', async () => (await http.get('/health')).body.catalog === broken)
        expect((await client.get('/schemas/xml').expect(200)).text).to.equal(text)
        await client.record('/schemas/xml').expect(200)
        await client.validate('/schemas/xml/validate', noteXml).expect(204)
        await client.validate('/schemas/xml/validate', '<other/>').expect(422)
      })
    })

    describe('a PUT is refused, in the order of the checks', () => {
      before(async () => {
        await start()
        await client.postSchema('json', jsonSchema('title')).expect(201)
        await client.postSchema('xml', noteXsdText).expect(201)
        await client.postSchema('gone', jsonSchema()).expect(201)
        await client.delete('/schemas/gone', '*').expect(204)
        await client.delete('/schemas/gone', '*').expect(204)
        await client.postMetadata('http://x/1', 'json', '{"title":"a"}', { id: 'document' }).expect(201)
      })
      after(removeRepositories)

      testRefusals(putRefusals(spoken), started)
    })

    describe('a DELETE, in the order of the checks,', () => {
      beforeEach(async () => {
        await start()
        await client.postSchema('json', jsonSchema('title')).expect(201)
      })
      afterEach(removeRepositories)

      it('is refused with 428 without If-Match, even if the schema does not exist', async () => {
        await client.delete('/schemas/json').expect(428)
        await client.delete('/schemas/unknown').expect(428)
      })

      it('is refused with 404 for an id that is unknown or of the other kind, with any ETag', async () => {
        await client.postMetadata('http://x/1', 'json', '{"title":"a"}', { id: 'document' }).expect(201)
        for (const id of ['unknown', 'document', 'a%2Fb']) {
          await client.delete(`/schemas/${id}`, '*').expect(404)
          await client.delete(`/schemas/${id}`, '"x"').expect(404)
        }
      })

      it('is refused with 409 while a document of any version is not GONE, before the ETag is compared', async () => {
        const { body } = await client.postMetadata('http://x/1', 'json', '{"title":"a"}').expect(201)
        await client.put('schemas', 'json', '*', undefined, jsonSchema('title', 'date')).expect(200)
        for (const tag of ['*', '"old"']) await client.delete('/schemas/json', tag).expect(409)
        await client.delete(`/metadata/${body.id}`, '*').expect(204)
        await client.delete('/schemas/json', '*').expect(409)
        await client.delete(`/metadata/${body.id}`, '*').expect(204)
        await client.delete('/schemas/json', '*').expect(204)
      })

      it('is refused with 412 for another ETag', async () => {
        for (const tag of ['"x"', 'W/"x"', 'x']) await client.delete('/schemas/json', tag).expect(412)
      })

      it('makes no version of a schema', async () => {
        await client.delete('/schemas/json', '*').expect(204)
        await client.record('/schemas/json?version=1').expect(200)
        await client.record('/schemas/json?version=2').expect(404)
      })
    })

    describe('two DELETEs with current ETags', () => {
      let deleted: Response
      let stale: Response
      let withoutTag: Response
      let postedWhileRevoked: Response
      let deletedTwice: Response
      let found: Response
      let deletedThrice: Response
      let postedOnceGone: Response
      before(async () => {
        await start()
        await client.postSchema('json', jsonSchema('title')).expect(201)
        const first = etagOf(await client.record('/schemas/json').expect(200))
        deleted = await client.delete('/schemas/json', first)
        const revoked = etagOf(await client.record('/schemas/json').expect(200))
        stale = await client.delete('/schemas/json', first)
        withoutTag = await client.delete('/schemas/json')
        postedWhileRevoked = await client.postSchema('json', jsonSchema())
        deletedTwice = await client.delete('/schemas/json', revoked)
        found = await client.record('/schemas/json')
        deletedThrice = await client.delete('/schemas/json', revoked)
        postedOnceGone = await client.postSchema('json', jsonSchema())
      })
      after(removeRepositories)

      it('succeed with 204 and no body', () => {
        expect([deleted.status, deleted.text]).to.deep.equal([204, ''])
        expect(deletedTwice.status).to.equal(204)
      })

      it('need the ETag of the REVOKED schema: the former one is refused with 412, none with 428', () => {
        expect(stale.status).to.equal(412)
        expect(withoutTag.status).to.equal(428)
      })

      it('make the schema GONE: a GET and a third DELETE are refused with 404', () => {
        expect(found.status).to.equal(404)
        expect(deletedThrice.status).to.equal(404)
      })

      it('do not free the id: a POST is refused with 409 while REVOKED, and with 410 once GONE', () => {
        expect(postedWhileRevoked.status).to.equal(409)
        expect(postedOnceGone.status).to.equal(410)
      })

      it('leave no file, but keep the history', async () => {
        const { git } = service.repository
        expect(await git('ls-tree', '-r', '--name-only', 'HEAD', 'schemas')).to.equal('')
        expect(await git('log', '--format=%H')).to.match(/^(?:[0-9a-f]{40}\n?){3,}$/)
      })
    })

    describe('a validation', () => {
      before(async () => {
        await start()
        await client.postSchema('json', jsonSchema('title')).expect(201)
        await client.put('schemas', 'json', '*', undefined, jsonSchema('title', 'date')).expect(200)
        await client.postSchema('strict', '{"properties":{"a":{}},"additionalProperties":false}').expect(201)
        await client.postSchema('xml', noteXsdText).expect(201)
        for (const id of ['revoked', 'gone']) {
          await client.postSchema(id, jsonSchema()).expect(201)
          await client.delete(`/schemas/${id}`, '*').expect(204)
        }
        await client.delete('/schemas/gone', '*').expect(204)
        await client.postMetadata('http://x/1', 'xml', noteXml, { id: 'document' }).expect(201)
      })
      after(removeRepositories)

      testRefusals(validateRefusals, started)

      it('accepts any content type and any file name, or none, with 204', async () => {
        const path = '/schemas/xml/validate'
        for (const part of [
          formFile('document', noteXml, 'image/png'),
          { ...formFile('document', noteXml), file: 'x' },
          { name: 'document', content: noteXml, file: 'document.xml' },
          { name: 'document', content: noteXml, type: 'text/xml' },
          { name: 'document', content: noteXml },
        ]) {
          expect((await client.send('post', path, [part]).expect(204)).text).to.equal('')
        }
      })

      it('uses the newest version, the version in the query, or the version in the form, and answers 204 or 422', async () => {
        const old = '{"title":"a"}'
        const part = formFile('document', old)
        const field = (version: string) => ({ name: 'version', content: version })
        await client.validate('/schemas/json/validate', old).expect(422)
        await client.validate('/schemas/json/validate?version=1', old).expect(204)
        await client.validate('/schemas/json/validate?version=2', old).expect(422)
        await client.send('post', '/schemas/json/validate', [part, field('1')]).expect(204)
        await client.send('post', '/schemas/json/validate', [field('2'), part]).expect(422)
        await client.send('post', '/schemas/json/validate?version=1', [part, field('2')]).expect(204)
      })

      it('does not enforce formats of 2019-09 and later', async () => {
        const document = '{"properties":{"when":{"format":"date-time"}}}'
        await client.postSchema('formats', document).expect(201)
        await client.validate('/schemas/formats/validate', '{"when":"yesterday"}').expect(204)
      })
    })

    describe('versions', () => {
      beforeEach(start)
      afterEach(removeRepositories)

      it('increase exactly when the bytes of the schema change; every change has a new ETag', async () => {
        const version = spoken.version === 1 ? 'schemaVersion' : 'version'
        const numbers: unknown[] = []
        const tags: string[] = []
        const changes: number[] = []
        const keep = (answer: Awaited<ReturnType<Client['record']>>) => {
          numbers.push(String(answer.body[version] ?? JSON.parse(answer.text)[version]))
          tags.push(etagOf(answer))
          changes.push(Date.parse(answer.body.lastUpdate))
        }
        const first = await client.postSchema('x', jsonSchema('a')).expect(201)
        keep(first)
        const acls = { [spoken.version === 1 ? 'acl' : 'acls']: [{ sid: 'guest', permission: 'READ' }] }
        keep(await client.put('schemas', 'x', '*', { ...first.body, ...acls }).expect(200))
        keep(await client.put('schemas', 'x', '*', undefined, jsonSchema('b')).expect(200))
        keep(await client.put('schemas', 'x', '*', undefined, jsonSchema('b')).expect(200))
        keep(await client.put('schemas', 'x', '*', undefined, ` ${jsonSchema('b')}`).expect(200))

        expect(numbers).to.deep.equal(['1', '1', '2', '2', '3'])
        expect(new Set(tags).size).to.equal(4)
        expect(tags[3]).to.equal(tags[2])
        expect(changes).to.deep.equal(changes.toSorted((a, b) => a - b))
        expect(new Set(changes).size).to.equal(4)
      })

      it('have the ETag that git log shows in a clone', async () => {
        const first = await client.postSchema('x', jsonSchema('a')).expect(201)
        await client.postSchema('y', jsonSchema('a')).expect(201)
        const folder = (await service.repository.git('ls-tree', '-r', '--name-only', 'HEAD', 'schemas'))
          .split('\n')
          .find(name => name.endsWith('/x/record.json'))
        const commit = await service.repository.git(
          ...['log', '-1', '--first-parent', '--format=%H', '--', folder?.replace('/record.json', '') ?? ''],
        )
        expect(etagOf(first)).to.equal(`"${commit}"`)
      })
    })
  })
}
