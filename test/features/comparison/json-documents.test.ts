// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import type { Json } from '../../../src/core/json/try-parse.js'
import { parseWrittenJson, writeJson } from '../../../src/core/json/written-number.js'
import { compareJson, toJsonPatch } from '../../../src/features/comparison/documents/json-diff.js'
import { applyJsonPatch } from '../../support/data/apply-json-patch.js'
import { awkwardJson, canonicalJson } from '../../support/data/awkward-json.js'

/** Documents made of few different parts, so that two documents have much in common. */
const documents: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<Json>(null, true, 0, 1, 2, 'a', 'b', ''),
    fc.array(tie('value'), { maxLength: 8 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'id', 'a/b', '~', '', '__proto__', 'toString'), tie('value'), {
      maxKeys: 4,
    }),
  ),
})).value

const any = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>

describe('the comparison of JSON documents', () => {
  it('returns a JSON Patch that turns one into the other', () => {
    const pairs = fc.oneof(
      fc.tuple(documents, documents),
      fc.tuple(any, any),
      fc.tuple(awkwardJson, awkwardJson),
    )
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const changes = compareJson(before, after)

        expect(asJson(applyJsonPatch(before, toJsonPatch(changes)))).to.deep.equal(asJson(after))
        expect(compareJson(before, after)).to.deep.equal(changes)
        expect(changes.length === 0).to.equal(canonicalJson(before) === canonicalJson(after))
      }),
      { numRuns: 1000 },
    )
  })

  it('has the previous values, so that it can be reversed', () => {
    fc.assert(
      fc.property(documents, documents, (before, after) => {
        const back = compareJson(before, after)
          .toReversed()
          .map(change => {
            if (change.op === 'add') return { op: 'remove', path: change.path }
            const op = change.op === 'remove' ? 'add' : 'replace'
            return { op, path: change.path, value: change.before }
          })

        expect(asJson(applyJsonPatch(after, back))).to.deep.equal(asJson(before))
      }),
      { numRuns: 500 },
    )
  })

  it('finds no change if only the order of members or the notation differs', () => {
    const [before, after] = ['{"a":1.0,"b":["\\u0041",-0]}', '{"b":["A",0],"a":1}'].map(text =>
      JSON.parse(text),
    )

    expect(compareJson(before, after)).to.deep.equal([])
  })

  it('keeps the digits of numbers that no double holds', () => {
    const changes = (before: string, after: string) =>
      writeJson(toJsonPatch(compareJson(parseWrittenJson(before), parseWrittenJson(after))))

    expect(changes('{"id":9007199254740993}', '{"id":9007199254740992}')).to.equal(
      '[{"op":"replace","path":"/id","value":9007199254740992}]',
    )
    expect(changes('{"id":9007199254740992}', '{"id":9007199254740993,"big":[1e400]}')).to.equal(
      '[{"op":"replace","path":"/id","value":9007199254740993},{"op":"add","path":"/big","value":[1e400]}]',
    )
    expect(changes('[9007199254740993,1e400]', '[90071992547409930e-1,10.0e399]')).to.equal('[]')
    expect(
      changes('[{"id":9007199254740993,"a":1},{"id":9007199254740992}]', '[{"id":9007199254740993}]'),
    ).to.equal('[{"op":"remove","path":"/0/a"},{"op":"remove","path":"/1"}]')
  })

  it('distinguishes inserted and changed entries', () => {
    const before = { list: [{ id: 1, name: 'a' }, { id: 2, name: 'b' }, 'x'], 'a/b': 1, gone: null }
    const after = { list: ['new', { id: 1, name: 'a' }, { id: 2, name: 'c' }, 'x'], 'a/b': 2 }

    expect(compareJson(before, after)).to.deep.equal([
      { op: 'remove', path: '/gone', before: null },
      { op: 'add', path: '/list/0', value: 'new' },
      { op: 'replace', path: '/list/2/name', value: 'c', before: 'b' },
      { op: 'replace', path: '/a~1b', value: 2, before: 1 },
    ])
  })

  it('matches entries by their ids', () => {
    const entry = (id: number, value: string) => ({ id, value })

    expect(compareJson([entry(1, 'a'), entry(2, 'b')], [entry(2, 'c'), entry(3, 'd')])).to.deep.equal([
      { op: 'remove', path: '/0', before: entry(1, 'a') },
      { op: 'replace', path: '/0/value', value: 'c', before: 'b' },
      { op: 'add', path: '/1', value: entry(3, 'd') },
    ])
  })

  it('is fast and correct for long lists without common entries', () => {
    const numbers = (start: number) => Array.from({ length: 60_000 }, (_, index) => start + 2 * index)
    const started = process.cpuUsage()

    const changes = compareJson(numbers(0), numbers(1))

    expect(process.cpuUsage(started).user / 1e6, 'seconds of processor time').to.be.below(10)
    expect(changes).to.have.length(60_000)
    expect(applyJsonPatch(numbers(0), toJsonPatch(changes))).to.deep.equal(numbers(1))
  })
})

/** Removes the prototypes of fast-check, and normalises -0. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
