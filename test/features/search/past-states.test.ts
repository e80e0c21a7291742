import { expect } from 'chai'
import fc from 'fast-check'
import type { ComposedServices } from '../../../src/compose/compose.js'
import { type Principal, selfPrincipal } from '../../../src/core/access-control.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import { asVersion, type Id, type Oid } from '../../../src/core/value-types.js'
import { searchOf } from '../../../src/features/search/feature.js'
import type {
  FacetRequest,
  SearchResult,
  SearchWindow,
  SortKey,
} from '../../../src/features/search/search-engine.js'
import { isReadable } from '../../../src/service/rules/record-rules.js'
import { searchRequest } from '../../support/data/search-requests.js'
import { importRecords, type RecordState } from '../../support/repository/import-record-states.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

const words = fc.constantFrom('steel', 'iron', 'Zinc', 'ópal')
const anna: Principal = { ...selfPrincipal, sid: 'anna', administrator: false }

/** A state of one of five records, so that most records change. */
const arbitraryState = fc.record({
  number: fc.nat({ max: 4 }),
  isAnnas: fc.boolean(),
  state: fc.constantFrom<StoredRecord['state']>('VOLATILE', 'FIXED'),
  schema: fc.constantFrom('a', 'b'),
  title: words,
  subject: fc.constantFrom('x', 'X', 'y'),
  year: fc.constantFrom('2024', '2025', undefined),
  text: fc.array(words, { maxLength: 3 }),
  size: fc.nat({ max: 3 }),
})

/** Conditions of a search box: in the text, in the document, and in whole values. */
const arbitraryPart = fc.oneof(
  words,
  words.map(word => `-${word}`),
  words.map(word => `title:${word}`),
  words.map(word => `text:${word.slice(0, 2)}*`),
  fc.constantFrom(
    '*.text:"steel iron"',
    'schema:a',
    'state:fixed',
    'subject:x',
    'year:2024',
    'year:*',
    'size:*',
  ),
  fc.constantFrom('size:1..2', 'year:..2024', 'updated:2026-01-01T00:03..', '(steel OR subject:y)'),
)
const arbitraryQuery = fc.array(arbitraryPart, { maxLength: 3 }).map(parts => parts.join(' '))

const facets: readonly FacetRequest[] = ['schema', 'state', 'subject', 'title', 'year', 'document.size'].map(
  field => ({ name: field, field, counts: { type: 'terms', size: 2, order: 'count' } }),
)
const orders: readonly (readonly SortKey[])[] = [
  [],
  [{ field: 'id', order: 'asc' }],
  [{ field: 'title', order: 'desc' }],
  [{ field: 'year', order: 'asc' }],
  [{ field: 'document.size', order: 'asc' }],
]

describe('a search of a point of history', () => {
  afterEach(removeRepositories)

  it('equals a search of a repository with this head', async () => {
    const history = fc.array(arbitraryState, { minLength: 6, maxLength: 14 })
    const queries = fc.array(arbitraryQuery, { minLength: 8, maxLength: 12 })

    await fc.assert(
      fc.asyncProperty(history, fc.nat(), queries, async (drawn, cut, texts) => {
        const states = [declaration, ...drawn.map(stateOf)]
        const end = 2 + (cut % (drawn.length - 1))
        const whole = await serve(states)
        const part = await serve(states.slice(0, end))
        const at = whole.commits[end] as Oid
        for (const [number, text] of ['', ...texts].entries()) {
          const sort = orders[number % orders.length] ?? []
          const then = await told(whole.services, selfPrincipal, text, sort, at)
          expect(then, text).to.deep.equal(await told(part.services, selfPrincipal, text, sort))

          const seen = await told(whole.services, anna, text, sort, at)
          const readable = then.ids.filter(id => isReadable(anna, newestOf(states, id)))
          expect(seen.ids, `${text} for anna`).to.deep.equal(readable)
          expect(seen.total).to.equal(readable.length)
        }
        await removeRepositories()
      }),
      { numRuns: 2 },
    )
  })
})

const declaration: RecordState = {
  kind: 'schema',
  record: {
    id: 'a' as Id,
    search: { fields: [{ path: 'size', as: 'number', facet: true }] },
    // A caller who may not read the schema has no ranges of its fields.
    acls: [{ sid: 'anna', permission: 'READ' }],
  },
  document: '{}',
  time: '2025-12-31T00:00:00Z',
}

function stateOf(
  drawn: typeof arbitraryState extends fc.Arbitrary<infer T> ? T : never,
  at: number,
): RecordState {
  const { number, isAnnas, state, schema, title, subject, year, text, size } = drawn
  const record: StoredRecord = {
    id: `m${number}` as Id,
    schema: { schemaId: schema as Id, version: asVersion(1) },
    titles: [{ value: title }],
    subjects: [{ value: subject }],
    ...(year !== undefined && { publicationYear: year }),
    ...(state !== undefined && state !== 'VOLATILE' && { state }),
    acls: [{ sid: isAnnas ? 'anna' : 'berta', permission: 'READ' }],
  }
  const time = new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString()
  return {
    kind: 'metadata',
    record,
    document: JSON.stringify({ text: text.join(' '), size, number: at }),
    time,
  }
}

function newestOf(states: readonly RecordState[], id: string): StoredRecord {
  const found = states.findLast(({ record }) => record.id === id)
  if (!found) throw new Error(`There is no record ${id}.`)
  return found.record
}

/** @returns the services, and the commits; the first commit has no record */
async function serve(states: readonly RecordState[]) {
  const repository = await temporaryRepository({ bare: true })
  await importRecords(repository, states)
  const listed = await repository.git('rev-list', '--first-parent', '--reverse', 'main')
  const commits = listed.split('\n').slice(-states.length - 1) as Oid[]
  return { services: await repository.compose(), commits }
}

/** The whole answer of a search, with the records on all of its pages. */
async function told(
  { parts }: ComposedServices,
  caller: Principal,
  text: string,
  sort: readonly SortKey[],
  commit?: Oid,
) {
  const at = commit && { at: { by: 'commit' as const, text: commit, commit } }
  async function ask(window: SearchWindow): Promise<SearchResult> {
    const search = searchOf(parts)
    if (!search) throw new Error('The service has no search.')
    const more = { sort, window, facets, highlight: true }
    return await search.search(caller, { ...searchRequest(text, more), ...at })
  }
  const first = await ask({ offset: 0, limit: 2 })
  const pages = [first]
  for (let last = first; last.next !== undefined; pages.push(last))
    last = await ask({ after: last.next, limit: 2 })
  const ids = pages.flatMap(({ hits }) => hits.map(({ revision }) => revision.id))
  const second = await ask({ offset: 2, limit: 2 })
  expect(second.hits.map(({ revision }) => revision.id)).to.deep.equal(ids.slice(2, 4))
  const hits = pages.flatMap(page => page.hits)
  return {
    ids,
    versions: hits.map(({ revision }) => revision.version),
    times: hits.map(({ revision }) => revision.time),
    highlights: hits.map(({ highlights }) => highlights),
    ...{ total: first.total, totalIs: first.totalIs },
    facets: Object.fromEntries(first.facets),
  }
}
