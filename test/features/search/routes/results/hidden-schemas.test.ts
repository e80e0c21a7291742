import { expect } from 'chai'
import { jsonSchema } from '../../../../support/http/test-service.js'
import { isLongForm } from '../../../../support/program/long-form.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'
import {
  aclsOf,
  callers,
  type RightsExamples,
  recordCount,
  startRightsExamples,
  words,
} from '../../../../support/search/rights-examples.js'
import { describeEngines } from '../../../../support/search/search-engines.js'

describeEngines('a search for schemas', engine => {
  let examples: RightsExamples

  before(async () => {
    examples = await startRightsExamples(engine)
    for (let number = 0; number < recordCount; number++) await store(number)
    // Revokes two schemas.
    const { as, service } = examples
    for (const id of ['schema-2', 'schema-6'])
      await as('the administrator', service.http.delete(`/api/v1/schemas/${id}`).set('If-Match', '*')).expect(
        204,
      )
    await examples.searchHasAll()
  })
  after(removeRepositories)

  async function store(number: number): Promise<void> {
    const { as, service } = examples
    const titles = [{ value: `${words[number % 3]} chart${number} plan` }]
    const record = { id: `schema-${number}`, titles, acls: aclsOf(number) }
    const sent = service.http
      .post('/api/v2/schemas')
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'r',
        contentType: 'application/json',
      })
      .attach('schema', Buffer.from(jsonSchema(`concealed${number}`)), 'schema')
    await as('the administrator', sent).expect(201)
  }

  for (const [index, caller] of callers.entries()) {
    it(`shows exactly what ${caller} may read: totals, facets, lists`, async () => {
      const { get, listed } = examples
      const schemas = (await listed(caller, 'schemas')).map(({ id }) => id)
      const documents = (await listed(caller)).map(({ id }) => id)
      for (const [kind, ids] of [
        ['schema', schemas],
        ['both', [...schemas, ...documents]],
      ] as const) {
        for (const api of ['/api/v1', '/api/v2']) {
          const { body, headers } = await get(caller, `${api}/search?kind=${kind}&size=100&facets=kind`)
          expect(body.total, api).to.equal(ids.length)
          expect(headers['content-range'], api).to.match(new RegExp(`/${ids.length}$`))
          const found = (body.items as { record: { id?: string; schemaId?: string } }[]).map(
            ({ record }) => record.id ?? record.schemaId,
          )
          expect(found, api).to.have.members(ids)
          const counts = [
            { value: 'schema', count: schemas.length },
            { value: 'metadata', count: kind === 'both' ? documents.length : 0 },
          ].filter(({ count }) => count > 0)
          expect(body.facets.kind, api).to.have.deep.members(counts)
        }
      }
      const ofNumber = schemas.filter(id => id.startsWith('schema-'))
      for (const api of ['/api/v1', '/api/v2']) {
        const { body, headers } = await get(caller, `${api}/schemas?q=char*&size=100`)
        expect(body, api).to.have.length(ofNumber.length)
        if (ofNumber.length > 0)
          expect(headers['content-range'], api).to.match(new RegExp(`/${ofNumber.length}$`))
      }
      const { body } = await get(caller, '/api/v1/search/suggest?q=char&kind=schema')
      expect(body[1]).to.have.length(Math.min(8, ofNumber.length))
    })

    it(`reveals nothing about a schema that ${caller} may not read, in every form`, async () => {
      const { get, listed } = examples
      const ids = new Set((await listed(caller, 'schemas')).map(({ id }) => id))
      for (let number = 0; number < recordCount; number++) {
        const paths = [
          `/api/v1/search?kind=schema&q=concealed${number}`,
          `/api/v2/search?kind=both&q=concealed${number}&highlight=positions`,
          `/api/v2/search?kind=schema&q=id:schema-${number}`,
          `/api/v1/search?q=kind:schema+chart${number}`,
          `/api/v1/schemas?q=concealed${number}`,
          `/api/v2/schemas?q=chart${number}`,
          `/search?q=chart${number}`,
          `/search?kind=schema&q=concealed${number}`,
          `/api/v1/search/suggest?kind=schema&q=chart${number}`,
          `/api/v2/search/suggest?kind=both&q=chart${number}`,
        ]
        // In the short form, each turn sends every third path.
        const sent = isLongForm ? paths : paths.filter((_, form) => (number + form + index) % 3 === 0)
        for (const path of sent) {
          const { text } = await get(caller, path)
          const told = path.includes('suggest') ? `chart${number} ` : `schema-${number}\\b`
          expect(new RegExp(told).test(text), `${path}: ${text}`).to.equal(ids.has(`schema-${number}`))
        }
      }
    })
  }
})
