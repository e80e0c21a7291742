// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import Database from 'libsql'
import {
  type AccessPath,
  currentList,
  orderOf,
  pageSql,
  type SqlQuery,
  totalSql,
} from '../../../src/catalog/lists/list-sql.js'
import type { Collection, DocumentType } from '../../../src/core/records/collection.js'
import type { ListQuery, Sort } from '../../../src/core/records/list-query.js'
import type { AclEntry } from '../../../src/core/records/record.js'
import type { Revision } from '../../../src/core/records/revision.js'
import { asVersion, type Id, type Instant } from '../../../src/core/value-types.js'
import { buildHistory, type HistoryBuilder } from '../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../support/repository/temporary-catalog.js'

const everything = { offset: 0, limit: 1000 }

/**
 * Metadata `m0`, `m1`…: every third one follows `s1`, the others follow `s0`. Their resources are `r0`…`r4` in turn.
 */
describe('listings of the catalog', () => {
  let history: HistoryBuilder
  let catalog: TestCatalog

  before(async () => {
    history = buildHistory()
    const types: readonly DocumentType[] = ['JSON', 'XML', 'JSON']
    types.forEach((documentType, index) => {
      history.server('schema', `s${index}` as Id, {
        record: { id: `s${index}` as Id },
        documentType,
        document: `schema ${index}`,
      })
    })
    for (let index = 0; index < 40; index++) {
      const acls: readonly AclEntry[] =
        index % 8 === 0
          ? [{ sid: 'eve', permission: index === 8 ? 'NONE' : 'READ' }]
          : [{ sid: 'everybody', permission: 'READ' }]
      history.server('metadata', `m${index}` as Id, {
        record: {
          id: `m${index}` as Id,
          schema: { schemaId: (index % 3 === 0 ? 's1' : 's0') as Id, version: asVersion(1) },
          relatedIdentifiers: [
            { value: `r${index % 5}`, relationType: 'IS_METADATA_FOR' },
            { value: 'r, with comma', relationType: index === 7 ? 'IS_METADATA_FOR' : 'CITES' },
          ],
          acls,
          ...(index === 16 && { state: 'REVOKED' as const }),
        },
        documentType: 'JSON',
        document: `document ${index}`,
      })
    }
    const oids = await history.finish()
    catalog = openTestCatalog(history.gitDir)
    await catalog.writer.catchUp(oids.at(-1) as (typeof oids)[number])
  })

  after(async () => {
    await catalog.end()
    history.remove()
  })

  const list = (kind: Collection, query: ListQuery = {}, window = everything) =>
    catalog.committed.list(kind, query, window)
  const ids = (revisions: readonly Revision[]) => revisions.map(({ id }) => id as string)
  const numbered = (wanted: (at: number) => boolean) =>
    Array.from({ length: 40 }, (_, index) => 39 - index)
      .filter(wanted)
      .map(at => `m${at}`)

  it('show schemas by id and metadata newest first', () => {
    expect(ids(list('schema').items)).to.deep.equal(['s0', 's1', 's2'])
    expect(ids(list('metadata').items)).to.deep.equal(numbered(() => true))
    expect(list('metadata').total).to.equal(40)
  })

  it('filter schemas by the type of their document', () => {
    expect(ids(list('schema', { documentTypes: ['XML'] }).items)).to.deep.equal(['s1'])
    expect(list('schema', { documentTypes: ['JSON', 'XML'] }).total).to.equal(3)
  })

  it('filter metadata by resource and by schema; values of one filter are OR-ed, filters are AND-ed', () => {
    expect(ids(list('metadata', { resources: ['r2'] }).items)).to.deep.equal(numbered(at => at % 5 === 2))
    expect(ids(list('metadata', { resources: ['r2', 'r3', 'r, with comma'] }).items)).to.deep.equal(
      numbered(at => at % 5 === 2 || at % 5 === 3 || at === 7),
    )
    expect(ids(list('metadata', { schemaIds: ['s1'] }).items)).to.deep.equal(numbered(at => at % 3 === 0))
    expect(ids(list('metadata', { schemaIds: ['s1', 's0', 'none'] }).items)).to.deep.equal(
      numbered(() => true),
    )
    expect(ids(list('metadata', { schemaIds: ['s1'], resources: ['r2', 'r3'] }).items)).to.deep.equal(
      numbered(at => at % 3 === 0 && (at % 5 === 2 || at % 5 === 3)),
    )
    expect(list('metadata', { resources: [] }).total).to.equal(0)
    expect(list('metadata', { schemaIds: ['none'] })).to.deep.include({ items: [], total: 0 })
  })

  it('filter by time: exclusive with one limit, inclusive with both', () => {
    const time = (at: number) => catalog.committed.newest('metadata', `m${at}` as Id)?.time as Instant
    expect(ids(list('metadata', { from: time(10) }).items)).to.deep.equal(numbered(at => at > 10))
    expect(ids(list('metadata', { until: time(10) }).items)).to.deep.equal(numbered(at => at < 10))
    expect(ids(list('metadata', { from: time(10), until: time(12) }).items)).to.deep.equal([
      'm12',
      'm11',
      'm10',
    ])
    expect(ids(list('schema', { from: time(0) }).items)).to.deep.equal([])
    expect(ids(list('schema', { until: time(0) }).items)).to.deep.equal(['s0', 's1', 's2'])
  })

  it('show a caller records with READ, and REVOKED ones only with ADMINISTRATE', () => {
    expect(ids(list('metadata', { readableBy: ['eve'] }).items)).to.deep.equal(['m32', 'm24', 'm0'])
    expect(list('metadata', { readableBy: ['eve', 'everybody'] }).total).to.equal(38)
    expect(ids(list('metadata', { readableBy: ['everybody'] }).items)).to.deep.equal(
      numbered(at => at % 8 !== 0),
    )
    expect(list('metadata', { readableBy: ['nobody'] }).total).to.equal(0)
  })

  it('have the same pages, regardless of earlier requests', () => {
    const queries: readonly (readonly [Collection, ListQuery])[] = [
      ['schema', {}],
      ['metadata', {}],
      ['metadata', { schemaIds: ['s0'] }],
      ['metadata', { schemaIds: ['s0', 's1'] }],
      ['metadata', { resources: ['r1', 'r2', 'r, with comma'] }],
      ['metadata', { readableBy: ['eve'] }],
      ['metadata', { readableBy: ['everybody', 'eve'] }],
    ]
    fc.assert(
      fc.property(
        fc.nat(queries.length - 1),
        fc.array(fc.tuple(fc.nat(45), fc.nat(12)), { minLength: 1, maxLength: 12 }),
        (which, windows) => {
          const [kind, query] = queries[which] as (typeof queries)[number]
          const whole = ids(list(kind, query).items)
          for (const [offset, limit] of windows) {
            const page = list(kind, query, { offset, limit })
            expect(ids(page.items)).to.deep.equal(whole.slice(offset, offset + limit))
            expect(page).to.include({ total: whole.length, offset })
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  it('use an index, and neither scan nor sort a table', () => {
    const database = new Database(catalog.file)
    const explain = ({ sql, values }: SqlQuery) =>
      (
        database
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .raw(true)
          .all([...values]) as unknown[][]
      )
        .map(row => String(row.at(-1)))
        .join('\n')
    const window = { offset: 20, limit: 5 }
    try {
      const sorted = (by: Sort['by'], direction: Sort['direction']) => ({ sort: { by, direction } })
      const listed: readonly (readonly [Collection, ListQuery, string, AccessPath?])[] = [
        ['schema', {}, 'newest_by_id'],
        ['schema', sorted('id', 'desc'), 'newest_by_id'],
        ['schema', sorted('lastUpdate', 'asc'), 'newest_by_age'],
        ['schema', sorted('lastUpdate', 'desc'), 'newest_by_age'],
        ['metadata', sorted('id', 'asc'), 'newest_by_id'],
        ['metadata', sorted('id', 'desc'), 'newest_by_id'],
        ['metadata', { ...sorted('id', 'desc'), schemaIds: ['s0'] }, 'newest_by_id', { walksIds: true }],
        ['metadata', sorted('lastUpdate', 'asc'), 'newest_by_age'],
        ['metadata', { ...sorted('lastUpdate', 'asc'), schemaIds: ['s0'] }, 'newest_by_schema'],
        ['metadata', { ...sorted('lastUpdate', 'asc'), from: 1 as Instant }, 'newest_by_age'],
        ['schema', { documentTypes: ['XML'] }, 'newest_by_id'],
        ['metadata', {}, 'newest_by_age'],
        ['metadata', { from: 1 as Instant }, 'newest_by_age'],
        ['metadata', { until: 1 as Instant }, 'newest_by_age'],
        ['metadata', { from: 1 as Instant, until: 2 as Instant }, 'newest_by_age'],
        ['metadata', { readableBy: ['eve'] }, 'newest_by_age'],
        ['metadata', { schemaIds: ['s0'] }, 'newest_by_schema'],
        ['metadata', { schemaIds: ['s0'], readableBy: ['eve'] }, 'newest_by_schema'],
      ]
      for (const [kind, query, index, access] of listed) {
        const shape = currentList(kind, query, access ?? {})
        const order = orderOf(kind, query.sort)
        const key = order.columns.map(column => (column === 'id' ? 'm1' : -1))
        for (const after of [undefined, key]) {
          const told = explain(pageSql([shape], order, window, after))
          expect(told, JSON.stringify([kind, query])).to.include(`SEARCH n USING COVERING INDEX ${index} `)
          expect(told, JSON.stringify([kind, query])).not.to.match(/TEMP B-TREE|SCAN [^j]/)
        }
        const counted = explain(totalSql(shape))
        expect(counted, JSON.stringify(query)).to.match(/^SEARCH n USING COVERING INDEX newest_by_/)
        if (query.from || query.until) expect(counted).to.match(/newest_by_age \(kind=\? AND age/)
      }
      // Records with few readers are looked up by their readers. Other records cost nothing.
      const bySeen = explain(
        pageSql(
          [currentList('metadata', { readableBy: ['eve'] }, { gathersSeen: true })],
          orderOf('metadata'),
          window,
        ),
      )
      expect(bySeen).to.include('SEARCH newest USING COVERING INDEX newest_by_audience')
      expect(bySeen).to.include('SEARCH n USING INTEGER PRIMARY KEY')
      expect(bySeen).not.to.match(/SCAN (n|newest|member)\b/)
      // Few records describe one resource. The query looks up only these records and sorts them.
      const byResource = explain(
        pageSql([currentList('metadata', { resources: ['r1'] }, {})], orderOf('metadata'), window),
      )
      expect(byResource).to.match(/SEARCH resource USING (PRIMARY KEY|COVERING INDEX) /)
      expect(byResource).to.include('SEARCH n USING INTEGER PRIMARY KEY')
      expect(byResource).not.to.match(/SCAN (n|newest|resource)\b/)
    } finally {
      database.close()
    }
  })
})
