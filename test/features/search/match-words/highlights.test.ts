import { expect } from 'chai'
import type { Revision } from '../../../../src/core/records/revision.js'
import { asVersion, type Id } from '../../../../src/core/value-types.js'
import { highlightsOf } from '../../../../src/features/search/match-words/highlights.js'
import type { SearchCondition } from '../../../../src/features/search/search-condition.js'

// test-schedule: quick

const revision: Pick<Revision, 'kind' | 'record' | 'documentType'> = {
  kind: 'metadata',
  record: {
    id: 'one' as Id,
    schema: { schemaId: 's' as Id, version: asVersion(1) },
    titles: [{ value: 'Steel rod' }],
  },
  documentType: 'JSON',
}
const documentOf = (value: object) => Buffer.from(JSON.stringify(value))

function highlights(condition: SearchCondition, document: object) {
  return highlightsOf(revision as Revision, documentOf(document), { condition, highlight: true })
}

describe('the highlights of a hit', () => {
  it('count a word of several conditions once', () => {
    const word = (text: string, field: string): SearchCondition => {
      return { type: 'text', text, match: 'words', fields: [{ field, weight: 1 }] }
    }
    const conditions = ['steel', 'steel', 'rod'].flatMap(text => [
      word(text, 'title'),
      word(text, 'document.a'),
    ])

    expect(highlights({ type: 'or', conditions }, { a: 'no steel', b: 'steel' })).to.deep.equal([
      {
        field: 'title',
        passages: [
          {
            text: 'Steel rod',
            hits: [
              { start: 0, end: 5 },
              { start: 6, end: 9 },
            ],
          },
        ],
      },
      { field: 'document.a', passages: [{ text: 'no steel', hits: [{ start: 3, end: 8 }] }] },
    ])
  })

  it('of a large document and a thousand words take a bounded time', () => {
    const conditions = Array.from({ length: 1000 }, (_, index): SearchCondition => {
      return { type: 'text', text: `word${index} word${index + 1}`, match: 'phrase' }
    })
    const started = process.cpuUsage()

    highlights({ type: 'or', conditions }, { text: 'word1 '.repeat(170_000) })

    expect(process.cpuUsage(started).user / 1e6, 'seconds of processor time').to.be.below(5)
  })
})
