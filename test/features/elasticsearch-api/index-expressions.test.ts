import { expect } from 'chai'
import { indexCondition } from '../../../src/features/elasticsearch-api/answers/index-expressions.js'
import { expectProblem } from '../../support/data/expect-problem.js'

// test-schedule: quick

const unknown = async () => undefined
const equals = (...values: readonly string[]) => ({ type: 'equals', field: 'schema', values })

describe('The indices of an address', () => {
  it('are those of the schemas with these names', async () => {
    const schemas = async () => ['a_b', 'a*b', 'other']

    expect(await indexCondition('metastore-a_b', schemas)).to.deep.equal(equals('a_b', 'a*b'))
    expect(await indexCondition('metastore-o*,metastore-plain', schemas)).to.deep.equal(
      equals('plain', 'other'),
    )
  })

  it('have at most four asterisks', async () => {
    await expectProblem(() => indexCondition(`metastore-${'*'.repeat(5)}`, unknown), 'not-found')
  })

  it('work by full name if too many documents hide the schemas; a pattern is refused', async () => {
    expect(await indexCondition('metastore-a_b,metastore-c', unknown)).to.deep.equal(equals('a_b', 'c'))
    expect(await indexCondition('metastore-a*,metastore-*', unknown)).to.deep.equal({ type: 'all' })
    await expectProblem(() => indexCondition('metastore-a*', unknown), 'unavailable', 'asterisk')
  })
})
