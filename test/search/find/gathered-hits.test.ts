import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { openHeadChangeNotifier } from '../../../src/catalog/follow/head-change-notifier.js'
import { asVersion, type Id, type Oid } from '../../../src/core/value-types.js'
import { openEmbeddedEngine } from '../../../src/search/embedded-engine.js'
import type { FindLimits } from '../../../src/search/find/find-limits.js'
import { parseQueryText } from '../../../src/search/query-text/parse-query-text.js'
import type {
  FacetRequest,
  SearchCaller,
  SearchEngine,
  SearchRequest,
} from '../../../src/search/search-engine.js'
import { searchRequest } from '../../support/data/search-requests.js'
import { isLongForm } from '../../support/program/long-form.js'
import { buildHistory, type HistoryBuilder } from '../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../support/repository/temporary-catalog.js'

/** Limit of the indexed text, in characters. */
const textLimit = 1050
const words = ['steel', 'iron', 'copper']
const callers: Readonly<Record<string, SearchCaller>> = {
  anna: { visibility: { readableBy: ['anna'] }, client: undefined },
  everyone: { visibility: {}, client: undefined },
}
const queries = [
  '',
  'steel',
  'title:steel',
  'document.name:steel',
  'document.name:iron',
  'document.name:steel document.name:iron',
  'document.name:steel OR document.note:iron',
  'document.name:steel -document.note:iron',
  'steel document.name:iron',
  'steel -document.name:iron',
  'document.name:* -copper',
  'document.name:steel OR creator:brandt',
  'schema:s1 document.name:steel',
  'steel year:2020..2021',
  'subject:x steel',
  'absent',
  'one of title and document: steel iron',
  'one of title and document: filler steel',
]
const terms = { type: 'terms', size: 2, order: 'count' } as const
const facets: readonly FacetRequest[] = [
  ...['schema', 'year', 'state', 'creator', 'title'].map(field => ({ name: field, field, counts: terms })),
  {
    name: 'steel by schema',
    field: 'schema',
    filter: { type: 'text', text: 'steel', match: 'words' },
    counts: terms,
  },
]
const sorts: readonly SearchRequest['sort'][] = [
  [],
  [{ field: 'score', order: 'desc' }],
  [{ field: 'lastUpdate', order: 'asc' }],
  [{ field: 'lastUpdate', order: 'desc' }],
  [{ field: 'creator', order: 'asc' }],
]
const restrictions = Object.entries(callers).flatMap(([name, caller]) =>
  [undefined, parseQueryText('title:iron').condition].map(filter => ({ name, caller, filter })),
)

