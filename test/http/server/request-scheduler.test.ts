// test-schedule: alone
import { setImmediate as oneRound } from 'node:timers/promises'
import { expect } from 'chai'
import { openRequestScheduler } from '../../../src/http/server/request-scheduler.js'

function burn(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

describe('the request scheduler', () => {
  it('begins requests at once, and in order if several wait', async () => {
    const turns = openRequestScheduler()
    const begun: number[] = []
    turns.schedule('a', () => begun.push(0))
    expect(begun).to.deep.equal([0])

    for (let number = 1; number <= 50; number++) {
      turns.schedule('a', () => {
        begun.push(number)
        burn(1)
      })
    }
    expect(begun.length).to.be.lessThan(10)
    let rounds = 0
    for (; begun.length <= 50; rounds++) await oneRound()

    expect(begun).to.deep.equal(Array.from({ length: 51 }, (_, number) => number))
    // Other work gets turns between requests: the scheduler does not hold the event loop.
    expect(rounds).to.be.greaterThan(10)
  })

  it('lets no client wait for more than one request of each other client', async () => {
    const turns = openRequestScheduler()
    const begun: string[] = []
    for (let number = 0; number < 30; number++) {
      turns.schedule(`many ${number % 2}`, () => {
        begun.push('many')
        burn(4)
      })
    }
    turns.schedule('one', () => begun.push('one'))
    while (!begun.includes('one')) await oneRound()

    // One request begins at once. Then one request of each other client begins.
    expect(begun.indexOf('one')).to.equal(3)
  })

  it('accepts connections before it begins requests, for a limited time', async () => {
    const turns = openRequestScheduler()
    let isBegun = false
    turns.connectionAccepted()
    turns.schedule('a', () => {
      isBegun = true
    })
    expect(isBegun).to.equal(false)

    turns.connectionAccepted()
    await oneRound()
    expect(isBegun).to.equal(false)

    while (!isBegun) {
      turns.connectionAccepted()
      await oneRound()
    }
  })

  it('skips requests of disconnected clients', async () => {
    const turns = openRequestScheduler()
    const begun: string[] = []
    turns.schedule('a', () => burn(5))
    const leave = turns.schedule('a', () => begun.push('gone'))
    turns.schedule('a', () => begun.push('there'))

    leave()
    while (begun.length === 0) await oneRound()

    expect(begun).to.deep.equal(['there'])
  })
})
