// test-schedule: quick
import { expect } from 'chai'
import { ProblemError } from '../../../src/core/problem.js'
import { maxAttempts } from '../../../src/core/scheduling/optimistic-retry.js'
import { retryWhileStale, StaleUpdateError } from '../../../src/service/updates/submit-update.js'
import { expectProblem } from '../../support/data/expect-problem.js'

describe('an update with a stale preparation', () => {
  it('is prepared again until the plan succeeds', async () => {
    let prepared = 0
    const result = await retryWhileStale(async () => {
      prepared++
      if (prepared < 3) throw new StaleUpdateError()
      return 'stored'
    })

    expect(result).to.equal('stored')
    expect(prepared).to.equal(3)
  })

  it('is refused with a time for the next try if other updates continue', async () => {
    let prepared = 0
    const stale = () => {
      prepared++
      return Promise.reject(new StaleUpdateError())
    }

    const problem = await expectProblem(() => retryWhileStale(stale), 'unavailable', 'Try again')

    expect(problem.extra.retryAfter).to.equal(1)
    expect(prepared).to.equal(maxAttempts)
  })

  it('is not prepared again after a refusal', async () => {
    let prepared = 0
    const conflict = () => {
      prepared++
      return Promise.reject(new ProblemError('conflict', 'Conflict: the name is taken.'))
    }

    await expectProblem(() => retryWhileStale(conflict), 'conflict')
    expect(prepared).to.equal(1)
  })
})
