import { expect } from 'chai'
import fc from 'fast-check'
import type { Response } from 'supertest'
import { base, jsonSchema } from '../../../../support/http/test-service.js'
import { isLongForm } from '../../../../support/program/long-form.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'
import {
  callers,
  languages,
  type RightsExamples,
  recordCount,
  startRightsExamples,
} from '../../../../support/search/rights-examples.js'
import { describeEngines } from '../../../../support/search/search-engines.js'

describeEngines('the answers of a search', engine => {
  let examples: RightsExamples

  before(async () => {
    examples = await startRightsExamples(engine)
  })
  after(removeRepositories)

  const idsOf = (answer: Response) =>
    (answer.body.items as { record: { id: string } }[]).map(({ record }) => record.id)

  for (const [index, caller] of callers.entries()) {
    it(`contain exactly what ${caller} may read: totals, facets, pages`, async () => {
      const seen = await examples.listed(caller)
      const ids = seen.map(({ id }) => id)
      const everything = await examples.get(caller, '/api/v2/search?size=100&facets=language,schema')
      expect(idsOf(everything)).to.have.members(ids)
      expect(everything.body.total).to.equal(ids.length)
      const counts = languages
        .map(value => ({ value, count: seen.filter(({ language }) => language === value).length }))
        .filter(({ count }) => count > 0)
      expect(everything.body.facets.language).to.have.deep.members(counts)
      const ofSchema = ids.length > 0 ? [{ value: 'base', count: ids.length }] : []
      expect(everything.body.facets.schema).to.deep.equal(ofSchema)

      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(
            'alloy',
            'bronze OR copper',
            'title:copper',
            'all -bronze',
            'text:alloy',
            'pla*',
            '"all copper"',
          ),
          fc.constantFrom('', 'lastUpdate,desc', 'id,asc'),
          fc.integer({ min: 1, max: 5 }),
          async (q, sort, size) => {
            const query = new URLSearchParams({ q, size: '100', facets: 'language', ...(sort && { sort }) })
            const all = await examples.get('the administrator', `/api/v2/search?${query}`)
            const expected = idsOf(all).filter(id => ids.includes(id))
            query.set('size', String(size))
            const found: string[] = []
            let path: string | undefined = `/api/v2/search?${query}`
            while (path !== undefined) {
              const answer: Response = await examples.get(caller, path)
              expect(answer.body.total).to.equal(expected.length)
              const counted = (answer.body.facets.language as { count: number }[]).map(({ count }) => count)
              expect(counted.reduce((sum, count) => sum + count, 0)).to.equal(expected.length)
              found.push(...idsOf(answer))
              path = new RegExp(`<${base}([^>]*)>; rel="next"`).exec(answer.headers.link ?? '')?.[1]
            }
            expect(found).to.deep.equal(expected)
          },
        ),
        { numRuns: isLongForm ? 8 : 2 },
      )
    })

    it(`describe exactly the documents that ${caller} may read`, async () => {
      const ids = (await examples.listed(caller)).map(({ id }) => id)
      const answer = await examples.get(caller, '/api/v2/search?size=100&descriptions=true')
      const items = answer.body.items as { record: { id: string }; description: unknown }[]
      expect(items.map(({ record, description }) => [record.id, description])).to.have.deep.members(
        ids.map(id => [id, { people: ['root'], text: `About ${id.replace('record-', '')}.` }]),
      )
    })

    it(`reveal nothing that ${caller} may not read: suggestions, passages, every form`, async () => {
      const ids = new Set((await examples.listed(caller)).map(({ id }) => id))
      for (let number = 0; number < recordCount; number++) {
        const isReadable = ids.has(`record-${number}`)
        const paths = [
          `/api/v1/search?q=hidden${number}`,
          `/api/v2/search?q=own:hidden${number}&highlight=positions`,
          `/api/v1/search?q=id:record-${number}`,
          `/api/v1/metadata?q=hidden${number}`,
          `/api/v2/metadata?q=secret${number}`,
          `/search?q=hidden${number}`,
          `/api/v1/search/suggest?q=secret${number}`,
        ]
        // In the short form, each turn sends half of the paths. Each path meets each permission of carl and of the
        // team, and at least one public, one granted and one REVOKED record.
        const turn = Math.floor((number % 4) / 2) + Math.floor(number / 4) + index
        for (const path of isLongForm ? paths : paths.filter((_, form) => (turn + form) % 2 === 0)) {
          const { text } = await examples.get(caller, path)
          const told = path.includes('suggest') ? `plate${number} ` : `record-${number}"`
          expect(text.includes(told) || text.includes(`id=record-${number}`), `${path}: ${text}`).to.equal(
            isReadable,
          )
        }
      }
      const { body } = await examples.get(caller, '/api/v1/search/suggest?q=pla')
      const titles = new Set(
        (await examples.listed(caller)).flatMap(({ titles: each }) => each.map(({ value }) => value)),
      )
      for (const title of body[1]) expect(titles).to.include(title)
      expect(body[1]).to.have.length(Math.min(8, titles.size))
    })
  }

  it('follow a narrowed access list before the index does', async () => {
    const id = 'record-5'
    const found = async (caller: string) =>
      (await examples.get(caller, `/api/v1/search?q=id:${id}`)).body.total
    expect([await found('carl'), await found('a caller without a token')]).to.deep.equal([1, 1])
    const acl = [{ sid: 'root', permission: 'ADMINISTRATE' }]
    await examples.as('the administrator', examples.service.putMetadata(id, '*', { acl })).expect(200)
    expect([await found('carl'), await found('a caller without a token')]).to.deep.equal([0, 0])
    expect(await found('the administrator')).to.equal(1)
  })

  it('reveal nothing about a field that only a hidden schema declares', async () => {
    const acl = [{ sid: 'root', permission: 'ADMINISTRATE' }]
    const fields = [
      { path: 'secret.name', as: 'keyword', facet: true },
      { path: 'secret.size', as: 'number' },
    ]
    const search = { fields }
    const sent = examples.service.postSchema({ schemaId: 'hidden', acl, search }, jsonSchema())
    await examples.as('the administrator', sent).expect(201)
    await examples.searchHasAll()
    const answers = (caller: string, member: string) =>
      Promise.all(
        [`facets=document.${member}.name`, `q=document.${member}.size:1..2`].map(async query => {
          const { status, text } = await examples.as(
            caller,
            examples.service.http.get(`/api/v2/search?${query}`),
          )
          return [status, text.replaceAll(member, '…')]
        }),
      )

    const allowed = await answers('the administrator', 'secret')
    expect(allowed.map(([status]) => status)).to.deep.equal([200, 200])
    for (const caller of ['a stranger', 'a caller without a token'])
      expect(await answers(caller, 'secret')).to.deep.equal(await answers(caller, 'nobody'))
  })
})
