import { expect } from 'chai'
import { backlogOf, openWorkThrottle } from '../../../../src/features/search/index/repeat-steps.js'

// test-schedule: quick

/** Duration of a part of work, in milliseconds. After such a part, each rest has its maximum length. */
const longPart = 100_000

function keepEventLoopBusy(): void {
  for (const end = performance.now() + 50; performance.now() < end; );
}

describe('the rest between parts of indexing', () => {
  it('is shorter in an index that answers, so that searches find changes soon', async () => {
    const backlogs = ['rebuild', 'long', 'short'] as const
    const paces = backlogs.map(backlog => ({ backlog, pace: openWorkThrottle() }))
    keepEventLoopBusy()
    const ended: string[] = []
    await Promise.all(
      paces.map(async ({ backlog, pace }) => {
        await pace.rest(longPart, backlog, new AbortController().signal)
        ended.push(backlog)
      }),
    )
    expect(ended).to.deep.equal(['short', 'long', 'rebuild'])
  })

  it('is omitted while the event loop is idle', async () => {
    const pace = openWorkThrottle()
    await new Promise(resolve => setTimeout(resolve, 300))
    let rested = false
    const rest = pace.rest(longPart, 'rebuild', new AbortController().signal)
    void rest.then(() => {
      rested = true
    })
    await new Promise(setImmediate)
    expect(rested).to.equal(true)
  })

  it('is short after the last part of the changes, and long while documents are indexed again', () => {
    const inUse = { complete: true, last: 5000, more: false }
    expect(backlogOf({ ...inUse, through: 5000 }), 'complete').to.equal('short')
    expect(backlogOf({ ...inUse, through: 5000, more: true }), 'indexed again').to.equal('rebuild')
    expect(backlogOf({ ...inUse, through: 4900, more: true }), '100 left').to.equal('short')
    expect(backlogOf({ ...inUse, through: 4899, more: true }), '101 left').to.equal('medium')
    expect(backlogOf({ ...inUse, through: 4000, more: true }), '1000 left').to.equal('long')
    expect(backlogOf({ ...inUse, through: 4999, complete: false }), 'a new index').to.equal('rebuild')
    expect(backlogOf(undefined), 'none yet').to.equal('rebuild')
  })
})
