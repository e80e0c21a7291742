import { expect } from 'chai'
import { jsonSchema } from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'
import {
  callers,
  languages,
  type RightsExamples,
  recordCount,
  startRightsExamples,
} from '../../support/search/rights-examples.js'
import { describeEngines } from '../../support/search/search-engines.js'

const routes = [
  '/api/v1/search',
  '/api/v1/metastore-base/_search',
  '/api/v1/metadata/search',
  '/api/v1/metadata/metastore-b*/search',
  '/api/v2/metadata/search',
  '/api/v2/metadata/metastore-base/search',
]

interface Answer {
  readonly hits: {
    readonly total: { readonly value: number }
    readonly hits: readonly {
      readonly _id: string
      readonly highlight?: Readonly<Record<string, readonly string[]>>
    }[]
  }
  readonly aggregations: {
    readonly language: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] }
    readonly all: { readonly doc_count: number }
    readonly newest: { readonly value: number | null }
  }
  readonly suggest: { readonly s: readonly { readonly options: readonly { readonly text: string }[] }[] }
}

describeEngines('The answers of the search routes of existing frontends', engine => {
  let examples: RightsExamples

  before(async () => {
    examples = await startRightsExamples(engine)
  })
  after(removeRepositories)

  async function search(caller: string, path: string, body: object): Promise<Answer> {
    const { as, service } = examples
    return (await as(caller, service.http.post(path)).send(body).expect(200)).body as Answer
  }
  /** Searches until every hit has a passage: a busy machine may leave no time for those of some hits. */
  const searchWithPassages = (caller: string, path: string, body: object) =>
    waitUntil('a search with all passages', async () => {
      const answer = await search(caller, path, body)
      return answer.hits.hits.every(({ highlight }) => highlight !== undefined) && answer
    })
  const idsOf = ({ hits }: Answer) => hits.hits.map(({ _id }) => _id.replace(/^.*\//, ''))
  const suggest = (prefix: string) => ({
    s: { prefix, completion: { field: 'metadataRecord.titles.value', size: 100 } },
  })

  for (const [index, caller] of callers.entries()) {
    it(`contain exactly what ${caller} may read: hits, aggregations, passages, suggestions`, async () => {
      const seen = await examples.listed(caller)
      const ids = seen.map(({ id }) => id)
      for (const path of routes) {
        const answer = await searchWithPassages(caller, path, {
          size: 100,
          query: { match: { 'metadataDocument.text': 'all' } },
          highlight: { fields: { 'metadataDocument.text': {} } },
          aggs: {
            language: { terms: { field: 'metadataRecord.language' } },
            all: { filter: { match_all: {} } },
            newest: { max: { field: 'lastUpdate' } },
          },
          suggest: suggest('pla'),
        })
        expect(idsOf(answer), path).to.have.members(ids)
        expect(answer.hits.total.value, path).to.equal(ids.length)
        for (const { highlight } of answer.hits.hits)
          expect(highlight?.['metadataDocument.text']?.join(), path).to.match(/^<em>all<\/em> \w+$/)
        const counts = languages
          .map(key => ({ key, doc_count: seen.filter(({ language }) => language === key).length }))
          .filter(({ doc_count }) => doc_count > 0)
        expect(answer.aggregations.language.buckets, path).to.have.deep.members(counts)
        expect(answer.aggregations.all.doc_count, path).to.equal(ids.length)
        const times = seen.map(({ lastUpdate }) => Date.parse(lastUpdate))
        expect(answer.aggregations.newest.value, path).to.equal(times.length > 0 ? Math.max(...times) : null)
        const titles = seen.flatMap(record => record.titles.map(({ value }) => value))
        const options = answer.suggest.s[0]?.options ?? []
        expect(
          options.map(({ text }) => text),
          path,
        ).to.have.members(titles)
      }
    })

    it(`reveal nothing that ${caller} may not read`, async () => {
      const ids = new Set((await examples.listed(caller)).map(({ id }) => id))
      for (let number = 0; number < recordCount; number++) {
        const isReadable = ids.has(`record-${number}`)
        for (const [form, path] of routes.entries()) {
          if ((number + form + index) % routes.length !== 0 && !isLongForm) continue
          const place = `${path} ${number}`
          const answer = await search(caller, path, {
            query: { match: { 'metadataDocument.own': `hidden${number}` } },
            highlight: { fields: { 'metadataDocument.own': {} } },
            aggs: {
              language: { terms: { field: 'metadataRecord.language' } },
              all: { filter: { match_all: {} } },
              newest: { max: { field: 'lastUpdate' } },
            },
            suggest: suggest(`secret${number}`),
          })
          expect(idsOf(answer), place).to.deep.equal(isReadable ? [`record-${number}`] : [])
          expect(answer.aggregations.language.buckets, place).to.have.length(isReadable ? 1 : 0)
          expect(answer.aggregations.all.doc_count, place).to.equal(isReadable ? 1 : 0)
          expect(answer.aggregations.newest.value === null, place).to.equal(!isReadable)
          const { hits, suggest: suggested } = answer
          const texts = JSON.stringify([hits, suggested])
          expect(texts.includes(`plate${number} `), place).to.equal(isReadable)
          expect(texts.includes(`<em>hidden${number}</em>`), place).to.equal(isReadable)
        }
      }
    })
  }

  it('reveal nothing about a field that only a hidden schema declares', async () => {
    const { as, service } = examples
    const acl = [{ sid: 'root', permission: 'ADMINISTRATE' }]
    const fields = [
      { path: 'secret.name', as: 'keyword', facet: true },
      { path: 'secret.size', as: 'number' },
      { path: 'secret.day', as: 'date' },
    ]
    const sent = service.postSchema({ schemaId: 'hidden', acl, search: { fields } }, jsonSchema())
    await as('the administrator', sent).expect(201)
    await examples.searchHasAll()
    const answers = async (caller: string, member: string) => {
      const path = (name: string) => `metadataDocument.${member}.${name}`
      const told: (readonly [status: number, text: string])[] = []
      for (const body of [
        { sort: [{ [path('name')]: 'asc' }] },
        { sort: [{ [path('size')]: 'desc' }] },
        { aggs: { a: { terms: { field: path('name') } } } },
        { aggs: { a: { min: { field: path('size') } } } },
        { aggs: { a: { range: { field: path('size'), ranges: [{ from: 1 }] } } } },
        { aggs: { a: { date_histogram: { field: path('day'), calendar_interval: 'year' } } } },
        { aggs: { a: { filter: { range: { [path('size')]: { gte: 1 } } } } } },
        { query: { range: { [path('size')]: { gte: 1, lt: 2 } } } },
        { query: { range: { [path('day')]: { gte: '2020' } } } },
        { query: { term: { [path('name')]: 'SEM' } } },
        { query: { exists: { field: path('name') } } },
        { post_filter: { range: { [path('size')]: { gte: 1 } } } },
      ]) {
        const { status, text } = await as(caller, service.http.post('/api/v1/metastore-*/_search')).send(body)
        told.push([status, text.replaceAll(member, '…').replace(/"took":\d+/, '')])
      }
      return told
    }
    const allowed = await answers('the administrator', 'secret')
    expect(allowed.map(([status]) => status)).to.deep.equal(allowed.map(() => 200))
    const refused = await answers('the administrator', 'nobody')
    expect(refused.filter(([status]) => status === 400)).to.not.have.length(0)
    for (const caller of ['a stranger', 'a caller without a token', 'a holder of a temporary token'])
      expect(await answers(caller, 'secret'), caller).to.deep.equal(await answers(caller, 'nobody'))
  })
})
