import { expect } from 'chai'
import type { FieldLookup } from '../../../src/search/find/field-lookup.js'
import { hitOrder } from '../../../src/search/find/hit-order.js'
import type { SortKey } from '../../../src/search/search-engine.js'
import { expectProblem } from '../../support/data/expect-problem.js'

// test-schedule: quick

const fields: FieldLookup = { paths: () => [7], declared: () => undefined }
const keys = (...names: readonly string[]) => names.map((field): SortKey => ({ field, order: 'asc' }))

describe('the order of hits', () => {
  it('has few keys whose values are looked up for each hit', async () => {
    const few = keys('title', 'creator', 'publisher', 'year', 'id', 'updated')
    expect(hitOrder(few, false, fields).by).to.equal('columns')
    await expectProblem(
      () => hitOrder([...few, ...keys('pid')], false, fields),
      'malformed-request',
      'At most 3',
    )
  })
})
