import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { openHeadChangeNotifier } from '../../../../src/catalog/follow/head-change-notifier.js'
import type { Revision } from '../../../../src/core/records/revision.js'
import { asVersion, type Id, type Oid } from '../../../../src/core/value-types.js'
import { openEmbeddedEngine } from '../../../../src/features/search/embedded-engine.js'
import type { FindLimits } from '../../../../src/features/search/find/find-jobs.js'
import { parseQueryText } from '../../../../src/features/search/query-text/parse-query-text.js'
import type {
  FacetRequest,
  SearchCaller,
  SearchEngine,
  SearchRequest,
  SearchResult,
} from '../../../../src/features/search/search-engine.js'
import { expectProblem } from '../../../support/data/expect-problem.js'
import { searchRequest } from '../../../support/data/search-requests.js'
import { buildHistory, type HistoryBuilder } from '../../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../../support/repository/temporary-catalog.js'

const words = ['steel', 'iron', 'copper']
const anna: SearchCaller = { visibility: { readableBy: ['anna'] }, client: undefined }
const everyone: SearchCaller = { visibility: {}, client: undefined }
/** Number of records, and of those that Anna reads. */
const [records, ofAnna] = [60, 45]
const never = new AbortController().signal

/** A document with words at two paths. */
interface Document {
  readonly name: string
  readonly note: string
}

/** Queries, each with the records that it finds. */
const queries: readonly (readonly [
  q: string,
  matches: (revision: Revision, document: Document) => boolean,
])[] = [
  ['', () => true],
  ['steel', (revision, document) => textOf(revision, document).includes('steel')],
  ['title:iron', ({ record }) => titleOf(record).includes('iron')],
  ['document.name:steel', (_, { name }) => name.includes('steel')],
  [
    'document.name:steel document.note:copper',
    (_, { name, note }) => name.includes('steel') && note === 'copper',
  ],
  [
    'document.name:steel OR document.note:iron',
    (_, { name, note }) => name.includes('steel') || note === 'iron',
  ],
  [
    'iron -document.name:iron',
    (revision, document) => textOf(revision, document).includes('iron') && !document.name.includes('iron'),
  ],
  ['document.name:* -copper', (revision, document) => !textOf(revision, document).includes('copper')],
  [
    'document.note:"copper" schema:s1',
    ({ record }, { note }) => note === 'copper' && record.schema?.schemaId === 's1',
  ],
  [
    'creator:brandt year:2020..2021',
    ({ record }) => isBrandt(record) && /202[01]/.test(record.publicationYear ?? ''),
  ],
  [
    'steel OR year:2020',
    (revision, document) =>
      textOf(revision, document).includes('steel') || revision.record.publicationYear === '2020',
  ],
  ['absent', () => false],
]

type StoredRecord = Revision['record']
const titleOf = ({ titles }: StoredRecord) => (titles ?? []).map(({ value }) => value.toLowerCase()).join(' ')
const textOf = ({ record }: Revision, { name, note }: Document) => `${titleOf(record)} ${name} ${note}`
const isBrandt = ({ creators }: StoredRecord) =>
  creators?.some(({ familyName }) => familyName?.toLowerCase() === 'brandt') ?? false

const terms = { type: 'terms', size: 100, order: 'value' } as const
const facets: readonly FacetRequest[] = ['schema', 'year', 'creator'].map(field => ({
  name: field,
  field,
  counts: terms,
}))
const sorts: readonly SearchRequest['sort'][] = [
  [],
  [{ field: 'score', order: 'desc' }],
  [
    { field: 'score', order: 'asc' },
    { field: 'id', order: 'asc' },
  ],
  [{ field: 'lastUpdate', order: 'asc' }],
  [{ field: 'id', order: 'desc' }],
  [
    { field: 'creator', order: 'asc' },
    { field: 'year', order: 'desc' },
  ],
]

