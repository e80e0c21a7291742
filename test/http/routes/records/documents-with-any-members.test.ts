import { expect } from 'chai'
import fc from 'fast-check'
import { applyJsonPatch } from '../../../support/data/apply-json-patch.js'
import { awkwardJson, canonicalJson } from '../../../support/data/awkward-json.js'
import { metadataRecordV1, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

describe('JSON documents whose members have any names', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(removeRepositories)

  const get = (path: string, accept: string) => service.http.get(path).set('Accept', accept).expect(200)

  it('are validated, stored, compared, and sent to index services', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(awkwardJson, awkwardJson, async (one, other) => {
        const [id, schemaId] = [`doc-${++count}`, `schema-${count}`]
        const [before, after] = [JSON.stringify(one), JSON.stringify(other)]
        const schema = (values: readonly unknown[]) =>
          JSON.stringify({ anyOf: [{ enum: values }, { uniqueItems: true }] })
        await service.postSchema({ schemaId }, schema([one, other])).expect(201)
        await service.putSchema(schemaId, '*', undefined, schema([other, one, {}])).expect(200)
        await service.postMetadata(metadataRecordV1(`http://x/${id}`, schemaId, { id }), before).expect(201)
        await service.putMetadata(id, '*', undefined, after).expect(200)
        const url = `/api/v1/metadata/${id}`
        const isSame = before === after

        expect((await get(`${url}?version=1`, '*/*')).text).to.equal(before)
        const patch = await get(`${url}/diff?from=1&to=${isSame ? 1 : 2}`, 'application/json-patch+json')
        expect(canonicalJson(applyJsonPatch(one, patch.body) as never)).to.equal(canonicalJson(other))
        await get(`${url}/blame`, 'application/json')
        const entry = await get(url, 'application/vnd.datamanager.acl+json')
        expect(canonicalJson(JSON.parse(entry.text).metadataDocument)).to.equal(canonicalJson(other))
        await get(`/api/v1/schemas/${schemaId}/diff?from=1&to=2`, 'application/json')
      }),
      { numRuns: 25 },
    )
  }).timeout(120_000)
})
