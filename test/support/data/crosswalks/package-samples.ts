import type { KnownSample } from './known-sample.js'

/*
 * RO-Crate and DataCite JSON in the forms that repositories publish.
 */

export const packageSamples: readonly KnownSample[] = [
  {
    title:
      'RO-Crate 1.2 with its own address, two authors of whom one is not in the graph, a grant, a place and an article',
    schema: 'RO-Crate',
    document: {
      '@context': [
        'https://w3id.org/ro/crate/1.2/context',
        {
          depth: 'https://example.org/terms#depth',
        },
      ],
      '@graph': [
        {
          '@id': 'ro-crate-metadata.json',
          '@type': 'CreativeWork',
          about: {
            '@id': 'https://crates.example.org/pond/',
          },
          conformsTo: {
            '@id': 'https://w3id.org/ro/crate/1.2',
          },
        },
        {
          '@id': 'https://crates.example.org/pond/',
          '@type': 'Dataset',
          name: 'Ponds',
          alternateName: 'Small waters',
          description: 'Depths of ponds.',
          datePublished: '2024-05-06T07:08:09+00:00',
          identifier: {
            '@id': '#doi',
          },
          author: [
            {
              '@id': '#otto',
            },
            {
              '@id': 'https://orcid.org/0000-0001-5727-2427',
            },
          ],
          contributor: {
            '@id': '#group',
          },
          publisher: {
            '@id': 'https://ror.org/04wxnsj81',
          },
          license: 'https://creativecommons.org/licenses/by/4.0/',
          keywords: 'ponds, depth',
          funding: {
            '@id': '#grant',
          },
          citation: {
            '@id': 'https://doi.org/10.5072/pond-paper',
          },
          contentLocation: {
            '@id': '#place',
          },
          inLanguage: {
            '@id': '#english',
          },
          version: '1.1.0',
          hasPart: [
            {
              '@id': 'depth.csv',
            },
          ],
          temporalCoverage: '2020-01/2021-12',
        },
        {
          '@id': '#doi',
          '@type': 'PropertyValue',
          propertyID: 'https://registry.identifiers.org/registry/doi',
          value: 'doi:10.5072/pond',
          url: 'https://doi.org/10.5072/pond',
        },
        {
          '@id': '#otto',
          '@type': 'Person',
          name: 'Otto Teich',
          givenName: 'Otto',
          familyName: 'Teich',
          affiliation: [
            {
              '@id': 'https://ror.org/04wxnsj81',
            },
          ],
          email: 'otto@example.org',
        },
        {
          '@id': '#group',
          '@type': 'Organization',
          name: 'Pond Group',
        },
        {
          '@id': 'https://ror.org/04wxnsj81',
          '@type': 'Organization',
          name: 'Institute of Waters',
          url: 'https://waters.example.org',
        },
        {
          '@id': '#grant',
          '@type': 'Grant',
          name: 'Ponds of the plain',
          identifier: 'P-77',
          funder: {
            '@id': '#fund',
          },
        },
        {
          '@id': '#fund',
          '@type': 'Organization',
          name: 'Fund of Waters',
          identifier: 'https://doi.org/10.13039/501100001659',
        },
        {
          '@id': 'https://doi.org/10.5072/pond-paper',
          '@type': 'ScholarlyArticle',
          name: 'On ponds',
        },
        {
          '@id': '#place',
          '@type': 'Place',
          name: 'The plain',
          geo: {
            '@id': '#point',
          },
        },
        {
          '@id': '#point',
          '@type': 'GeoCoordinates',
          latitude: '49.01',
          longitude: '8.40',
        },
        {
          '@id': '#english',
          '@type': 'Language',
          name: 'English',
          alternateName: 'en',
        },
        {
          '@id': 'depth.csv',
          '@type': 'File',
          name: 'Depths',
          encodingFormat: 'text/csv',
          contentSize: '2048',
        },
      ],
    },
    described: {
      identifier: [{ identifier: '10.5072/pond', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [
        {
          name: 'Otto Teich',
          nameType: 'Personal',
          givenName: 'Otto',
          familyName: 'Teich',
          affiliation: [
            {
              name: 'Institute of Waters',
              affiliationIdentifier: 'https://ror.org/04wxnsj81',
              affiliationIdentifierScheme: 'ROR',
              schemeUri: 'https://ror.org',
            },
          ],
        },
      ],
      titles: [{ title: 'Ponds' }, { title: 'Small waters', titleType: 'AlternativeTitle' }],
      publisher: [
        {
          name: 'Institute of Waters',
          publisherIdentifier: 'https://ror.org/04wxnsj81',
          publisherIdentifierScheme: 'ROR',
          schemeUri: 'https://ror.org',
        },
      ],
      publicationYear: ['2024'],
      subjects: [{ subject: 'ponds' }, { subject: 'depth' }],
      contributors: [{ contributorType: 'Other', name: 'Pond Group', nameType: 'Organizational' }],
      dates: [
        { date: '2024-05-06T07:08:09+00:00', dateType: 'Issued' },
        { date: '2020-01/2021-12', dateType: 'Coverage' },
      ],
      language: ['en'],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/pond-paper', relatedIdentifierType: 'DOI', relationType: 'References' },
      ],
      version: ['1.1.0'],
      rightsList: [
        {
          rights: 'https://creativecommons.org/licenses/by/4.0/',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Depths of ponds.', descriptionType: 'Abstract' }],
      geoLocations: [
        { geoLocationPlace: 'The plain', geoLocationPoint: { pointLongitude: 8.4, pointLatitude: 49.01 } },
      ],
      fundingReferences: [
        {
          funderName: 'Fund of Waters',
          funderIdentifier: 'https://doi.org/10.13039/501100001659',
          funderIdentifierType: 'Crossref Funder ID',
          awardNumber: 'P-77',
          awardTitle: 'Ponds of the plain',
        },
      ],
    },
  },
  {
    title: 'DataCite JSON of version 4.3: a box, a polygon, a scheme of metadata, a range of dates',
    schema: 'DataCite (JSON)',
    document: {
      types: {
        resourceType: 'Survey of wells',
        resourceTypeGeneral: 'Collection',
      },
      identifiers: [
        {
          identifierType: 'DOI',
          identifier: '10.5072/wells',
        },
      ],
      creators: [
        {
          nameType: 'Organizational',
          name: 'Well Office',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://ror.org/04wxnsj81',
              nameIdentifierScheme: 'ROR',
              schemeUri: 'https://ror.org',
            },
          ],
        },
      ],
      titles: [
        {
          title: 'Wells',
          lang: 'en',
        },
        {
          title: 'Brunnen',
          titleType: 'TranslatedTitle',
          lang: 'de',
        },
        {
          title: 'North and south',
          titleType: 'Subtitle',
        },
      ],
      publisher: 'Office of Waters',
      publicationYear: '2019',
      subjects: [
        {
          subject: 'wells',
          subjectScheme: 'Words',
          schemeUri: 'https://words.example.org',
          valueUri: 'https://words.example.org/wells',
          lang: 'en',
        },
      ],
      contributors: [
        {
          contributorType: 'DataCollector',
          nameType: 'Personal',
          name: 'Brunn, Bo',
          givenName: 'Bo',
          familyName: 'Brunn',
          affiliation: [
            {
              name: 'Well Office',
              affiliationIdentifier: 'https://ror.org/04wxnsj81',
              affiliationIdentifierScheme: 'ROR',
            },
          ],
        },
      ],
      dates: [
        {
          date: '2017-01-01/2018-12-31',
          dateType: 'Collected',
        },
        {
          date: '2019-02-03',
          dateType: 'Issued',
          dateInformation: 'first',
        },
      ],
      language: 'en',
      alternateIdentifiers: [
        {
          alternateIdentifierType: 'Local number',
          alternateIdentifier: 'W-5',
        },
      ],
      relatedIdentifiers: [
        {
          relatedIdentifier: '10.5072/wells-data',
          relatedIdentifierType: 'DOI',
          relationType: 'HasPart',
          resourceTypeGeneral: 'Dataset',
        },
        {
          relatedIdentifier: 'https://example.org/scheme.xsd',
          relatedIdentifierType: 'URL',
          relationType: 'HasMetadata',
          relatedMetadataScheme: 'Wells',
          schemeUri: 'https://example.org/wells',
          schemeType: 'XSD',
        },
      ],
      sizes: ['3 files', '20 MB'],
      formats: ['application/json'],
      version: '2.0',
      rightsList: [
        {
          rights: 'Creative Commons Attribution 4.0 International',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/legalcode',
          lang: 'en',
        },
        {
          rights: 'Open Access',
        },
      ],
      descriptions: [
        {
          description: 'All wells.',
          descriptionType: 'Abstract',
          lang: 'en',
        },
        {
          description: 'Measured with a rope.',
          descriptionType: 'Methods',
        },
      ],
      geoLocations: [
        {
          geoLocationPlace: 'North',
          geoLocationBox: {
            westBoundLongitude: 8,
            eastBoundLongitude: 9.5,
            southBoundLatitude: 49,
            northBoundLatitude: 50,
          },
        },
        {
          geoLocationPolygons: [
            {
              polygonPoints: [
                {
                  pointLongitude: 8,
                  pointLatitude: 47,
                },
                {
                  pointLongitude: 9,
                  pointLatitude: 47,
                },
                {
                  pointLongitude: 9,
                  pointLatitude: 48,
                },
                {
                  pointLongitude: 8,
                  pointLatitude: 47,
                },
              ],
            },
          ],
        },
      ],
      fundingReferences: [
        {
          funderName: 'Fund of Waters',
          funderIdentifier: 'https://doi.org/10.13039/501100001659',
          funderIdentifierType: 'Crossref Funder ID',
          awardNumber: 'W 1',
          awardUri: 'https://example.org/w1',
          awardTitle: 'Wells',
        },
      ],
      schemaVersion: 'http://datacite.org/schema/kernel-4',
    },
    described: {
      identifier: [{ identifier: '10.5072/wells', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'Survey of wells' }],
      creators: [
        {
          name: 'Well Office',
          nameType: 'Organizational',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://ror.org/04wxnsj81',
              nameIdentifierScheme: 'ROR',
              schemeUri: 'https://ror.org',
            },
          ],
        },
      ],
      titles: [
        { title: 'Wells', lang: 'en' },
        { title: 'Brunnen', titleType: 'TranslatedTitle', lang: 'de' },
        { title: 'North and south', titleType: 'Subtitle' },
      ],
      publisher: [{ name: 'Office of Waters' }],
      publicationYear: ['2019'],
      subjects: [
        {
          subject: 'wells',
          subjectScheme: 'Words',
          schemeUri: 'https://words.example.org',
          valueUri: 'https://words.example.org/wells',
          lang: 'en',
        },
      ],
      contributors: [
        {
          contributorType: 'DataCollector',
          name: 'Brunn, Bo',
          nameType: 'Personal',
          givenName: 'Bo',
          familyName: 'Brunn',
          affiliation: [
            {
              name: 'Well Office',
              affiliationIdentifier: 'https://ror.org/04wxnsj81',
              affiliationIdentifierScheme: 'ROR',
            },
          ],
        },
      ],
      dates: [
        { date: '2017-01-01/2018-12-31', dateType: 'Collected' },
        { date: '2019-02-03', dateType: 'Issued', dateInformation: 'first' },
      ],
      language: ['en'],
      alternateIdentifiers: [{ alternateIdentifier: 'W-5', alternateIdentifierType: 'Local number' }],
      relatedIdentifiers: [
        {
          relatedIdentifier: '10.5072/wells-data',
          relatedIdentifierType: 'DOI',
          relationType: 'HasPart',
          resourceTypeGeneral: 'Dataset',
        },
        {
          relatedIdentifier: 'https://example.org/scheme.xsd',
          relatedIdentifierType: 'URL',
          relationType: 'HasMetadata',
          relatedMetadataScheme: 'Wells',
          schemeUri: 'https://example.org/wells',
          schemeType: 'XSD',
        },
      ],
      sizes: ['3 files', '20 MB'],
      formats: ['application/json'],
      version: ['2.0'],
      rightsList: [
        {
          rights: 'Creative Commons Attribution 4.0 International',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/legalcode',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
          lang: 'en',
        },
        { rights: 'Open Access' },
      ],
      descriptions: [
        { description: 'All wells.', descriptionType: 'Abstract', lang: 'en' },
        { description: 'Measured with a rope.', descriptionType: 'Methods' },
      ],
      geoLocations: [
        {
          geoLocationPlace: 'North',
          geoLocationBox: {
            westBoundLongitude: 8,
            eastBoundLongitude: 9.5,
            southBoundLatitude: 49,
            northBoundLatitude: 50,
          },
        },
        {
          geoLocationPolygon: [
            { polygonPoint: { pointLongitude: 8, pointLatitude: 47 } },
            { polygonPoint: { pointLongitude: 9, pointLatitude: 47 } },
            { polygonPoint: { pointLongitude: 9, pointLatitude: 48 } },
            { polygonPoint: { pointLongitude: 8, pointLatitude: 47 } },
          ],
        },
      ],
      fundingReferences: [
        {
          funderName: 'Fund of Waters',
          funderIdentifier: 'https://doi.org/10.13039/501100001659',
          funderIdentifierType: 'Crossref Funder ID',
          awardNumber: 'W 1',
          awardUri: 'https://example.org/w1',
          awardTitle: 'Wells',
        },
      ],
    },
  },
  {
    title:
      'DataCite JSON as its interface gives it: a DOI in a member of its own, a name of one part, values that are null or empty',
    schema: 'DataCite (JSON)',
    document: {
      id: 'https://doi.org/10.5072/poem',
      doi: '10.5072/poem',
      url: 'https://poems.example.org/1',
      types: {
        ris: 'GEN',
        bibtex: 'misc',
        citeproc: 'article',
        schemaOrg: 'CreativeWork',
        resourceType: '',
        resourceTypeGeneral: 'Text',
      },
      creators: [
        {
          name: 'Reim, Rosa',
          nameType: 'Personal',
          givenName: 'Rosa',
          familyName: 'Reim',
          affiliation: [],
          nameIdentifiers: [],
        },
        {
          name: 'Homer',
          affiliation: [],
          nameIdentifiers: [],
        },
      ],
      titles: [
        {
          title: 'A poem',
        },
      ],
      publisher: {
        name: 'Poems Online',
      },
      container: {},
      subjects: [],
      contributors: [],
      dates: [
        {
          date: '2020',
          dateType: 'Issued',
        },
      ],
      publicationYear: 2020,
      language: null,
      identifiers: [],
      sizes: [],
      formats: [],
      version: null,
      rightsList: [
        {
          rights: 'Creative Commons Zero v1.0 Universal',
          rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/legalcode',
          schemeUri: 'https://spdx.org/licenses/',
          rightsIdentifier: 'cc0-1.0',
          rightsIdentifierScheme: 'SPDX',
        },
      ],
      descriptions: [
        {
          description: 'Lines on <i>rain</i>.',
          descriptionType: 'Other',
        },
      ],
      geoLocations: [],
      fundingReferences: [],
      relatedIdentifiers: [],
      relatedItems: [
        {
          relatedItemType: 'Book',
          relationType: 'IsPublishedIn',
          titles: [
            {
              title: 'All poems',
            },
          ],
          volume: '2',
          firstPage: '5',
        },
      ],
      schemaVersion: 'http://datacite.org/schema/kernel-4',
      providerId: 'ex',
      clientId: 'ex.poems',
      agency: 'datacite',
      state: 'findable',
    },
    described: {
      identifier: [{ identifier: '10.5072/poem', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Text' }],
      creators: [
        { name: 'Reim, Rosa', nameType: 'Personal', givenName: 'Rosa', familyName: 'Reim' },
        { name: 'Homer' },
      ],
      titles: [{ title: 'A poem' }],
      publisher: [{ name: 'Poems Online' }],
      publicationYear: ['2020'],
      dates: [{ date: '2020', dateType: 'Issued' }],
      relatedItems: [
        {
          relatedItemType: 'Book',
          relationType: 'IsPublishedIn',
          titles: [{ title: 'All poems' }],
          volume: '2',
          firstPage: '5',
        },
      ],
      rightsList: [
        {
          rights: 'Creative Commons Zero v1.0 Universal',
          rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/legalcode',
          rightsIdentifier: 'cc0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Lines on <i>rain</i>.', descriptionType: 'Other' }],
    },
  },
]
