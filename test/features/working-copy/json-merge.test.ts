// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { isSameJson, mergeJson } from '../../../src/features/working-copy/json-merge.js'
import { awkwardJson, canonicalJson } from '../../support/data/awkward-json.js'

describe('merging JSON by members', () => {
  const text = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

  it('uses each member of the side that changed, added or removed it', () => {
    const base = text({ a: 1, b: { c: [1, 2], d: 4 }, gone: true, lost: {} })
    const ours = text({ a: 2, b: { c: [1, 2], d: 4, mine: null }, lost: {} })
    const theirs = text({ a: 1, b: { c: [1, 3], d: 4 }, gone: true, more: { e: 'ä' } })

    expect(mergeJson(base, ours, theirs)).to.deep.equal({
      text: text({ a: 2, b: { c: [1, 3], d: 4, mine: null }, more: { e: 'ä' } }),
    })
  })

  it('keeps numbers and strings in their notation', () => {
    const merged = mergeJson(
      '{"n": 1.0, "s": "\\u00e9", "x": 1}',
      '{"n": 12345678901234567890.10, "s": "\\u00e9", "x": 1}',
      '{"n": 1.0, "s": "é", "x": 2}',
    )
    expect(merged).to.deep.equal({ text: '{ "n": 12345678901234567890.10, "s": "\\u00e9", "x": 2 }' })
  })

  it('uses the side that changed any value, and compares numbers by value', () => {
    fc.assert(
      fc.property(awkwardJson, awkwardJson, (base, changed) => {
        for (const merged of [
          mergeJson(text(base), text(changed), text(base)),
          mergeJson(text(base), text(base), text(changed)),
        ]) {
          expect(merged).to.have.property('text')
          expect(canonicalJson(JSON.parse((merged as { text: string }).text))).to.equal(
            canonicalJson(changed),
          )
        }
        expect(isSameJson(text(base), text(changed))).to.equal(canonicalJson(base) === canonicalJson(changed))
      }),
      { numRuns: 300 },
    )
    expect(isSameJson('[1.0, 1e400]', '[1, 10e399]')).to.equal(true)
    expect(isSameJson('9007199254740993', '9007199254740992')).to.equal(false)
    expect(mergeJson('{"n":1}', '{"n":1.0}', '{"n":2}')).to.deep.equal({ text: '{"n":2}' })
  })

  it('names members that both sides changed by JSON Pointers', () => {
    const conflicts = (base: unknown, ours: unknown, theirs: unknown) =>
      mergeJson(text(base), text(ours), text(theirs))
    expect(conflicts({ 'a/b': { c: 1 } }, { 'a/b': { c: 2 } }, { 'a/b': { c: 3 } })).to.deep.equal({
      conflicts: ['/a~1b/c'],
    })
    expect(conflicts({ a: { b: 1 } }, {}, { a: { b: 2 } })).to.deep.equal({ conflicts: ['/a'] })
    expect(conflicts([1], [2], [3])).to.deep.equal({ conflicts: [''] })
    expect(conflicts({ a: 1 }, { a: 2 }, { a: 2 })).to.deep.equal({ text: text({ a: 2 }) })
  })

  it('refuses texts that are not JSON, repeat a member, or are nested too deeply', () => {
    expect(mergeJson('{', '{}', '{}')).to.equal(undefined)
    expect(mergeJson('{}', '{"a":1,"a":2}', '{}')).to.equal(undefined)
    const deep = '['.repeat(10_000) + ']'.repeat(10_000)
    expect(mergeJson(deep, '[]', '[]')).to.equal(undefined)
  })
})
