// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { openShares, type Share } from '../../../src/core/scheduling/fair-queue.js'

const maxOfAll = 100
const ofOne = 40

interface Step {
  readonly client: number
  readonly amount: number
  readonly isOver: boolean
}

const steps = fc.array(
  fc.record({ client: fc.nat(5), amount: fc.integer({ min: 1, max: 60 }), isOver: fc.boolean() }),
  { maxLength: 60 },
)

/** Simulates exchanges of six clients, three of them unknown. Each client has one exchange at a time. */
function play(all: readonly Step[]) {
  const shares = openShares(maxOfAll, ofOne)
  const open = new Map<number, { readonly share: Share; own: number }>()
  const isKnown = (client: number) => client < 3
  for (const { client, amount, isOver } of all) {
    if (isOver) {
      open.get(client)?.share.leave()
      open.delete(client)
      continue
    }
    const mine = open.get(client) ?? {
      share: shares.enter({ key: String(client), isKnown: isKnown(client) }),
      own: 0,
    }
    open.set(client, mine)
    const others = [...open].filter(([each, { own }]) => each !== client && own > 0)
    const used = others.reduce((sum, [, { own }]) => sum + own, 0)
    if (mine.share.take(amount)) {
      mine.own += amount
      if (used > 0) expect(used + mine.own).to.be.at.most(maxOfAll)
      const unknown = others.filter(([each]) => !isKnown(each)).reduce((sum, [, { own }]) => sum + own, 0)
      if (!isKnown(client) && unknown > 0) expect(unknown + mine.own).to.be.at.most(maxOfAll / 2)
    } else {
      expect(used, 'a single exchange is not refused').to.be.above(0)
    }
  }
  return { shares, open }
}

describe('shares of a limited resource', () => {
  it('never exceed the limit; clients without a token have at most half of it', () => {
    fc.assert(fc.property(steps, all => void play(all)))
  })

  it('become free when all clients leave', () => {
    fc.assert(
      fc.property(steps, all => {
        const { shares, open } = play(all)
        for (const { share } of open.values()) {
          share.leave()
          share.leave()
        }
        for (const isKnown of [true, false]) {
          const [one, other] = [shares.enter({ key: 'a', isKnown }), shares.enter({ key: 'b', isKnown })]
          expect([one.take(25), other.take(25)]).to.deep.equal([true, true])
          one.leave()
          other.leave()
        }
      }),
    )
  })

  it('reserve a part for other clients', () => {
    const shares = openShares(maxOfAll, ofOne)
    const enter = (key: string) => shares.enter({ key, isKnown: true })
    expect(enter('a').take(30)).to.equal(true)
    expect(enter('a').take(20)).to.equal(false)
    expect(enter('a').take(10)).to.equal(true)
    expect(enter('b').take(40)).to.equal(true)
  })

  it('reserve half for clients with a token', () => {
    const shares = openShares(maxOfAll, ofOne)
    const enter = (key: string, isKnown: boolean) => shares.enter({ key, isKnown }).take(25)
    expect(['a', 'b', 'c'].map(key => enter(key, false))).to.deep.equal([true, true, false])
    expect(['d', 'e', 'f'].map(key => enter(key, true))).to.deep.equal([true, true, false])
  })
})
