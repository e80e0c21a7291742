// test-schedule: quick

import { expect } from 'chai'
import fc from 'fast-check'
import { documentValues } from '../../../../src/features/search/values/document-values.js'
import { foldedWords, wordsIn } from '../../../../src/features/search/values/fold-words.js'
import { anyCharacter } from '../../../support/data/any-character.js'

const values = (text: string | Uint8Array, type: 'JSON' | 'XML', max = 1000) =>
  [...documentValues(Buffer.from(text), type, max)].map(({ path, text: value }) => [path, value])

describe('the values of a document', () => {
  it('of JSON have the names of their members as path; arrays add no step', () => {
    const document = { a: { b: ['x', { c: 1.5 }], d: null }, e: true, 'f.g': '', h: [[['y']]] }

    expect(values(JSON.stringify(document), 'JSON')).to.deep.equal([
      ['a.b', 'x'],
      ['a.b.c', '1.5'],
      ['e', 'true'],
      ['f.g', ''],
      ['h', 'y'],
    ])
    const digits = '{"id":9007199254740993,"n":[1e400,1.50]}'
    expect(values(digits, 'JSON')).to.deep.equal([
      ['id', '9007199254740993'],
      ['n', '1e400'],
      ['n', '1.5'],
    ])
    expect(values('"x"', 'JSON')).to.deep.equal([['', 'x']])
    expect(values('{"":{"a":1}}', 'JSON')).to.deep.equal([['a', '1']])
    expect(values('\uFEFF{"a":1}', 'JSON')).to.deep.equal([['a', '1']])
  })

  it('of XML have the local names of elements and attributes as path', () => {
    const document = `<?xml version="1.0"?><!-- no --><r:root xmlns:r="urn:r" r:id="1 &amp; 2"><a>x<b/>y</a>
      <a><![CDATA[<z>]]>&#x41;&lt;</a><r:c><d e='f'>g</d></r:c></r:root>`

    expect(values(document, 'XML')).to.deep.equal([
      ['root.@id', '1 & 2'],
      ['root.a', 'x'],
      ['root.a', 'y'],
      ['root.a', '<z>A<'],
      ['root.c.d.@e', 'f'],
      ['root.c.d', 'g'],
    ])
    const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>Größe</a>', 'latin1')
    expect(values(latin, 'XML')).to.deep.equal([['a', 'Größe']])
    expect(values(Buffer.from('\uFEFF<a>Größe</a>', 'utf16le'), 'XML')).to.deep.equal([['a', 'Größe']])
  })

  it('end at the limit of text', () => {
    expect(values('{"a":"12345","b":"67890","c":"x"}', 'JSON', 7)).to.deep.equal([
      ['a', '12345'],
      ['b', '67'],
    ])
  })

  it('of an invalid document are its words', () => {
    expect(values('{"a": not', 'JSON')).to.deep.equal([['', '{"a": not']])
    expect(values(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`, 'JSON')[0]?.[0]).to.equal('')
    expect(values('a <b> c </d> <', 'XML').map(([, text]) => text)).to.deep.equal(['a', 'c'])
  })

  it('are bounded for any bytes', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '</',
      '<a',
      '<!--',
      '<![CDATA[',
      '<?',
      '&',
      '"',
      '=',
      ' ',
      'x',
      '{',
      '}',
    )
    const text = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
      fc.array(piece).map(all => Buffer.from(all.join(''))),
    )

    fc.assert(
      fc.property(text, fc.constantFrom('JSON' as const, 'XML' as const), (bytes, type) => {
        const all = [...documentValues(bytes, type, 100)]
        expect(all.reduce((sum, value) => sum + value.text.length, 0)).to.be.at.most(100)
      }),
    )
    for (const part of ['<', '<a ', '<a>', '<!', '<![CDATA[', '</', '<a b="', '&', '[', '{"a":'])
      expect(values(part.repeat(300_000), 'XML', 1000).length).to.be.at.most(50_000)
  })
})

describe('the words of a text', () => {
  it('are the same with and without their positions', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), text => {
        expect([...wordsIn(text)].map(({ word }) => word)).to.deep.equal(foldedWords(text))
        for (const { start, end } of wordsIn(text)) expect(start).to.be.below(end)
      }),
    )
  })

  it('are folded once: a folded word is its own folded form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        const words = foldedWords(text)
        expect(foldedWords(words.join(' '))).to.deep.equal(words)
      }),
    )
  })
})
