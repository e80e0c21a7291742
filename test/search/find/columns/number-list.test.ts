import { expect } from 'chai'
import fc from 'fast-check'
import { NumberList } from '../../../../src/search/find/columns/number-list.js'

// test-schedule: quick

describe('a list of numbers', () => {
  const number = fc.oneof(
    fc.nat(300),
    fc.nat(70_000),
    fc.nat(2 ** 31 - 1),
    fc.integer(),
    fc.constantFrom(0xff, 0x100, 0xffff, 0x1_0000, 0xffff_ffff, 0x1_0000_0000, Number.MAX_SAFE_INTEGER),
    fc.double({ noNaN: true }).map(each => each + 0),
  )

  it('has the appended and the set numbers, and 0 elsewhere', () => {
    const change = fc.record({ place: fc.option(fc.nat(3000), { nil: undefined }), value: number })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), changes => {
        const list = new NumberList()
        const wanted: number[] = []
        for (const { place = wanted.length, value } of changes) {
          if (place === list.length) list.push(value)
          else list.set(place, value)
          while (wanted.length < place) wanted.push(0)
          wanted[place] = value
        }
        expect(list.length).to.equal(wanted.length)
        for (let place = 0; place < wanted.length + 5; place++)
          expect(list.at(place)).to.equal(wanted[place] ?? 0)
        expect([...list.values.subarray(0, list.length)]).to.deep.equal(wanted)
      }),
    )
  })

  it('uses as many bytes for a number as its largest number needs', () => {
    const bytesWith = (value: number) => {
      const list = new NumberList()
      list.push(1)
      list.push(value)
      list.push(2)
      return list.values.BYTES_PER_ELEMENT
    }
    const numbers = [0, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, -1, 0.5]
    expect(numbers.map(bytesWith)).to.deep.equal([1, 1, 2, 2, 4, 4, 8, 8, 8])
  })
})
