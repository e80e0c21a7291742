// test-schedule: quick
import { expect } from 'chai'
import { parseWrittenJson, writeJson } from '../../../src/core/json/written-number.js'
import {
  readSourceFilter,
  selectFrom,
} from '../../../src/features/elasticsearch-api/answers/source-filter.js'
import { matchesWildcard } from '../../../src/features/elasticsearch-api/queries/wildcard-pattern.js'
import { documentTreeOf } from '../../../src/features/search/values/document-values.js'

const entry: Readonly<Record<string, unknown>> = {
  id: 'one',
  pid: 'p',
  metadataDocument: {
    title: 'Steel',
    parts: [{ name: 'a', size: 1 }, { name: 'b' }, 7],
    deep: { x: { y: 1 } },
  },
}

function selected(source: unknown): object {
  const filter = readSourceFilter(source)
  return Object.fromEntries(
    Object.entries(entry).flatMap(([name, value]) => {
      const part = selectFrom(value, name, filter)
      return part === undefined ? [] : [[name, part]]
    }),
  )
}

describe('The filter of _source', () => {
  const cases: readonly (readonly [source: unknown, expected: object])[] = [
    [true, entry],
    [undefined, entry],
    [{ includes: [] }, entry],
    [['id', 'pid'], { id: 'one', pid: 'p' }],
    ['metadataDocument.title', { metadataDocument: { title: 'Steel' } }],
    [['metadataDocument.parts.name'], { metadataDocument: { parts: [{ name: 'a' }, { name: 'b' }] } }],
    [['metadataDocument.*.y'], { metadataDocument: { deep: { x: { y: 1 } } } }],
    [['*.title'], { metadataDocument: { title: 'Steel' } }],
    [{ excludes: ['metadataDocument'] }, { id: 'one', pid: 'p' }],
    [
      { includes: ['metadataDocument'], excludes: ['metadataDocument.parts', '*.deep'] },
      { metadataDocument: { title: 'Steel' } },
    ],
    [false, {}],
  ]
  for (const [source, expected] of cases) {
    it(`${JSON.stringify(source)} selects ${JSON.stringify(expected)}`, () => {
      expect(selected(source)).to.deep.equal(expected)
    })
  }
})

describe('A part of a document', () => {
  it('has the digits of numbers that no double holds', () => {
    const document = parseWrittenJson('{"id":9007199254740993,"list":[1e400,{"x":1}]}')
    const part = selectFrom(document, 'doc', readSourceFilter(['doc.id', 'doc.list']))

    expect(writeJson(part)).to.equal('{"id":9007199254740993,"list":[1e400,{"x":1}]}')
    expect(writeJson(selectFrom(document, 'doc', readSourceFilter({ excludes: ['doc.list.x'] })))).to.equal(
      '{"id":9007199254740993,"list":[1e400]}',
    )
  })
})

describe('A pattern with asterisks', () => {
  it('matches in linear time', () => {
    expect(matchesWildcard('a*b*c', 'aXbXc')).to.equal(true)
    expect(matchesWildcard('a*b*c', 'acb')).to.equal(false)
    expect(matchesWildcard('ab*ba', 'aba')).to.equal(false)
    expect(matchesWildcard(`${'*a'.repeat(200)}*b`, 'a'.repeat(10_000))).to.equal(false)
  })
})

describe('An XML document as JSON', () => {
  it('has its elements by local name, and attributes beside them', () => {
    const tree = documentTreeOf([
      { path: 'note.text', text: 'hello' },
      { path: 'note.text.@lang', text: 'en' },
      { path: 'note.text', text: 'bye' },
      { path: 'note.p', text: 'some ' },
      { path: 'note.p.b', text: 'bold' },
      { path: 'note.__proto__.x', text: '1' },
    ])
    expect(JSON.parse(JSON.stringify(tree))).to.deep.equal(
      JSON.parse(
        '{"note":{"text":["hello","bye"],"text@lang":"en","p":{"#text":"some ","b":"bold"},"__proto__":{"x":"1"}}}',
      ),
    )
  })
})
