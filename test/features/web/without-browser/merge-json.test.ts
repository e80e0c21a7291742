// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { type JsonMerge, mergeJson } from '../../../../src/features/web/browser/merge/merge-json.js'

function merge(mine: string, base: string, theirs: string): JsonMerge {
  const merged = mergeJson(mine, base, theirs)
  if (!merged) throw new Error('A text is no JSON.')
  return merged
}

/** The merged text of texts that have no conflict. */
function together(mine: string, base: string, theirs: string): string {
  const merged = merge(mine, base, theirs)
  expect(merged.conflicts).to.deep.equal([])
  return merged.merged([])
}

const names = ['a', 'b', 'long name', '"', 'ü', '__proto__', '/'] as const
type Name = (typeof names)[number]

/** What one of both does with a member; undefined: it removes it. */
interface Change {
  readonly by: 'mine' | 'theirs'
  readonly value: unknown
}

const value = fc.jsonValue({ maxDepth: 2 })
const change = fc.record({
  by: fc.constantFrom('mine' as const, 'theirs' as const),
  value: fc.option(value, { nil: undefined }),
})
const members = fc.dictionary(fc.constantFrom(...names), value)
const changes = fc.array(fc.tuple(fc.constantFrom(...names), change))
const space = fc.constantFrom(0, 2, '\t')

function changed(object: object, made: ReadonlyMap<Name, Change>, by?: Change['by']): object {
  const result = new Map(Object.entries(object))
  for (const [name, { by: who, value }] of made) {
    if (by !== undefined && who !== by) continue
    if (value === undefined) result.delete(name)
    else result.set(name, value)
  }
  return Object.fromEntries(result)
}

/** The same text for equal values. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`)
  return `{${entries.sort((one, other) => (one < other ? -1 : 1)).join()}}`
}

describe('A merge of JSON documents', () => {
  it('has the changes of neighbouring members and of neighbouring lines', () => {
    const base = '{\n  "publisher": "Old",\n  "year" : 2020,\n  "serial": 12345678901234567890.10\n}\n'

    const text = together(base.replace('2020', '2021'), base, base.replace('"Old"', '"New"'))

    expect(text).to.equal(base.replace('2020', '2021').replace('"Old"', '"New"'))
  })

  it('has the changes of both, if they have changed different members, in an object and in one inside of it', () => {
    fc.assert(
      fc.property(members, members, changes, changes, space, (outer, inner, made, madeInside, indent) => {
        const base = { ...outer, inner }
        const [outside, inside] = [new Map(made), new Map(madeInside)]
        const by = (who?: Change['by']) =>
          JSON.stringify({ ...changed(base, outside, who), inner: changed(inner, inside, who) }, null, indent)

        const merged = together(by('mine'), JSON.stringify(base, null, indent), by('theirs'))

        expect(canonical(JSON.parse(merged))).to.equal(canonical(JSON.parse(by())))
      }),
    )
  })

  it('has a conflict, if both have changed a member in different ways, and then what is chosen', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(undefined))
    const three = fc.uniqueArray(scalar, { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(members, fc.constantFrom(...names), three, (object, name, [before, my, their]) => {
        const withValue = (value: unknown) =>
          JSON.stringify(changed(object, new Map([[name, { by: 'mine', value }]])))
        const [mine, theirs] = [withValue(my), withValue(their)]

        const merged = merge(mine, withValue(before), theirs)

        expect(merged.conflicts).to.deep.equal([
          {
            path: [name],
            base: JSON.stringify(before),
            mine: JSON.stringify(my),
            theirs: JSON.stringify(their),
          },
        ])
        expect(canonical(JSON.parse(merged.merged(['mine'])))).to.equal(canonical(JSON.parse(mine)))
        expect(merged.merged(['theirs'])).to.equal(theirs)
        expect(() => merged.merged([])).to.throw(RangeError)
      }),
    )
  })

  it('is JSON whatever the documents are and whatever is chosen', () => {
    const item = fc.oneof(
      fc.constantFrom('a', 'b', 'c'),
      fc.record({ a: fc.constantFrom(1, 2, 3), b: value }),
    )
    const json = fc.tuple(fc.oneof(value, fc.array(item), fc.record({ list: fc.array(item) })), space)
    fc.assert(
      fc.property(
        json,
        json,
        json,
        fc.infiniteStream(fc.constantFrom('mine', 'theirs')),
        (a, b, c, chosen) => {
          const [base, mine, theirs] = [a, b, c].map(([each, indent]) =>
            JSON.stringify(each, null, indent),
          ) as [string, string, string]
          const merged = merge(mine, base, theirs)
          const choices = merged.conflicts.map(() => chosen.next().value ?? 'mine')

          expect(() => JSON.parse(merged.merged(choices))).to.not.throw()
        },
      ),
      { numRuns: 500 },
    )
  })

  it('is theirs byte for byte, if only they have changed something, and has my values, if only I have', () => {
    fc.assert(
      fc.property(value, value, space, (before, after, indent) => {
        const base = JSON.stringify(before)
        const other = JSON.stringify(after, null, indent)
        expect(together(base, base, other)).to.equal(other)
        expect(canonical(JSON.parse(together(other, base, base)))).to.equal(canonical(JSON.parse(other)))
      }),
    )
  })

  describe('merges the items of a list', () => {
    it('by index, if they stay where they are', () => {
      expect(together('[1, "mine", 3]', '[1, 2, 3]', '[1, 2, "theirs"]')).to.equal('[1, "mine", "theirs"]')
      expect(together('["mine", 2]', '[1, 2]', '[1, 2, 3]')).to.equal('["mine", 2, 3]')
      expect(together('[1, 2, 3]', '[1, 2]', '[1, "theirs"]')).to.equal('[1, "theirs", 3]')
      const item = '[{"id": 1, "n": "a", "m": 1}]'
      const [mine, theirs] = [item.replace('"a"', '"x"'), item.replace('"m": 1', '"m": 2')]
      expect(together(mine, item, theirs)).to.equal('[{"id": 1, "n": "x", "m": 2}]')
    })

    it('by what is equal in them, if some were removed or moved', () => {
      expect(together('[2, 3, 4]', '[1, 2, 3, 4]', '[1, 2, 3, 4, 5]')).to.equal('[2, 3, 4, 5]')
      expect(together('[0, 1, 2, 3]', '[1, 2, 3]', '[1, 2]')).to.equal('[0, 1, 2]')
    })

    it('as one value, if neither is safe', () => {
      for (const [mine, base, theirs] of [
        ['[2, 1]', '[1, 2]', '[1, 3]'],
        ['[1, 2]', '[1]', '[1, 3]'],
      ] as const)
        expect(merge(mine, base, theirs).conflicts).to.deep.equal([{ path: [], base, mine, theirs }])
    })

    it('with a conflict of an item, if both have changed it and nothing in it has stayed', () => {
      const { conflicts } = merge('[{"n": "x"}]', '[{"n": "a"}]', '[{"n": "a", "m": 1}]')
      expect(conflicts).to.deep.equal([
        { path: [0], base: '{"n": "a"}', mine: '{"n": "x"}', theirs: '{"n": "a", "m": 1}' },
      ])
    })
  })

  it('is refused for texts that are no JSON, or have a member twice', () => {
    for (const text of ['<a/>', '{"a": 1', '{"a": 1, "a": 2}'])
      expect(mergeJson('{}', '{}', text)).to.equal(undefined)
  })
})
