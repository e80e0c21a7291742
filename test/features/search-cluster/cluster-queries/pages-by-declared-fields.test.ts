import { expect } from 'chai'
import { searchOf } from '../../../../src/features/search/feature.js'
import type {
  SearchRequest,
  SearchResult,
  SearchWindow,
  SortKey,
} from '../../../../src/features/search/search-engine.js'
import { searchHasAll } from '../../../support/http/search-examples.js'
import { jsonSchema, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'
import { storeDocument } from '../../../support/search/cluster-service.js'
import { describeEngines } from '../../../support/search/search-engines.js'

const declared = [
  { path: 'date', as: 'date' },
  { path: 'number', as: 'number' },
  { path: 'word', as: 'keyword' },
]
const documents = {
  a: { date: '1969-07-20', number: -1.5, word: 'beta' },
  b: {},
  c: { date: '2024', number: 7, word: 'Alpha' },
  d: { date: 'none', number: 'none', word: '' },
  e: { date: '2020-02-03T04:05:06.789Z', number: 1e300, word: 'gamma' },
}

describeEngines('Pages in the order of declared fields', ({ options }) => {
  let service: TestService
  const everything = { sid: 'x', name: 'x', email: 'x@x', administrator: true, groups: [] }

  before(async () => {
    service = await startService(options)
    await service.postSchema({ schemaId: 'some', search: { fields: declared } }, jsonSchema()).expect(201)
    for (const [id, document] of Object.entries(documents))
      await storeDocument(service, id, { schemaId: 'some', document })
    await searchHasAll(service)
  })
  after(removeRepositories)

  async function idsInOrder(sort: readonly SortKey[]): Promise<string> {
    const search = searchOf(service.services.parts)
    const ids: string[] = []
    let window: SearchWindow = { offset: 0, limit: 1 }
    for (;;) {
      const condition = { type: 'all' } as const
      const request: SearchRequest = {
        condition,
        kinds: ['metadata'],
        sort,
        facets: [],
        highlight: false,
        window,
      }
      const page: SearchResult | undefined = await search?.search(everything, request)
      ids.push(...(page?.hits ?? []).map(({ revision }) => revision.id))
      if (page?.next === undefined) return ids.join('')
      window = { after: page.next, limit: 1 }
    }
  }

  for (const [field, asc, desc] of [
    ['date', 'aecdb', 'ceadb'],
    ['number', 'acedb', 'ecadb'],
    ['word', 'caedb', 'eacdb'],
  ] as const) {
    it(`have each record once, and records without a ${field} last`, async () => {
      expect(await idsInOrder([{ field: `document.${field}`, order: 'asc' }])).to.equal(asc)
      expect(await idsInOrder([{ field: `document.${field}`, order: 'desc' }])).to.equal(desc)
    })
  }
})
