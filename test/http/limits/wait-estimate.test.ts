import { expect } from 'chai'
import { openWaitEstimator } from '../../../src/http/limits/update-limit.js'

describe('the estimate of the wait in a queue', () => {
  let now: number
  const openEstimator = (length: number) => {
    const estimator = openWaitEstimator(() => now)
    return { estimator, leave: Array.from({ length }, () => estimator.enqueue()) }
  }

  beforeEach(() => {
    now = 50_000
  })

  it('is unknown for a short queue', () => {
    const { estimator, leave } = openEstimator(15)
    now += 1000
    leave[0]?.()
    expect(estimator.expectedWaitMs()).to.equal(0)
  })

  it('is unknown during the first second', () => {
    const { estimator, leave } = openEstimator(40)
    now += 999
    for (const done of leave.slice(0, 10)) done()
    expect(estimator.expectedWaitMs()).to.equal(0)
  })

  it('is the queue length divided by the throughput', () => {
    const { estimator, leave } = openEstimator(40)
    for (const done of leave.slice(0, 10)) done()
    now += 1000
    expect(estimator.expectedWaitMs()).to.equal(3000)
  })

  it('uses the mean of the last measurements', () => {
    const { estimator, leave } = openEstimator(60)
    for (const done of leave.slice(0, 10)) done()
    now += 1000
    estimator.expectedWaitMs()
    for (const done of leave.slice(10, 40)) done()
    now += 1000
    expect(estimator.expectedWaitMs()).to.be.closeTo(1000, 1e-6)
  })

  it('is 0 again for a queue that has become short', () => {
    const { estimator, leave } = openEstimator(40)
    for (const done of leave.slice(0, 10)) done()
    now += 1000
    for (const done of leave.slice(10)) done()
    expect(estimator.expectedWaitMs()).to.equal(0)
  })

  it('has the wait of the oldest request, and 0 for an empty queue', () => {
    const { estimator, leave } = openEstimator(2)
    now += 700
    estimator.enqueue()
    expect(estimator.oldestWaitMs()).to.equal(700)
    leave[0]?.()
    leave[1]?.()
    expect(estimator.oldestWaitMs()).to.equal(0)
    expect(openWaitEstimator(() => now).oldestWaitMs()).to.equal(0)
  })
})
