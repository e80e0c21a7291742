// test-schedule: quick
import { expect } from 'chai'
import { ProblemError } from '../../../src/core/problem.js'
import { maxAttempts, outdated, retryWhileOutdated } from '../../../src/core/scheduling/optimistic-retry.js'
import { expectProblem } from '../../support/data/expect-problem.js'

describe('The retry policy of the write path', () => {
  const refusal = () => new ProblemError('unavailable', 'Others keep changing the state.')

  it('repeats an outdated attempt at once, and returns the first other result', async () => {
    const attempts: number[] = []
    const result = await retryWhileOutdated(async count => {
      attempts.push(count)
      return count < 4 ? outdated : 'stored'
    }, refusal)

    expect(result).to.equal('stored')
    expect(attempts).to.deep.equal([1, 2, 3, 4])
  })

  it('refuses after the last attempt', async () => {
    let attempts = 0
    const lost = async () => {
      attempts++
      return outdated
    }

    await expectProblem(() => retryWhileOutdated(lost, refusal), 'unavailable')
    expect(attempts).to.equal(maxAttempts)
  })

  it('does not repeat an attempt that fails, or whose result is undefined', async () => {
    let attempts = 0
    const full = async () => {
      attempts++
      throw new ProblemError('no-space', 'The disk is full.')
    }

    await expectProblem(() => retryWhileOutdated(full, refusal), 'no-space')
    expect(await retryWhileOutdated(async () => void attempts++, refusal)).to.equal(undefined)
    expect(attempts).to.equal(2)
  })
})
