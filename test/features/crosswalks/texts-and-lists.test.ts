// test-schedule: quick
import { expect } from 'chai'
import { readCrosswalk } from '../../../src/features/crosswalks/crosswalk/read-crosswalk.js'
import { describeDocument } from '../../../src/features/crosswalks/describe-document.js'
import { listedDescription } from '../../../src/features/exports/datacite/listed-description.js'
import { sourcedDocument } from '../../../src/features/exports/datacite/record-to-datacite.js'
import { recordWithDescription } from '../../../src/features/exports/datacite/record-with-description.js'
import { revisionOf, sampleContext } from '../../support/exports/sample-records.js'

/** The values of one property by a rule. */
function valuesOf(property: string, rule: unknown, document: unknown): readonly unknown[] {
  const { crosswalk, faults } = readCrosswalk({ [property]: rule })
  expect(faults).to.deep.equal([])
  const isXml = typeof document === 'string'
  const bytes = Buffer.from(isXml ? document : JSON.stringify(document))
  const described = describeDocument(bytes, isXml ? 'XML' : 'JSON', crosswalk)
  return Object.entries(described).flatMap(([name, found]) =>
    name === property ? found.map(({ value }) => value) : [],
  )
}

describe('Texts and lists in a crosswalk', () => {
  it('the text of an element may be its own one alone', () => {
    const xml = '<a><who>Ada<id>17</id> Example</who><who><id>18</id></who></a>'
    expect(valuesOf('creators', 'a.who.#text', xml)).to.deep.equal([{ name: 'Ada Example' }])
    expect(valuesOf('creators', 'a.who', xml)).to.deep.equal([{ name: 'Ada17 Example' }, { name: '18' }])
  })

  it('paragraphs and headings stand apart', () => {
    const xml = '<a><d><title>Aim</title><p>To <i>see</i>.</p><p>One<br/>two.</p></d></a>'
    const described = { description: 'Aim\n\nTo see.\n\nOne two.', descriptionType: 'Abstract' }
    expect(valuesOf('descriptions', 'a.d', xml)).to.deep.equal([described])
  })

  it('a text with several values gives an entry for each', () => {
    const rule = { each: 'a', subject: { path: 'k', split: ';' }, subjectScheme: 's' }
    const document = { a: [{ k: 'x; y', s: 'S' }, { k: ' ; z' }, { s: 'T' }] }
    expect(valuesOf('subjects', rule, document)).to.deep.equal([
      { subject: 'x', subjectScheme: 'S' },
      { subject: 'y', subjectScheme: 'S' },
      { subject: 'z' },
    ])
  })

  it('null holds its place in a list, and lists may be those of JSON-LD', () => {
    const date = { join: ['i[0]', 'i[1]'], with: '/' }
    const rule = { date, dateType: { constant: 'Collected' } }
    const datesOf = (i: unknown) => valuesOf('dates', rule, { i })
    expect(datesOf([[null, '2020']])).to.deep.equal([{ date: '/2020', dateType: 'Collected' }])
    expect(
      datesOf([
        ['2019', null],
        ['2020', null],
      ]),
    ).to.deep.equal([{ date: '2019/', dateType: 'Collected' }])
    expect(valuesOf('sizes', 's', { s: { '@list': ['a', null, 'b'] } })).to.deep.equal(['a', 'b'])
    expect(valuesOf('sizes', 's', { s: null })).to.deep.equal([])
  })

  it('an address is no name, a reference in the document no identifier, and only a DOI is one', () => {
    const names = ['https://example.org/ada', 'ada@example.org', 'mailto:ada@example.org', 'Ada']
    expect(valuesOf('creators', 'n', { n: names })).to.deep.equal([{ name: 'Ada' }])
    const publisher = (id: string) =>
      valuesOf('publisher', { name: 'p', publisherIdentifier: 'id' }, { p: 'Press', id })
    expect(publisher('#press')).to.deep.equal([{ name: 'Press' }])
    expect(publisher('https://ror.org/04wxnsj81')).to.deep.equal([
      {
        name: 'Press',
        publisherIdentifier: 'https://ror.org/04wxnsj81',
        publisherIdentifierScheme: 'ROR',
        schemeUri: 'https://ror.org',
      },
    ])
    const doi = { identifier: 'd', identifierType: { constant: 'DOI' } }
    expect(valuesOf('identifier', doi, { d: 'none' })).to.deep.equal([])
    expect(valuesOf('contributors', { name: 'n', contributorType: 't' }, { n: 'Ada' })).to.deep.equal([])
  })

  it('codes of access that a document states are no licences', () => {
    const licence = 'https://creativecommons.org/licenses/by/4.0/'
    const codes = [
      'info:eu-repo/semantics/openAccess',
      'http://purl.org/coar/access_right/c_16ec',
      'http://publications.europa.eu/resource/authority/access-right/PUBLIC',
    ]
    const bytes = Buffer.from(JSON.stringify({ r: [...codes, licence] }))
    const { crosswalk } = readCrosswalk({ rightsList: 'r' })
    const description = describeDocument(bytes, 'JSON', crosswalk)
    const described = sourcedDocument(revisionOf({}), { ...sampleContext, description })
    expect(described.document.rightsList).to.have.length(5)
    expect(listedDescription(revisionOf({}), description).licence).to.equal('CC-BY-4.0')
    const { rights } = recordWithDescription(revisionOf({}).record, described)
    expect(rights).to.deep.equal([{ schemeId: 'CC-BY-4.0', schemeUri: licence }])
  })
})
