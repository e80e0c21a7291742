import { expect } from 'chai'
import type { Response } from 'supertest'
import { searchHasAll } from '../../../../support/http/search-examples.js'
import { base, jsonSchema, startService, type TestService } from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'

describe('a search that finds long records', () => {
  const count = 18
  let service: TestService
  before(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'base' }, jsonSchema()).expect(201)
    const description = 'lengthy '.repeat(123_000)
    for (let number = 0; number < count; number++) {
      const record = {
        id: `long-${number}`,
        titles: [{ value: `Record ${number}` }],
        descriptions: [{ description, type: 'ABSTRACT' }],
        relatedIdentifiers: [
          { value: `https://example.org/${number}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
          { value: 'base', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
        ],
      }
      await service.http
        .post('/api/v2/metadata')
        .attach('record', Buffer.from(JSON.stringify(record)), {
          filename: 'r',
          contentType: 'application/json',
        })
        .attach('document', Buffer.from('{}'), 'document')
        .expect(201)
    }
    await searchHasAll(service)
  })
  after(removeRepositories)

  for (const query of ['q=lengthy', 'q=', 'q=&sort=id']) {
    it(`ends a page early, and the next page continues after it: ${query}`, async () => {
      const ids: string[] = []
      const ranges: string[] = []
      let path: string | undefined = `/api/v2/search?${query}&size=2000&highlight=false`
      while (path !== undefined) {
        const answer: Response = await service.http.get(path).expect(200)
        const found = (answer.body.items as { record: { id: string } }[]).map(({ record }) => record.id)
        ranges.push(`${ids.length}-${ids.length + found.length - 1}/${count}`)
        expect(answer.headers['content-range']).to.equal(ranges.at(-1))
        ids.push(...found)
        path = new RegExp(`<${base}([^>]*)>; rel="next"`).exec(answer.headers.link ?? '')?.[1]
      }
      expect(ranges).to.have.length(2)
      expect(new Set(ids).size).to.equal(count)
    })
  }
})
