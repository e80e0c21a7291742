// test-schedule: quick
import { setImmediate as oneRound } from 'node:timers/promises'
import { expect } from 'chai'
import { openEventLoopPauses } from '../../../src/core/scheduling/event-loop-pauses.js'
import { openOneAtATime } from '../../../src/core/scheduling/one-at-a-time.js'

function burn(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

describe('the work of many requests', () => {
  const client = (key: string) => ({ key, isKnown: true })

  it('runs one at a time, in turns of the clients, and not for a disconnected client', async () => {
    const inTurn = openOneAtATime()
    const done: string[] = []
    let atOnce = 0
    const job = (name: string) => async () => {
      expect(++atOnce).to.equal(1)
      await oneRound()
      atOnce--
      done.push(name)
      if (name === 'a1') throw new Error('the first job fails')
    }
    const gone = new AbortController()
    const all = [
      inTurn(job('a1'), client('a')),
      inTurn(job('a2'), client('a')),
      inTurn(job('a3'), client('a')),
      inTurn(job('b1'), client('b')),
      inTurn(job('gone'), client('c'), gone.signal),
    ]
    gone.abort()
    const outcomes = await Promise.allSettled(all)

    expect(done).to.deep.equal(['a1', 'a2', 'b1', 'a3'])
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ])
  })

  it('is refused beyond a number of waiting jobs, of all clients and of one; the limit of one does not apply to the server', async () => {
    const inTurn = openOneAtATime({
      maxWaiting: 4,
      maxWaitingOfClient: 2,
      refusal: 'Too many wait.',
      retryAfter: 3,
    })
    const job = async () => await oneRound()
    const outcomes = await Promise.allSettled([
      ...['a', 'a', 'a', 'a'].map(key => inTurn(job, client(key))),
      ...[undefined, undefined, undefined].map(own => inTurn(job, own)),
    ])

    // The first job runs, so that it does not count as waiting.
    expect(outcomes.map(({ status }) => status === 'fulfilled')).to.deep.equal([
      ...[true, true, true, false],
      ...[true, true, false],
    ])
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).to.include({ kind: 'unavailable', message: 'Too many wait.' })
    await inTurn(job, client('a'))
  })

  it('shares the iterations of the event loop between any number of paused requests', async () => {
    let ofThisRound = 0
    let max = 0
    const over = new AbortController()
    const watching = (async () => {
      while (!over.signal.aborted) {
        await oneRound()
        max = Math.max(max, ofThisRound)
        ofThisRound = 0
      }
    })()
    const work = async () => {
      const pauses = openEventLoopPauses()
      for (let piece = 0; piece < 3; piece++) {
        await pauses.now()
        burn(20)
        ofThisRound++
      }
    }
    await Promise.all(Array.from({ length: 15 }, work))
    over.abort()
    await watching
    // Without shared pauses, each iteration would have a piece of all 15 requests.
    expect(max, 'pieces of work in one iteration').to.be.within(1, 9)
  })
})
