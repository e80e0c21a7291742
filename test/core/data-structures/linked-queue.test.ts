// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { openLinkedQueue } from '../../../src/core/data-structures/linked-queue.js'

describe('a linked queue', () => {
  it('keeps the order of entries after removals', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat())), steps => {
        const line = openLinkedQueue<number>()
        const leaves: (() => void)[] = []
        const there = new Set<number>()
        for (const leaving of steps) {
          if (leaving === null || leaves.length === 0) {
            there.add(leaves.length)
            leaves.push(line.join(leaves.length))
          } else if (leaving % 5 === 0) {
            const [first] = there
            expect(line.take()).to.equal(first)
            if (first !== undefined) there.delete(first)
          } else {
            // This may remove an entry again.
            there.delete(leaving % leaves.length)
            leaves[leaving % leaves.length]?.()
          }
          expect([...line]).to.deep.equal([...there])
          expect([line.size, line.first]).to.deep.equal([there.size, [...there][0]])
        }
        for (const leave of leaves) leave()
        expect([[...line], line.size, line.first]).to.deep.equal([[], 0, undefined])
      }),
    )
  })

  it('accepts removals and new entries during an iteration', () => {
    const line = openLinkedQueue<string>()
    const leaves = ['a', 'b', 'c'].map(item => line.join(item))
    const met: string[] = []
    for (const item of line) {
      met.push(item)
      for (const leave of leaves) leave()
      line.join('d')
    }
    expect(met).to.deep.equal(['a', 'b', 'c'])
    expect([...line]).to.deep.equal(['d', 'd', 'd'])
  })
})
