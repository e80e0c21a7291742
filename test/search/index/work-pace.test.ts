import { expect } from 'chai'
import { openWorkPace } from '../../../src/search/index/work-pace.js'

// test-schedule: quick

/** Milliseconds of a part of work after which each rest is as long as its limit allows. */
const longPart = 100_000

function keepEventLoopBusy(): void {
  for (const end = performance.now() + 50; performance.now() < end; );
}

describe('the rest between parts of indexing', () => {
  it('is shorter with a backlog of less than a second, so that changes are found within a second', async () => {
    const paces = [false, true].map(isShort => ({ isShort, pace: openWorkPace() }))
    keepEventLoopBusy()
    const ended: string[] = []
    await Promise.all(
      paces.map(async ({ isShort, pace }) => {
        await pace.rest(longPart, { isLate: false, isShort }, new AbortController().signal)
        ended.push(isShort ? 'short' : 'long')
      }),
    )
    expect(ended).to.deep.equal(['short', 'long'])
  })

  it('is left out while the event loop has time', async () => {
    const pace = openWorkPace()
    await new Promise(resolve => setTimeout(resolve, 300))
    let rested = false
    const rest = pace.rest(longPart, { isLate: false, isShort: false }, new AbortController().signal)
    void rest.then(() => {
      rested = true
    })
    await new Promise(setImmediate)
    expect(rested).to.equal(true)
  })
})
