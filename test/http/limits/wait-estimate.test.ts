// test-schedule: alone
import { expect } from 'chai'
import { openWaitEstimator } from '../../../src/http/limits/wait-estimate.js'

const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))

describe('the estimate of the wait in a queue', () => {
  it('is zero for a short queue', async () => {
    const pace = openWaitEstimator()
    const leave = Array.from({ length: 15 }, () => pace.enqueue())
    await sleep(1100)
    leave[0]?.()
    expect(pace.expectedWaitMs()).to.equal(0)
  })

  it('is the queue length divided by the throughput, and the queue reports the wait of its oldest entry', async () => {
    const pace = openWaitEstimator()
    expect(pace.oldestWaitMs()).to.equal(0)
    const leave = Array.from({ length: 40 }, () => pace.enqueue())
    await sleep(1100)
    for (const done of leave.slice(0, 10)) done()
    expect(pace.expectedWaitMs()).to.be.within(1500, 40_000)
    expect(pace.oldestWaitMs()).to.be.at.least(1000)
    for (const done of leave) done()
    expect(pace.oldestWaitMs()).to.equal(0)
    expect(pace.expectedWaitMs()).to.equal(0)
  })
})
