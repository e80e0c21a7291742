// test-schedule: alone
import { setImmediate as oneRound } from 'node:timers/promises'
import { expect } from 'chai'
import { openTurns } from '../../../src/http/server/request-scheduler.js'

function burn(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

describe('turns of the event loop', () => {
  it('begin what comes at once, and in the order it came where there is much of it', async () => {
    const turns = openTurns()
    const begun: number[] = []
    turns.take('a', () => begun.push(0))
    expect(begun).to.deep.equal([0])

    for (let number = 1; number <= 50; number++) {
      turns.take('a', () => {
        begun.push(number)
        burn(1)
      })
    }
    expect(begun.length).to.be.lessThan(10)
    let rounds = 0
    for (; begun.length <= 50; rounds++) await oneRound()

    expect(begun).to.deep.equal(Array.from({ length: 51 }, (_, number) => number))
    // Beside that others had their turn: the event loop was not held for all of it.
    expect(rounds).to.be.greaterThan(10)
  })

  it('keep no client waiting for more than one request of each other client', async () => {
    const turns = openTurns()
    const begun: string[] = []
    for (let number = 0; number < 30; number++) {
      turns.take(`many ${number % 2}`, () => {
        begun.push('many')
        burn(4)
      })
    }
    turns.take('one', () => begun.push('one'))
    while (!begun.includes('one')) await oneRound()

    // One was begun at once, and one of each client before the turn of this one.
    expect(begun.indexOf('one')).to.equal(3)
  })

  it('look for further connections before anything is begun, though not for ever', async () => {
    const turns = openTurns()
    let isBegun = false
    turns.accepted()
    turns.take('a', () => {
      isBegun = true
    })
    expect(isBegun).to.equal(false)

    turns.accepted()
    await oneRound()
    expect(isBegun).to.equal(false)

    while (!isBegun) {
      turns.accepted()
      await oneRound()
    }
  })

  it('leave out what nobody waits for any more', async () => {
    const turns = openTurns()
    const begun: string[] = []
    turns.take('a', () => burn(5))
    const leave = turns.take('a', () => begun.push('gone'))
    turns.take('a', () => begun.push('there'))

    leave()
    while (begun.length === 0) await oneRound()

    expect(begun).to.deep.equal(['there'])
  })
})
