import { expect } from 'chai'
import { openWorkPace } from '../../../src/search/index/work-pace.js'

// test-schedule: quick

/** Milliseconds of a part of work after which each rest is as long as its limit allows. */
const longPart = 100_000

function keepEventLoopBusy(): void {
  for (const end = performance.now() + 50; performance.now() < end; );
}

describe('the rest between parts of indexing', () => {
  it('is shorter in an index that answers, so that changes are found soon', async () => {
    const sizes = ['none', 'long', 'short'] as const
    const paces = sizes.map(size => ({ size, pace: openWorkPace() }))
    keepEventLoopBusy()
    const ended: string[] = []
    await Promise.all(
      paces.map(async ({ size, pace }) => {
        await pace.rest(longPart, { isLate: false, size }, new AbortController().signal)
        ended.push(size)
      }),
    )
    expect(ended).to.deep.equal(['short', 'long', 'none'])
  })

  it('is left out while the event loop has time', async () => {
    const pace = openWorkPace()
    await new Promise(resolve => setTimeout(resolve, 300))
    let rested = false
    const rest = pace.rest(longPart, { isLate: false, size: 'none' }, new AbortController().signal)
    void rest.then(() => {
      rested = true
    })
    await new Promise(setImmediate)
    expect(rested).to.equal(true)
  })
})
