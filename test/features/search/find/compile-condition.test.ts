import { expect } from 'chai'
import type { FieldLookup } from '../../../../src/features/search/find/compile-condition.js'
import { compileCondition, joined, plain } from '../../../../src/features/search/find/compile-condition.js'
import { parseQueryText } from '../../../../src/features/search/query-text/parse-query-text.js'
import type { SearchCondition } from '../../../../src/features/search/search-condition.js'
import { expectProblem } from '../../../support/data/expect-problem.js'

// test-schedule: quick

const fields: FieldLookup = {
  paths: () => [7],
  declared: () => undefined,
  valueField: () => 7,
  wholeValues: (_, wanted) => (wanted.includes('x') ? undefined : [57]),
  notes: () => [],
}
const word = (text: string): SearchCondition => ({ type: 'text', text, match: 'words' })
const beginning = (text: string): SearchCondition => ({ type: 'text', text, match: 'prefix' })

describe('the SQL of a condition', () => {
  it('takes time that does not double with each level', () => {
    let condition = word('w')
    for (let level = 0; level < 38; level++) {
      const inner: SearchCondition =
        level % 2 === 0 ? condition : { type: 'not', condition: word(`n${level}`) }
      condition = {
        type: 'and',
        conditions: [inner, condition, word(`w${level}`)].slice(level % 2 === 0 ? 1 : 0),
      }
    }
    const started = process.cpuUsage()

    compileCondition(condition, fields)

    expect(process.cpuUsage(started).user / 1e6, 'seconds of processor time').to.be.below(2)
  })

  const compiled = (query: string) => compileCondition(parseQueryText(query).condition, fields)

  it('is one expression for words and whole values at any place', () => {
    for (const [query, match] of [
      ['steel "field emission"', '("steel" AND "field emission")'],
      ['title:steel', '({title} : "steel")'],
      ['document.a:steel', '"~7~steel"'],
      ['document.a:steel OR iron', '("~7~steel" OR "iron")'],
      ['document.a:steel iron -rust', '(("~7~steel" AND "iron") NOT "rust")'],
      ['steel state:FIXED', '("steel" AND "~57")'],
    ] as const)
      expect(compiled(query), query).to.deep.equal({ match, isScored: true, rest: plain('1') })
  })

  it('has one expression, regardless of the number of searched fields', () => {
    const names = ['title', 'document', 'creator', 'document.a', 'document.b']
    const weighted = names.map(field => ({ field, weight: 1 }))

    const { match, rest } = compileCondition(
      { type: 'text', text: 'steel', match: 'words', fields: weighted },
      fields,
    )

    expect(match).to.equal('(({title} : "steel") OR ({document} : "steel") OR "~7~steel")')
    expect(rest).to.deep.equal(plain('1'))
  })

  it('scores words alone', () => {
    expect(compiled('state:FIXED')).to.deep.equal({ match: '"~57"', isScored: false, rest: plain('1') })
    // An alternative without words has no score.
    expect(compiled('steel OR year:2020..2021').match).to.equal(undefined)
    // Whole values at a path that no schema declares are looked up, so that their words are not scored.
    const value: SearchCondition = { type: 'equals', field: 'document.b', values: ['x'] }
    const { match, rest } = compileCondition({ type: 'and', conditions: [word('steel'), value] }, fields)
    expect(match).to.equal('"steel"')
    expect(rest.values).to.deep.equal(['"~7~ ~7~x ~7~"'])
  })

  it('has no expression without a column for a text without fields', () => {
    const condition: SearchCondition = { type: 'text', text: 'steel', match: 'words', fields: [] }

    expect(compileCondition(condition, fields)).to.deep.equal({
      ...{ match: undefined, isScored: false, rest: plain('0') },
    })
  })

  it('has few levels for many adjacent conditions', () => {
    const { sql, values } = joined(
      Array.from({ length: 2000 }, (_, index) => ({ sql: `f.rev = ?`, values: [index] })),
      'OR',
      '0',
    )

    expect(values).to.deep.equal(Array.from({ length: 2000 }, (_, index) => index))
    for (const group of sql.split(/[()]/)) expect(group.split(' OR ').length).to.be.lessThan(200)
  })

  for (const [what, condition] of [
    [
      'a phrase of very many words',
      { type: 'text', text: 'a '.repeat(9999), match: 'phrase', fields: twice() },
    ],
    ['a very long value', { type: 'equals', field: 'document.a', values: ['a '.repeat(20_000)] }],
    ['many beginnings of one letter', { type: 'or', conditions: [...'abcde'].map(beginning) }],
    [
      'many fields with an asterisk',
      {
        type: 'or',
        conditions: Array.from({ length: 101 }, (_, index) => ({
          type: 'exists',
          field: `document.*.f${index}`,
        })),
      },
    ],
  ] satisfies readonly (readonly [string, SearchCondition])[]) {
    it(`refuses ${what}`, () => expectProblem(() => compileCondition(condition, fields), 'malformed-request'))
  }

  it('can be made for every query of a search box, with a note about beginnings of one letter', () => {
    const { condition, notes } = parseQueryText('a* OR b* OR ä* OR title:c* OR d* OR steel*')

    expect(compileCondition(condition, fields).match).to.equal(
      '("a" * OR "b" * OR "a" * OR ({title} : "c" *) OR "d" OR "steel" *)',
    )
    expect(notes).to.deep.equal(['More than 4 beginnings of one or two letters are searched as words.'])
  })
})

function twice() {
  return ['document.a', 'document.b'].map(field => ({ field, weight: 1 }))
}
