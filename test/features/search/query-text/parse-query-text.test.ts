// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { parseQueryText } from '../../../../src/features/search/query-text/parse-query-text.js'
import type { SearchCondition } from '../../../../src/features/search/search-condition.js'
import { arbitraryQueryText } from '../../../support/data/arbitrary-query-text.js'

const word = (text: string, field?: string): SearchCondition => ({
  type: 'text',
  text,
  match: 'words',
  ...(field !== undefined && { fields: [{ field, weight: 1 }] }),
})

const phraseIn = (field: string, text: string): SearchCondition => ({
  type: 'text',
  text,
  match: 'phrase',
  fields: [{ field, weight: 1 }],
})

const between = (field: string, from: string, until?: string): SearchCondition => ({
  type: 'range',
  field,
  range: {
    from: { value: from, inclusive: true },
    ...(until !== undefined && { until: { value: until, inclusive: true } }),
  },
})

const without = (text: string): SearchCondition => ({ type: 'not', condition: word(text, 'document.v.volt') })

describe('The text of a search box', () => {
  const cases: readonly (readonly [text: string, condition: SearchCondition])[] = [
    ['', { type: 'all' }],
    ['steel', word('steel')],
    ['steel AND rod', { type: 'and', conditions: [word('steel'), word('rod')] }],
    ['title:(steel AND rod)', { type: 'and', conditions: [word('steel', 'title'), word('rod', 'title')] }],
    [
      'title:("steel" AND NOT rod)',
      {
        type: 'and',
        conditions: [phraseIn('title', 'steel'), { type: 'not', condition: word('rod', 'title') }],
      },
    ],
    ['title:AND', word('AND', 'title')],
    ['"steel rod"', { type: 'text', text: 'steel rod', match: 'phrase' }],
    ['ste*', { type: 'text', text: 'ste', match: 'prefix' }],
    ['-draft', { type: 'not', condition: word('draft') }],
    ['NOT draft', { type: 'not', condition: word('draft') }],
    [
      'steel rod OR bar',
      { type: 'and', conditions: [word('steel'), { type: 'or', conditions: [word('rod'), word('bar')] }] },
    ],
    ['title:(steel OR iron)', { type: 'or', conditions: [word('steel', 'title'), word('iron', 'title')] }],
    ['instrument.name:SEM', word('SEM', 'document.instrument.name')],
    ['document.instrument.name:SEM', word('SEM', 'document.instrument.name')],
    ['*.name:SEM', word('SEM', 'document.*.name')],
    ['State:FIXED', { type: 'equals', field: 'state', values: ['FIXED'] }],
    [
      'year:2020..2024',
      {
        type: 'range',
        field: 'year',
        range: { from: { value: '2020', inclusive: true }, until: { value: '2024', inclusive: true } },
      },
    ],
    ['year:2020..', { type: 'range', field: 'year', range: { from: { value: '2020', inclusive: true } } }],
    ['"sample weight":12', word('12', 'document.sample weight')],
    [
      '"~a.b c":"x y"',
      { type: 'text', text: 'x y', match: 'phrase', fields: [{ field: 'document.~a.b c', weight: 1 }] },
    ],
    ['"Title":steel', word('steel', 'title')],
    ['creator:"Erika"', phraseIn('creator', 'Erika')],
    [
      'creator:"Mustermann, Erika"',
      {
        type: 'or',
        conditions: ['Mustermann, Erika', ' Erika Mustermann'].map(name => phraseIn('creator', name)),
      },
    ],
    ['title:"apples, pears"', phraseIn('title', 'apples, pears')],
    ['1.5', word('1.5')],
    ['1.50', { type: 'or', conditions: [word('1.50'), word('1.5')] }],
    ['1.0', word('1.0')],
    ['1e999', word('1e999')],
    ['9007199254740993', { type: 'or', conditions: [word('9007199254740993'), word('9007199254740992')] }],
    ['v:1.0', { type: 'or', conditions: [word('1.0', 'document.v'), word('1', 'document.v')] }],
    ['title:1.50', word('1.50', 'title')],
    ['v.volt:(-5..0)', between('document.v.volt', '-5', '0')],
    [
      'v.volt:(-5..0 OR 100..)',
      {
        type: 'or',
        conditions: [between('document.v.volt', '-5', '0'), between('document.v.volt', '100')],
      },
    ],
    ['v.volt:(NOT -5..-1)', { type: 'not', condition: between('document.v.volt', '-5', '-1') }],
    ['v.volt:(--5..)', { type: 'not', condition: between('document.v.volt', '-5') }],
    ['v.volt:(-5 -rod)', { type: 'and', conditions: ['5', 'rod'].map(without) }],
    ['v.day:(-2020-01..2021)', { type: 'not', condition: between('document.v.day', '2020-01', '2021') }],
    ['updated:(-2020..2021)', { type: 'not', condition: between('updated', '2020', '2021') }],
    ['-5..0', { type: 'not', condition: word('5..0') }],
    ['updated:2026-11-27', between('updated', '2026-11-27', '2026-11-27')],
    ['created:"2026-11"', between('created', '2026-11', '2026-11')],
    ['licence:*', { type: 'exists', field: 'licence' }],
    ['*', { type: 'all' }],
    ['*:*', { type: 'all' }],
    ['steel AND *:*', word('steel')],
    ['*:steel', word('steel')],
    ['lastUpdate:2026-11-27', between('updated', '2026-11-27', '2026-11-27')],
    ['License:MIT', word('MIT', 'licence')],
    ['https://example.org/a', word('https://example.org/a')],
    ['doi:10.1234/5', word('doi:10.1234/5')],
    ['12:30', word('12:30')],
    ['one: two', { type: 'and', conditions: [word('one:'), word('two')] }],
    ['state-of-the-art', word('state-of-the-art')],
  ]
  for (const [text, condition] of cases) {
    it(`"${text}" is ${JSON.stringify(condition)}`, () => {
      expect(parseQueryText(text)).to.deep.equal({ condition, notes: [] })
    })
  }

  const noted: readonly (readonly [text: string, condition: SearchCondition])[] = [
    ['"steel rod', { type: 'and', conditions: [word('steel'), word('rod')] }],
    ['(steel', word('steel')],
    ['steel)', word('steel')],
    ['!!! steel', word('steel')],
    ['see:bar...baz', word('bar...baz', 'document.see')],
    ['wait:...what', word('...what', 'document.wait')],
    ['C:..\\foo', word('..\\foo', 'document.C')],
    ['v:1..ten', word('1..ten', 'document.v')],
    ['v:from..5', word('from..5', 'document.v')],
  ]
  for (const [text, condition] of noted) {
    it(`"${text}" is searched as words, and a note reports this`, () => {
      const parsed = parseQueryText(text)

      expect(parsed.condition).to.deep.equal(condition)
      expect(parsed.notes).to.have.length(1)
    })
  }

  const advised: readonly (readonly [text: string, advice: string])[] = [
    ['title: steel', 'write title:word'],
    ['title:', 'write title:word'],
    ['v.volt: 5', 'write v.volt:word'],
    ['year:>2020', 'write year:2020.. or year:..2020'],
    ['v.volt:<=5.5', 'write v.volt:5.5.. or v.volt:..5.5'],
    ['year:[2015 TO 2016]', 'write year:2015..2016'],
    ['year:{2015 TO *}', 'write year:2015.. instead'],
    ['"steel ro*"', 'write "steel ro*" without them'],
    ['v.*:5', 'as in *.name'],
    ['*.*:5', 'as in *.name'],
    ['updated:yesterday', 'write updated:2024-05-01'],
    ['updated:2026-02-30', 'write updated:2024-05-01'],
    ['updated:>2026', 'write updated:2026..'],
    ['NOT *:*', 'has no word, so it finds nothing'],
  ]
  for (const [text, advice] of advised) {
    it(`"${text}" is not a query, and a note shows the correct form`, () => {
      const notes = parseQueryText(text).notes.filter(each => !each.includes('no letter'))

      expect(notes).to.have.length(1)
      expect(notes[0]).to.contain(advice)
    })
  }

  it('has no note on words that only look like a query', () => {
    for (const text of [
      'Steel: a history',
      'e.g.: rod',
      '3.5: 1',
      'a > b',
      '"a * b"',
      'updated',
      'title:[a]',
    ])
      expect(
        parseQueryText(text).notes.filter(each => !each.includes('no letter')),
        text,
      ).to.deep.equal([])
  })

  it('finds nothing, and has a note, if it has only symbols and operators', () => {
    const parts = ['-', '**', '(', ')', '""', ' ', '?', '+', ' OR ', ' NOT ', ' AND ', '𝄞', '\t', '*:**']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), chosen => {
        const text = chosen.join('')
        fc.pre(text.trim() !== '')
        const { condition, notes } = parseQueryText(text)
        expect(condition).to.deep.equal({ type: 'not', condition: { type: 'all' } })
        expect(notes.at(-1)).to.contain('has no word, so it finds nothing')
      }),
    )
  })

  it('is always a query of bounded size', () => {
    fc.assert(
      fc.property(arbitraryQueryText(3000), asked => {
        expect(sizeOf(parseQueryText(asked).condition)).to.be.at.most(1000)
      }),
    )
  })

  it('of a million characters is cut', () => {
    for (const part of ['(', ')', '"', '-', 'a:', 'OR ', 'a ', '*', '(a OR ', '-(', 'é'])
      expect(sizeOf(parseQueryText(part.repeat(1_000_000)).condition)).to.be.at.most(1000)
  })
})

function sizeOf(condition: SearchCondition): number {
  if (condition.type === 'not') return 1 + sizeOf(condition.condition)
  if (condition.type !== 'and' && condition.type !== 'or') return 1
  return condition.conditions.reduce((sum, part) => sum + sizeOf(part), 1)
}
