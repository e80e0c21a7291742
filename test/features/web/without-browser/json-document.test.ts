// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { JsonDocument, type Path } from '../../../../src/features/web/browser/form/json-document.js'

/** @throws Error if the text is not taken */
function opened(text: string): JsonDocument {
  const document = JsonDocument.open(text)
  if (!(document instanceof JsonDocument)) throw new Error(`${document.message} at ${document.offset}`)
  return document
}

/** Members in the order of their names, as text: a member may be named `toString`, which assertions stumble over. */
function sorted(members: readonly (readonly [string, unknown])[]): string {
  return JSON.stringify(members.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

describe('A JSON document that is edited at places', () => {
  const written = '{\r\n\t"b" :1.0,\r\n\t"a": [ 12345678901234567890,2 ],\r\n\t"c": {}\r\n}\r\n'

  function edited(edit: (document: JsonDocument) => void, text = written): string {
    const document = opened(text)
    edit(document)
    return document.text
  }

  it('keeps order, spaces, line ends and digits beside a changed value', () => {
    expect(edited(document => document.set(['a', 1], '3'))).to.equal(written.replace(',2 ]', ',3 ]'))
    expect(opened(written).literalAt(['a', 0])).to.equal('12345678901234567890')
  })

  it('adds members where the schema has them, written as the others', () => {
    expect(edited(document => document.set(['d'], '"x"', ['a', 'd', 'c']))).to.equal(
      written.replace('\t"c"', '\t"d" :"x",\r\n\t"c"'),
    )
    expect(edited(document => document.set(['e'], '"x"'))).to.equal(
      written.replace('"c": {}', '"c": {},\r\n\t"e" :"x"'),
    )
    expect(edited(document => document.set(['z'], '1'), '{"a":1}')).to.equal('{"a":1, "z":1}')
    expect(edited(document => document.set(['b'], '1', ['b', 'a']), '{"a":1,"c":2}')).to.equal(
      '{"b":1,"a":1,"c":2}',
    )
  })

  it('makes the objects and lists around a new value', () => {
    expect(edited(document => document.set(['c', 'list', 0, 'name'], '"x"'))).to.equal(
      written.replace(
        '{}',
        '{\r\n\t\t"list": [\r\n\t\t\t{\r\n\t\t\t\t"name": "x"\r\n\t\t\t}\r\n\t\t]\r\n\t}',
      ),
    )
    expect(edited(document => document.set(['a', 'b'], '1'), '{}')).to.equal('{"a": {"b": 1}}')
  })

  it('removes members and items with their commas', () => {
    expect(edited(document => document.remove(['b']))).to.equal(written.replace('"b" :1.0,\r\n\t', ''))
    expect(edited(document => document.remove(['c']))).to.equal(written.replace(',\r\n\t"c": {}', ''))
    expect(edited(document => document.remove(['a', 1]))).to.equal(written.replace(',2 ]', ' ]'))
    expect(edited(document => document.remove(['a']), '{ "a": 1 }')).to.equal('{}')
    expect(edited(document => document.remove(['none', 3]))).to.equal(written)
  })

  it('moves items with the spaces of their places', () => {
    expect(edited(document => document.moveItem([], 0, 2), '[1, 2,\n 3]')).to.equal('[2, 3,\n 1]')
  })

  it('is refused with the place of the fault, and not opened in part', () => {
    for (const [text, offset] of [
      ['{"a": 1,}', 8],
      ['{"a": 1 // no\n}', 8],
      ['{"a": 1, "a": 2}', 9],
      ['[1', 2],
      ['['.repeat(600) + ']'.repeat(600), 500],
    ] as const) {
      const fault = JsonDocument.open(text)
      expect(fault, text).to.not.be.instanceOf(JsonDocument)
      expect((fault as { offset: number }).offset, text).to.equal(offset)
    }
  })

  it('refuses a value that is no JSON, and stays as it was', () => {
    const document = opened(written)
    expect(() => document.set(['b'], '1,')).to.throw(SyntaxError)
    expect(() => document.set(['b', 'c'], '1')).to.throw('There is no object at /b.')
    expect(document.text).to.equal(written)
  })

  it('has after any edits what the same edits of the parsed value give, and every other byte', () => {
    const name = fc.constantFrom('a', 'b', 'long name', '"', 'ü', '__proto__')
    const value = fc.jsonValue({ maxDepth: 2 })
    const document = fc.tuple(fc.dictionary(name, value), fc.constantFrom(0, 2, '\t'))
    fc.assert(
      fc.property(document, name, value, fc.boolean(), ([object, space], member, given, isRemoval) => {
        const text = JSON.stringify(object, undefined, space)
        const changed = opened(text)
        const path: Path = [member]
        if (isRemoval) changed.remove(path)
        else changed.set(path, JSON.stringify(given))
        const wanted = new Map(Object.entries(JSON.parse(text) as object))
        if (isRemoval) wanted.delete(member)
        else wanted.set(member, JSON.parse(JSON.stringify(given)))
        expect(sorted(Object.entries(JSON.parse(changed.text) as object))).to.equal(sorted([...wanted]))
        for (const other of Object.keys(object).filter(key => key !== member))
          expect(changed.literalAt([other])).to.equal(opened(text).literalAt([other]))
      }),
      { numRuns: 300 },
    )
  })
})
