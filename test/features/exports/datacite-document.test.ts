// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { dataCiteDocument } from '../../../src/features/exports/datacite/record-to-datacite.js'
import {
  arbitraryStoredRecord,
  describedSample,
  fullRecord,
  revisionOf,
  sampleContext,
  sampleRecords,
} from '../../support/exports/sample-records.js'

/** Every text in a value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

describe('The DataCite document of a record', () => {
  it('has the mandatory members of DataCite for any record', () => {
    fc.assert(
      fc.property(arbitraryStoredRecord(), record => {
        const { document } = describedSample(record)
        expect(document.titles[0].title.trim()).to.not.equal('')
        expect(document.creators.length).to.be.greaterThan(0)
        expect(document.publisher.name.trim()).to.not.equal('')
        expect(document.publicationYear).to.match(/^\d{4}$/)
        expect(document.identifiers[0].identifier.trim()).to.not.equal('')
        for (const text of textsIn(document)) {
          expect(text.trim(), JSON.stringify(text)).to.not.equal('')
          expect(text).to.not.match(/(?![\t\n\r])[\p{Cc}\p{Cs}]/u)
        }
      }),
    )
  })

  it('fills an empty record', () => {
    const document = dataCiteDocument(revisionOf({}), sampleContext)

    expect(document).to.deep.include({
      url: 'https://metastore.example.org/metadata-landing-page?id=sample',
      identifiers: [
        {
          identifier: 'https://metastore.example.org/metadata-landing-page?id=sample',
          identifierType: 'URL',
        },
      ],
      creators: [{ name: '(:unav)' }],
      publisher: { name: '(:unav)' },
      titles: [{ title: 'sample' }],
      publicationYear: '2025',
      types: { resourceTypeGeneral: 'Model', resourceType: 'JSON_Metadata' },
      version: '3',
    })
  })

  it('omits the service itself as creator and as publisher', () => {
    const { document } = describedSample(sampleRecords['a record of a service without authentication'])

    expect(document.creators).to.deep.equal([{ name: '(:unav)' }])
    expect(document.publisher).to.deep.equal({ name: '(:unav)' })
    expect(document).to.not.have.property('doi')
  })

  it('spells types and relations as in DataCite', () => {
    const { document } = describedSample(fullRecord)

    expect(document.doi).to.equal('10.5072/Steel-Rod_7')
    expect(document.relatedIdentifiers).to.deep.equal([
      {
        relatedIdentifier: 'https://example.org/images/7',
        relatedIdentifierType: 'URL',
        relationType: 'IsMetadataFor',
      },
      { relatedIdentifier: '10.5072/abc', relatedIdentifierType: 'DOI', relationType: 'Cites' },
      {
        relatedIdentifier: 'arXiv:2601.00001',
        relatedIdentifierType: 'arXiv',
        relationType: 'References',
      },
      {
        relatedIdentifier: 'https://metastore.example.org/metadata-landing-page?id=known',
        relatedIdentifierType: 'URL',
        relationType: 'IsPartOf',
      },
      {
        relatedIdentifier: '9783161484100',
        relatedIdentifierType: 'EAN13',
        relationType: 'IsDerivedFrom',
      },
      {
        relatedIdentifier: 'https://metastore.example.org/schema-landing-page?schemaId=measurement&version=2',
        relatedIdentifierType: 'URL',
        relationType: 'HasMetadata',
        relatedMetadataScheme: 'measurement',
        schemeUri: 'https://metastore.example.org/download/schemas/measurement?version=2',
        schemeType: 'JSON Schema',
      },
      {
        relatedIdentifier: 'https://metastore.example.org/metadata-landing-page?id=sample&version=2',
        relatedIdentifierType: 'URL',
        relationType: 'IsNewVersionOf',
      },
    ])
    expect(document.creators[0]).to.deep.equal({
      name: 'Lovelace, Ada King',
      nameType: 'Personal',
      givenName: 'Ada King',
      familyName: 'Lovelace',
      affiliation: [{ name: 'University of London' }, { name: 'Royal Society' }],
    })
    expect(document.creators[1]).to.deep.equal({ name: 'Institute of Steel & Iron' })
    expect(document.rightsList[0]).to.deep.equal({
      rights: 'CC-BY-4.0',
      rightsUri: 'https://creativecommons.org/licenses/by/4.0/legalcode',
      rightsIdentifier: 'CC-BY-4.0',
      rightsIdentifierScheme: 'SPDX',
      schemeUri: 'https://spdx.org/licenses/',
    })
  })

  it('finds licences by the addresses in records of version 1', () => {
    const licence = (schemeUri: string) =>
      describedSample({ rights: [{ schemeId: schemeUri.slice(schemeUri.lastIndexOf('/')), schemeUri }] })
        .document.rightsList[0]

    expect(licence('https://www.apache.org/licenses/LICENSE-2.0')).to.include({
      rights: 'https://www.apache.org/licenses/LICENSE-2.0',
      rightsIdentifier: 'Apache-2.0',
    })
    expect(licence('http://creativecommons.org/publicdomain/zero/1.0/')?.rightsIdentifier).to.equal('CC0-1.0')
    expect(licence('https://spdx.org/licenses/MIT.html')?.rightsIdentifier).to.equal('MIT')
    expect(licence('https://example.org/licence')).to.not.have.property('rightsIdentifier')
  })

  it('closes polygons, and omits places that are not on earth', () => {
    const [place] = describedSample(fullRecord).document.geoLocations ?? []
    const { document } = describedSample(sampleRecords['a record with values that are none'])

    expect(place?.geoLocationPolygon).to.have.length(4)
    expect(place?.geoLocationPolygon?.at(-1)).to.deep.equal(place?.geoLocationPolygon?.[0])
    expect(document).to.not.have.property('geoLocations')
  })

  it('names the level of access', () => {
    const closed = sampleRecords['a record that is not public']
    const access = (isPublic: boolean, record: Parameters<typeof describedSample>[0] = closed) =>
      describedSample(record, {}, { isPublic }).document.rightsList.at(-1)?.rights

    expect(access(true)).to.equal('open access')
    expect(access(false)).to.equal('embargoed access')
    expect(access(false, {})).to.equal('restricted access')
  })

  it('names the version in its addresses if the request does', () => {
    const { document } = describedSample({}, {}, { isPinned: true })

    expect(document.url).to.equal('https://metastore.example.org/metadata-landing-page?id=sample&version=3')
  })
})
