// test-schedule: quick
import { expect } from 'chai'
import { describeSample, valuesOf } from '../../../support/data/crosswalks/known-sample.js'

const described = (document: unknown) => valuesOf(describeSample(document))
const creatorsOf = (author: unknown) =>
  (described({ author }).creators ?? []).map(creator => (creator as { readonly name: string }).name)

describe('A document of an unknown schema', () => {
  it('is described by members whose names leave no doubt', () => {
    const document = {
      titles: [{ title: 'Creep tests' }, { title: 'More' }],
      creators: [
        {
          firstName: 'Ada',
          lastName: 'Example',
          orcid: '0000-0001-5727-2427',
          affiliation: { name: 'Example Institute' },
        },
        { name: 'Alloy Group' },
      ],
      doi: 'https://doi.org/10.5072/creep',
      publicationYear: 1999,
      language: 'German',
      tags: [{ name: 'creep' }],
      license: { name: 'CC BY 4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
      publisher: { name: 'Example Repository' },
      description: 'About creep.',
      instrument: { name: 'A microscope', author: 'Eve Sample' },
    }
    expect(described(document)).to.deep.equal({
      identifier: [{ identifier: '10.5072/creep', identifierType: 'DOI' }],
      creators: [
        {
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          nameIdentifiers: [
            {
              nameIdentifier: '0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
          affiliation: [{ name: 'Example Institute' }],
        },
        { name: 'Alloy Group' },
      ],
      titles: [{ title: 'Creep tests' }],
      publisher: [{ name: 'Example Repository' }],
      publicationYear: ['1999'],
      subjects: [{ subject: 'creep' }],
      language: ['de'],
      rightsList: [
        {
          rights: 'CC BY 4.0',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'About creep.', descriptionType: 'Abstract' }],
    })
  })

  it('may have all members in a single one, or be XML', () => {
    const entry = { title: 'Sample 3', startTime: '2020-01-02', keywords: 'steel; fatigue', version: 2 }
    expect(described({ entry })).to.deep.equal({
      titles: [{ title: 'Sample 3' }],
      subjects: [{ subject: 'steel' }, { subject: 'fatigue' }],
      version: ['2'],
    })
    const xml =
      '<study><title>Creep</title><author>Marie Curie</author><author>SELF</author><date>1911-05-06</date></study>'
    expect(described(xml)).to.deep.equal({
      creators: [{ name: 'Marie Curie' }],
      titles: [{ title: 'Creep' }],
      publicationYear: ['1911'],
      dates: [{ date: '1911-05-06', dateType: 'Other' }],
    })
  })

  it('has no people in free text', () => {
    const names = ['Ada Lovelace', 'Curie, M.', 'Leonardo da Vinci', 'Đorđe O’Neill-Šarić', '山田 太郎']
    expect(creatorsOf(names)).to.deep.equal(names)
    const others = [
      ...['SELF', 'admin', 'ada@example.org', 'https://orcid.org/0000-0001-5727-2427', 'user 17'],
      ...[
        'measured by the night shift',
        'The data were taken by Max.',
        'Ada Lovelace; Marie Curie',
        'n/a',
        '',
      ],
      ...[
        'Ada Lovelace and Marie Curie',
        'Curie, M., Lovelace, A.',
        'Ada Lovelace (Institute)',
        'mailto:a@b.c',
      ],
    ]
    expect(creatorsOf(others)).to.deep.equal([])
    expect(creatorsOf('Ada Lovelace')).to.deep.equal(['Ada Lovelace'])
    expect(
      creatorsOf([...Array.from({ length: 101 }, (_, index) => `user ${index}`), 'Ada Lovelace']),
    ).to.deep.equal([])
    expect(described({ publisher: 'https://example.org', title: 'T' })).to.deep.equal({
      titles: [{ title: 'T' }],
    })
  })

  it('says nothing by members of other types, or of no object', () => {
    const document = {
      title: { en: 'T' },
      author: 7,
      date: 'soon',
      license: [],
      language: 'Klingonese',
      doi: 'none',
    }
    expect(described(document)).to.deep.equal({})
    expect(described([{ title: 'In a list' }])).to.deep.equal({})
    expect(described('<a>text</a>')).to.deep.equal({})
  })
})
