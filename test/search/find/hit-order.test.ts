import { expect } from 'chai'
import type { FieldLookup } from '../../../src/search/find/conditions/field-lookup.js'
import { hitOrder } from '../../../src/search/find/hit-order.js'
import { scoreSql } from '../../../src/search/find/scores/bm25.js'
import type { SortKey } from '../../../src/search/search-engine.js'
import { expectProblem } from '../../support/data/expect-problem.js'

// test-schedule: quick

const fields: FieldLookup = { paths: () => [7], declared: () => undefined, notes: () => [] }
const match = { table: 'leaf', text: '"7~steel"' } as const
const keys = (...names: readonly string[]) => names.map((field): SortKey => ({ field, order: 'asc' }))

describe('the order of hits', () => {
  it('has the score in its direction, and the other keys after it', () => {
    const best: SortKey = { field: 'score', order: 'desc' }
    expect(hitOrder([best], match, fields)).to.deep.equal({ by: 'score', match })
    expect(hitOrder([best], undefined, fields)).to.deep.equal({ by: 'newest' })
    const columnsOf = (order: ReturnType<typeof hitOrder>) =>
      order.by === 'columns' ? order.columns.map(({ sql, isDescending }) => [sql, isDescending]) : []
    const id = ['f.id', false]
    const last = ['f.rev', true]
    const worstFirst = hitOrder(keys('score'), match, fields)
    expect(columnsOf(worstFirst)).to.deep.equal([[scoreSql(match), true], last])
    expect(columnsOf(hitOrder([best, ...keys('id')], match, fields))).to.deep.equal([
      [scoreSql(match), false],
      id,
      last,
    ])
    expect(columnsOf(hitOrder([best, ...keys('id')], undefined, fields))).to.deep.equal([id, last])
  })

  it('has at most three keys with a look-up for each hit', async () => {
    const few = keys('title', 'creator', 'publisher', 'year', 'id', 'updated')
    expect(hitOrder(few, undefined, fields).by).to.equal('columns')
    await expectProblem(
      () => hitOrder([...few, ...keys('pid')], undefined, fields),
      'malformed-request',
      'At most 3',
    )
  })
})
