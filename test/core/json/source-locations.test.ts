// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { placesOfPointers } from '../../../src/core/json/source-locations.js'

/** The lines of {@link placesOfPointers}. */
function linesOfPointers(text: string, pointers: Iterable<string>): ReadonlyMap<string, number> {
  return new Map([...placesOfPointers(text, pointers)].map(([pointer, { line }]) => [pointer, line]))
}

/** Every value inside a JSON value, with its JSON Pointer. */
function* placesIn(value: unknown, pointer = ''): Generator<readonly [pointer: string, value: unknown]> {
  yield [pointer, value]
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    yield* placesIn(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}

describe('lines of a JSON text', () => {
  const text = '{\n  "a": [1,\n    {"b/c":\n\ntrue}, 2],\r\n  "d~":\n    {},\n  "a b": "\\"{\\n,"\n}\n'

  it('are the lines of elements and of member names', () => {
    const wanted = ['', '/a', '/a/0', '/a/1', '/a/1/b~1c', '/a/2', '/d~0', '/a b']
    expect([...linesOfPointers(text, wanted)].sort()).to.deep.equal(
      [
        ['', 1],
        ['/a', 2],
        ['/a/0', 2],
        ['/a/1', 3],
        ['/a/1/b~1c', 3],
        ['/a/2', 5],
        ['/d~0', 6],
        ['/a b', 8],
      ].sort(),
    )
    expect([...linesOfPointers(text, ['/none', '/a/3', '/a/1/b', '/a/0/x'])]).to.deep.equal([])
  })

  it('have columns from 1: of the name of a member, else of the value', () => {
    const wanted = ['', '/a', '/a/0', '/a/1', '/a/1/b~1c', '/d~0']
    expect(
      [...placesOfPointers(text, wanted)].map(([pointer, { column }]) => [pointer, column]),
    ).to.deep.equal([
      ['', 1],
      ['/a', 3],
      ['/a/0', 9],
      ['/a/1', 5],
      ['/a/1/b~1c', 6],
      ['/d~0', 3],
    ])
  })

  it('are the line of the last member of a repeated name', () => {
    expect(linesOfPointers('{"a":1,\n"a":\n{"b":2}}', ['/a', '/a/b'])).to.deep.equal(
      new Map([
        ['/a', 2],
        ['/a/b', 3],
      ]),
    )
  })

  it('property: every value on its own line is found there, in any text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        // With an indentation, every value and every name starts a line.
        const lines = JSON.stringify(value, undefined, 2).split('\n')
        const places = [...placesIn(JSON.parse(JSON.stringify(value)))]
        const found = linesOfPointers(
          lines.join('\n'),
          places.map(([pointer]) => pointer),
        )
        expect(found.size).to.equal(new Set(places.map(([pointer]) => pointer)).size)
        for (const [pointer, inner] of places) {
          const line = lines[(found.get(pointer) ?? 0) - 1]?.trim() ?? ''
          const name = pointer.split('/').at(-1)?.replaceAll('~1', '/').replaceAll('~0', '~')
          const begin = JSON.stringify(inner).slice(0, 1)
          expect([begin, JSON.stringify(name)].some(start => line.startsWith(start ?? '?'))).to.equal(true)
        }
      }),
    )
  })
})
