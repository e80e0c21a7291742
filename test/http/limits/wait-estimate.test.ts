// test-schedule: alone
import { expect } from 'chai'
import { openWaitEstimator } from '../../../src/http/limits/wait-estimate.js'

const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))

describe('the pace of what waits for its turn', () => {
  it('is not known of few', async () => {
    const pace = openWaitEstimator()
    const leave = Array.from({ length: 15 }, () => pace.enqueue())
    await sleep(1100)
    leave[0]?.()
    expect(pace.expectedWaitMs()).to.equal(0)
  })

  it('is as many as are there by as many as were done a second, and tells who has been there for longest', async () => {
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
