import { expect } from 'chai'
import { compileCondition } from '../../../../src/search/find/conditions/compile-condition.js'
import type { FieldLookup } from '../../../../src/search/find/conditions/field-lookup.js'
import { joined, plain } from '../../../../src/search/find/conditions/search-sql.js'
import { parseQueryText } from '../../../../src/search/query-text/parse-query-text.js'
import type { SearchCondition } from '../../../../src/search/search-condition.js'
import { expectProblem } from '../../../support/data/expect-problem.js'

// test-schedule: quick

const fields: FieldLookup = { paths: () => [7], declared: () => undefined, notes: () => [] }
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
    const start = performance.now()

    compileCondition(condition, fields)

    expect(performance.now() - start).to.be.lessThan(2000)
  })

  it('has one expression for each table, regardless of the number of searched fields', () => {
    const names = ['title', 'document', 'creator', 'document.a', 'document.b']
    const weighted = names.map(field => ({ field, weight: 1 }))

    const { rest } = compileCondition(
      { type: 'text', text: 'steel', match: 'words', fields: weighted },
      fields,
    )

    expect(rest.sql.match(/SELECT/g)).to.have.length(2)
    expect(rest.values).to.deep.equal(['(({title} : ("steel")) OR ({document} : ("steel")))', '"7~steel"'])
  })

  it('scores words at paths by the table of paths, unless a word may be at any place', () => {
    const matchOf = (query: string) => compileCondition(parseQueryText(query).condition, fields).match
    expect(matchOf('document.a:steel')).to.deep.equal({ table: 'leaf', text: '"7~steel"' })
    expect(matchOf('document.a:steel OR document.b:iron -rust')).to.deep.equal({
      table: 'leaf',
      text: '("7~steel" OR "7~iron")',
    })
    expect(matchOf('document.a:steel iron')).to.deep.equal({ table: 'words', text: '("steel" AND "iron")' })
    expect(matchOf('document.a:steel OR iron')?.table).to.equal('words')
    expect(matchOf('document.a:steel OR state:FIXED')).to.equal(undefined)
  })

  it('excludes records with a word, regardless of the table with the scores', () => {
    for (const query of ['document.a:steel -rust', 'document.a:steel iron -rust', 'steel -rust']) {
      const { match, rest } = compileCondition(parseQueryText(query).condition, fields)
      expect(`${match?.text} ${rest.sql} ${rest.values}`, query).to.match(/NOT .*"rust"/)
    }
  })

  it('does not score whole values at a path', () => {
    const steel: SearchCondition = {
      ...{ type: 'text', text: 'steel', match: 'words' },
      fields: [{ field: 'document.a', weight: 1 }],
    }
    const value: SearchCondition = { type: 'equals', field: 'document.b', values: ['x'] }

    const { match, sets, isWhole } = compileCondition({ type: 'and', conditions: [steel, value] }, fields)

    expect(match).to.deep.equal({ table: 'leaf', text: '"7~steel"' })
    expect(sets.map(({ where }) => where.values)).to.deep.equal([['("7~steel" AND "7~ 7~x 7~")']])
    expect(isWhole).to.equal(true)
  })

  it('has no expression without a column for a text without fields', () => {
    const condition: SearchCondition = { type: 'text', text: 'steel', match: 'words', fields: [] }

    expect(compileCondition(condition, fields))
      .to.deep.include({ match: { table: 'words', text: '"steel"' } })
      .and.deep.include({ rest: plain('0') })
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

    expect(compileCondition(condition, fields).match?.text).to.equal(
      '("a" * OR "b" * OR "a" * OR {title} : ("c" *) OR "d" OR "steel" *)',
    )
    expect(notes).to.deep.equal(['More than 4 beginnings of one or two letters are searched as words.'])
  })
})

function twice() {
  return ['document.a', 'document.b'].map(field => ({ field, weight: 1 }))
}