describe('gathered hits', () => {
  let history: HistoryBuilder
  let catalog: TestCatalog
  let last: Oid | undefined
  let newest: Oid | undefined
  /** Commit of a schema that declares a field of indexed documents. */
  let declared: Oid | undefined

  before(async () => {
    history = buildHistory()
    function put(at: number, sid: string, id = `m${at}`): void {
      const word = (step: number) => words[(at * 7 + step) % words.length]
      history.server('metadata', id as Id, {
        record: {
          id: id as Id,
          schema: { schemaId: `s${at % 3}` as Id, version: asVersion(1) },
          titles: [{ value: `${at % 2 === 0 ? 'Steel' : 'steel'} ${word(1)} ${at % 5}` }],
          publicationYear: `${2019 + (at % 4)}`,
          creators: [{ familyName: at % 4 === 0 ? 'Brandt' : 'BRANDT' }, { familyName: `Kim ${at % 3}` }],
          subjects: [{ value: at % 2 === 0 ? 'x' : 'y' }],
          acls: [{ sid, permission: 'READ' as const }],
          ...(at % 5 > 0 && { language: at % 5 === 1 ? 'EN' : 'en' }),
        },
        documentType: 'JSON' as const,
        document: JSON.stringify({
          name: `${word(2)} ${'filler '.repeat(at % 7)}`,
          note: word(3),
          // The index has these members when a schema declares them.
          ...(at % 6 === 5 &&
            at > 10 && { long: 'filler '.repeat(textLimit / 7), late: `steel ${'iron '.repeat(at)}` }),
        }),
      })
    }
    for (let index = 0; index < 60; index++) put(index, index % 4 === 1 ? 'berta' : 'anna')
    // The catalog has these revisions. The index does not have them yet.
    put(61, 'anna', 'm4')
    put(5, 'berta')
    put(6, 'anna')
    history.server('metadata', 'm7' as Id)
    put(60, 'anna')
    history.server('schema', 's2' as Id, {
      record: {
        ...{ id: 's2' as Id, titles: [], schemaVersion: asVersion(1) },
        acls: [{ sid: 'anna', permission: 'READ' }],
        search: { fields: [{ path: 'late', as: 'keyword' }] },
      },
      documentType: 'JSON',
      document: '{}',
    })
    const commits = await history.finish()
    last = commits[59]
    newest = commits.at(-2)
    declared = commits.at(-1)
    catalog = openTestCatalog(history.gitDir, { name: 'gathered' })
    await catalog.writer.catchUp(last as Oid)
  })
  after(async () => {
    await catalog.end()
    await history.remove()
  })

  async function withEngine<T>(
    limits: Partial<FindLimits>,
    use: (engine: SearchEngine) => Promise<T>,
  ): Promise<T> {
    mkdirSync(dirname(catalog.file), { recursive: true })
    const headChanges = openHeadChangeNotifier()
    const engine = openEmbeddedEngine({
      catalog: { ...catalog, headChanges },
      objects: catalog.objects,
      folder: dirname(catalog.file),
      gitDir: history.gitDir,
      textLimit,
      report: () => undefined,
      limits,
    })
    try {
      expect(await engine.waitFor(last as Oid, 60_000, new AbortController().signal)).to.equal(true)
      return await use(engine)
    } finally {
      headChanges.close()
      await engine.close()
    }
  }

  /** All answers, for each of the lists of facets, with all pages. */
  async function answers(
    engine: SearchEngine,
    lists: readonly (readonly FacetRequest[])[] = [facets],
  ): Promise<ReadonlyMap<string, unknown>> {
    const found = new Map<string, unknown>()
    for (const [queryAt, query] of queries.entries())
      for (const [sortAt, sort] of sorts.entries())
        for (const { name, caller, filter } of inTurn(restrictions, queryAt + sortAt))
          for (const facets of inTurn(lists, queryAt + 2 * sortAt)) {
            const request = { sort, facets, ...(filter && { filter }) }
            const key = `${name}: ${query} ${JSON.stringify(sort)} ${filter ? 'filtered' : ''} ${facets.length}`
            found.set(key, await pages(engine, caller, query, request))
          }
    return found
  }

  /** In the short form, one of the items in turn. Each query and each order meets each item. */
  function inTurn<T>(all: readonly T[], at: number): readonly T[] {
    return isLongForm ? all : all.filter((_, index) => index === at % all.length)
  }

  /** Page size. Pages end within a slice, at its end, and after several slices. */
  function pageSizeOf(caller: SearchCaller): number {
    return isLongForm || caller === callers.anna ? 7 : 18
  }

  /** The condition of a query, or of a text with all its words in one of two fields. */
  function conditionOf(query: string): SearchRequest['condition'] {
    const [, text] = /^one of title and document: (.*)/.exec(query) ?? []
    if (text === undefined) return parseQueryText(query).condition
    const fields = ['title', 'document'].map(field => ({ field, weight: 1 }))
    return { type: 'text', text, match: 'words', fields }
  }

  async function pages(
    engine: SearchEngine,
    caller: SearchCaller,
    query: string,
    request: Partial<SearchRequest>,
  ): Promise<readonly unknown[]> {
    const seen: unknown[] = []
    const limit = pageSizeOf(caller)
    let window: SearchRequest['window'] = { offset: 0, limit }
    for (;;) {
      const {
        hits,
        next,
        facets: counted,
        ...rest
      } = await engine.search(
        caller,
        searchRequest(query, { condition: conditionOf(query), ...request, window }),
      )
      const shown = hits.map(({ revision, score }) => [revision.id, score])
      seen.push({ ...rest, shown, facets: Object.fromEntries(counted) })
      if (next === undefined) return seen
      window = { after: next, limit }
    }
  }

  it('give the same answers as hits that are read for each part of the answer', async () => {
    const gathered = await withEngine({}, answers)
    const inSlices = await withEngine({ gathered: 20, slice: 9 }, answers)
    const never = await withEngine({ gathered: 0, slice: 9 }, answers)

    expect([...gathered.values()].filter(pages => (pages as readonly unknown[]).length > 1)).to.not.be.empty
    for (const [key, answer] of gathered) {
      expect(inSlices.get(key), key).to.deep.equal(answer)
      expect(never.get(key), key).to.deep.equal(answer)
    }
  })

  it('are ranked among the newest if they are very many', async () => {
    const few = { ranked: 12, kept: 5 }
    const gathered = await withEngine(few, answers)
    const never = await withEngine({ ...few, gathered: 0 }, answers)

    for (const [key, answer] of gathered) expect(never.get(key), key).to.deep.equal(answer)
  })

  const fields = ['schema', 'year', 'state', 'type', 'language', 'creator', 'licence', 'title']
  const counted = fields.map(field => ({ name: field, field, counts: terms }))
  const inColumns = counted.filter(({ name }) => name !== 'title')

  it('are counted in columns if they are too many to gather', async () => {
    const few = { gathered: 9, slice: 9, ranked: 12, kept: 5 }
    const plain = { ...few, columnsFrom: Number.MAX_SAFE_INTEGER }
    const kept = { ...few, columnsFrom: 0, columnsTime: 60_000 }
    const both = (engine: SearchEngine) => answers(engine, [inColumns, []])
    const expected = await withEngine(plain, both)
    const actual = await withEngine(kept, both)
    for (const [key, answer] of expected) expect(actual.get(key), key).to.deep.equal(answer)
  })

  it('are the same with cached columns, while the catalog is ahead of the index, and when a schema declares fields', async () => {
    await withEngine({ columnsFrom: Number.MAX_SAFE_INTEGER }, plain =>
      withEngine({ columnsFrom: 0, columnsTime: 60_000 }, async kept => {
        const compare = async () => {
          const lists = [counted, inColumns, []]
          const expected = await answers(plain, lists)
          const actual = await answers(kept, lists)
          for (const [key, answer] of expected) expect(actual.get(key), key).to.deep.equal(answer)
        }
        await compare()
        await catalog.writer.catchUp(newest as Oid)
        await compare()
        await catalog.writer.catchUp(declared as Oid)
        for (const engine of [plain, kept])
          expect(await engine.waitFor(declared as Oid, 60_000, new AbortController().signal)).to.equal(true)
        await compare()
      }),
    )
  })
})