describe('the answers of searches', () => {
  let history: HistoryBuilder
  let catalog: TestCatalog
  let head: Oid
  const documents = new Map<string, Document>()

  before(async () => {
    history = buildHistory()
    for (let at = 0; at < records; at++) {
      const id = `m${at}` as Id
      const word = (step: number) => words[(at * 7 + step) % words.length] ?? ''
      const document = { name: `${word(2)} ${'filler '.repeat(at % 7)}`, note: word(Math.trunc(at / 3)) }
      documents.set(id, document)
      history.server('metadata', id, {
        record: {
          ...{ id, schema: { schemaId: `s${at % 3}` as Id, version: asVersion(1) } },
          titles: [{ value: `${at % 2 === 0 ? 'Steel' : 'Copper'} ${word(1)} ${at % 5}` }],
          publicationYear: `${2019 + (at % 4)}`,
          creators: [{ familyName: at % 4 === 0 ? 'Brandt' : 'Fischer' }, { familyName: `Kim ${at % 3}` }],
          acls: [{ sid: at % 4 === 1 ? 'berta' : 'anna', permission: 'READ' as const }],
        },
        documentType: 'JSON' as const,
        document: JSON.stringify(document),
      })
    }
    const commits = await history.finish()
    head = commits.at(-1) as Oid
    catalog = openTestCatalog(history.gitDir, { name: 'answers' })
    await catalog.writer.catchUp(head)
  })
  after(async () => {
    await catalog.end()
    await history.remove()
  })

  async function withEngine(limits: Partial<FindLimits>, use: (engine: SearchEngine) => Promise<void>) {
    mkdirSync(dirname(catalog.file), { recursive: true })
    const headChanges = openHeadChangeNotifier()
    const engine = openEmbeddedEngine({
      ...{ catalog: { ...catalog, headChanges }, objects: catalog.objects, gitDir: history.gitDir },
      ...{ folder: dirname(catalog.file), textLimit: 1000, report: () => undefined, limits },
    })
    try {
      expect(await engine.waitFor(head, 60_000, never)).to.equal(true)
      await use(engine)
    } finally {
      headChanges.close()
      await engine.close()
    }
  }

  /** All pages of a search. */
  async function pagesOf(engine: SearchEngine, caller: SearchCaller, request: SearchRequest) {
    const pages: SearchResult[] = []
    for (let window: SearchRequest['window'] = { offset: 0, limit: 7 }; ; ) {
      const page = await engine.search(caller, { ...request, window })
      pages.push(page)
      if (page.next === undefined) return pages
      window = { after: page.next, limit: 7 }
    }
  }

  /** Checks the pages of a search, and returns the hits. */
  async function hitsOf(engine: SearchEngine, caller: SearchCaller, request: SearchRequest) {
    const pages = await pagesOf(engine, caller, request)
    const hits = pages.flatMap(page => page.hits.map(({ revision }) => revision))
    const ids = hits.map(({ id }) => id)
    expect(new Set(ids).size, 'each hit once').to.equal(ids.length)
    for (const { total } of pages) expect(total).to.equal(ids.length)
    return { hits, counted: pages.map(page => Object.fromEntries(page.facets)) }
  }

  function countsOf(
    hits: readonly Revision[],
    valuesOf: (record: StoredRecord) => readonly (string | undefined)[],
  ) {
    const counts = new Map<string, number>()
    for (const { record } of hits)
      for (const value of valuesOf(record))
        if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
    return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([value, count]) => ({ value, count }))
  }

  for (const limits of [{}, { slice: 9 }]) {
    it(`have the matching records in each order, and count them, with ${JSON.stringify(limits)}`, async () => {
      await withEngine(limits, async engine => {
        for (const caller of [anna, everyone])
          for (const [q, matches] of queries) {
            const { condition } = parseQueryText(q)
            const all = (await hitsOf(engine, caller, searchRequest('', {}))).hits
            expect(all).to.have.length(caller === anna ? ofAnna : records)
            const expected = all.filter(hit => matches(hit, documents.get(hit.id) as Document))
            for (const sort of sorts) {
              const { hits, counted } = await hitsOf(
                engine,
                caller,
                searchRequest(q, { condition, sort, facets }),
              )
              const what = `${q} by ${JSON.stringify(sort)}`
              expect(
                hits.map(({ id }) => id),
                what,
              ).to.have.members(expected.map(({ id }) => id))
              for (const { schema, year, creator } of counted) {
                expect(schema?.buckets, what).to.deep.equal(
                  countsOf(expected, record => [record.schema?.schemaId]),
                )
                expect(year?.buckets, what).to.deep.equal(
                  countsOf(expected, record => [record.publicationYear]),
                )
                expect(creator?.buckets, what).to.deep.equal(
                  countsOf(expected, ({ creators = [] }) => creators.map(({ familyName }) => familyName)),
                )
              }
            }
          }
      })
    })
  }

  it('narrow the hits after the facets are counted, and each facet by its own filter', async () => {
    const text = (q: string) => parseQueryText(q).condition
    await withEngine({}, async engine => {
      const request = searchRequest('steel', {
        filter: text('schema:s1'),
        facets: [
          ...facets,
          { name: 'filtered', field: 'schema', filter: text('year:2020'), counts: terms },
          { name: 'both', field: 'schema', filter: text('year:2020 document.note:iron'), counts: terms },
        ],
      })
      const all = (await hitsOf(engine, anna, searchRequest('steel', {}))).hits
      const { hits, counted } = await hitsOf(engine, anna, request)

      const schemas = (of: readonly Revision[]) => countsOf(of, record => [record.schema?.schemaId])
      const of2020 = all.filter(({ record }) => record.publicationYear === '2020')
      const both = of2020.filter(({ id }) => documents.get(id)?.note === 'iron')
      expect(hits).to.deep.equal(all.filter(({ record }) => record.schema?.schemaId === 's1'))
      expect(counted[0]?.schema?.buckets).to.deep.equal(schemas(all))
      expect(counted[0]?.filtered?.buckets).to.deep.equal(schemas(of2020))
      expect(counted[0]?.both?.buckets).to.deep.equal(schemas(both))
    })
  })

  it('have an order by at most three fields that may have several values', async () => {
    const by = (...names: readonly string[]) => names.map(field => ({ field, order: 'asc' }) as const)
    await withEngine({}, async engine => {
      const few = by('subject', 'creator', 'publisher', 'year', 'state', 'id', 'updated')
      expect(await engine.search(anna, searchRequest('', { sort: few }))).to.include({ total: ofAnna })
      const search = () => engine.search(anna, searchRequest('', { sort: [...few, ...by('pid')] }))
      await expectProblem(search, 'malformed-request', 'At most 3')
    })
  })
})
