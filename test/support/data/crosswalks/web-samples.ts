import type { KnownSample } from './known-sample.js'

/*
 * Documents of known schemas with what they say about themselves: the web.
 */

export const webSamples: readonly KnownSample[] = [
  {
    title: 'schema.org with a list of creators, a grant and a box',
    schema: 'schema.org and Bioschemas',
    document: {
      '@context': ['https://schema.org/', { prov: 'http://www.w3.org/ns/prov#' }],
      '@type': 'Dataset',
      '@id': 'https://data.example.org/id/17',
      identifier: [
        { '@type': 'PropertyValue', propertyID: 'local', value: 'set-17' },
        { '@type': 'PropertyValue', value: 'doi:10.5072/set-17' },
      ],
      name: { '@language': 'eng', '@value': 'Creep of nickel alloys' },
      alternateName: 'Creep data',
      description: 'First paragraph.\n\nSecond paragraph.',
      creator: {
        '@list': [
          {
            '@type': 'Person',
            name: 'Ada Example',
            givenName: 'Ada',
            familyName: 'Example',
            sameAs: 'https://orcid.org/0000-0001-5727-2427',
            affiliation: {
              '@type': 'Organization',
              name: 'Example Institute',
              '@id': 'https://ror.org/04wxnsj81',
            },
          },
          { '@type': 'Organization', name: 'Alloy Group' },
        ],
      },
      contributor: {
        '@type': 'Role',
        roleName: 'measured',
        contributor: { '@type': 'Person', name: 'Max Muster' },
      },
      publisher: { '@type': 'Organization', name: 'Example Repository', url: 'https://data.example.org' },
      datePublished: '2021-03-04',
      dateModified: '2022-01-01',
      temporalCoverage: '2019-01-01/2020-12-31',
      keywords: [
        {
          '@type': 'DefinedTerm',
          name: 'creep',
          inDefinedTermSet: 'https://vocabulary.example.org/',
          url: 'https://vocabulary.example.org/creep',
          termCode: 'c1',
        },
        'nickel, pure',
      ],
      inLanguage: 'English',
      license: 'https://creativecommons.org/licenses/by/4.0/',
      version: '2',
      citation: ['Example, A. (2020). A paper.', { '@id': 'https://doi.org/10.5072/paper', name: 'A paper' }],
      isPartOf: { '@id': 'https://data.example.org/id/1' },
      hasPart: { '@id': '#table' },
      distribution: { '@type': 'DataDownload', encodingFormat: 'text/csv', contentSize: '12 kB' },
      spatialCoverage: {
        '@type': 'Place',
        name: 'Test field',
        geo: { '@type': 'GeoShape', box: '48.9 8.3 49.1 8.5' },
      },
      funding: {
        '@type': 'MonetaryGrant',
        identifier: 'AB 12/3',
        name: 'Alloys',
        funder: {
          '@type': 'Organization',
          name: 'Example Funder',
          identifier: 'https://doi.org/10.13039/501100001659',
        },
      },
    },
    described: {
      identifier: [{ identifier: '10.5072/set-17', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [
        {
          name: 'Ada Example',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
          affiliation: [
            {
              name: 'Example Institute',
              affiliationIdentifier: 'https://ror.org/04wxnsj81',
              affiliationIdentifierScheme: 'ROR',
              schemeUri: 'https://ror.org',
            },
          ],
        },
        { name: 'Alloy Group', nameType: 'Organizational' },
      ],
      titles: [
        { title: 'Creep of nickel alloys', lang: 'en' },
        { title: 'Creep data', titleType: 'AlternativeTitle' },
      ],
      publisher: [{ name: 'Example Repository' }],
      publicationYear: ['2021'],
      subjects: [
        { subject: 'nickel, pure' },
        {
          subject: 'creep',
          subjectScheme: 'https://vocabulary.example.org/',
          valueUri: 'https://vocabulary.example.org/creep',
          classificationCode: 'c1',
        },
      ],
      contributors: [{ contributorType: 'Other', name: 'Max Muster', nameType: 'Personal' }],
      dates: [
        { date: '2021-03-04', dateType: 'Issued' },
        { date: '2022-01-01', dateType: 'Updated' },
        { date: '2019-01-01/2020-12-31', dateType: 'Coverage' },
      ],
      language: ['en'],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/paper', relatedIdentifierType: 'DOI', relationType: 'References' },
        {
          relatedIdentifier: 'https://data.example.org/id/1',
          relatedIdentifierType: 'URL',
          relationType: 'IsPartOf',
        },
      ],
      sizes: ['12 kB'],
      formats: ['text/csv'],
      version: ['2'],
      rightsList: [
        {
          rights: 'https://creativecommons.org/licenses/by/4.0/',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'First paragraph.\n\nSecond paragraph.', descriptionType: 'Abstract' }],
      geoLocations: [
        {
          geoLocationPlace: 'Test field',
          geoLocationBox: {
            westBoundLongitude: 8.3,
            eastBoundLongitude: 8.5,
            southBoundLatitude: 48.9,
            northBoundLatitude: 49.1,
          },
        },
      ],
      fundingReferences: [
        {
          funderName: 'Example Funder',
          funderIdentifier: 'https://doi.org/10.13039/501100001659',
          funderIdentifierType: 'Crossref Funder ID',
          awardNumber: 'AB 12/3',
          awardTitle: 'Alloys',
        },
      ],
    },
  },
  {
    title: 'schema.org with keywords in one text',
    schema: 'schema.org and Bioschemas',
    document: {
      '@context': 'http://schema.org',
      '@type': 'ScholarlyArticle',
      headline: 'On creep',
      author: 'Ada Example',
      keywords: 'creep, nickel',
      url: 'https://example.org/on-creep',
      dateCreated: '2018',
      contentLocation: 'Karlsruhe',
    },
    described: {
      identifier: [{ identifier: 'https://example.org/on-creep', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'JournalArticle', resourceType: 'ScholarlyArticle' }],
      creators: [{ name: 'Ada Example' }],
      titles: [{ title: 'On creep' }],
      publicationYear: ['2018'],
      subjects: [{ subject: 'creep' }, { subject: 'nickel' }],
      dates: [{ date: '2018', dateType: 'Created' }],
      geoLocations: [{ geoLocationPlace: 'Karlsruhe' }],
    },
  },
  {
    title: 'CodeMeta 3',
    schema: 'CodeMeta',
    document: {
      '@context': 'https://w3id.org/codemeta/3.0',
      type: 'SoftwareSourceCode',
      name: 'creeper',
      identifier: 'https://doi.org/10.5072/creeper',
      author: [
        {
          type: 'Person',
          id: 'https://orcid.org/0000-0001-5727-2427',
          givenName: 'Ada',
          familyName: 'Example',
        },
        { type: 'Role', 'schema:author': '_:a', roleName: 'dev' },
      ],
      maintainer: { type: 'Organization', name: 'Alloy Group' },
      codeRepository: 'https://git.example.org/creeper',
      license: 'https://spdx.org/licenses/Apache-2.0',
      softwareVersion: '1.4.0',
      datePublished: '2024-02-01',
      keywords: ['simulation'],
      description: 'Simulates creep.',
      funder: { type: 'Organization', name: 'Example Funder' },
    },
    described: {
      identifier: [{ identifier: '10.5072/creeper', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Software', resourceType: 'SoftwareSourceCode' }],
      creators: [
        {
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
        },
      ],
      titles: [{ title: 'creeper' }],
      publicationYear: ['2024'],
      subjects: [{ subject: 'simulation' }],
      contributors: [{ contributorType: 'ContactPerson', name: 'Alloy Group', nameType: 'Organizational' }],
      dates: [{ date: '2024-02-01', dateType: 'Issued' }],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://git.example.org/creeper',
          relatedIdentifierType: 'URL',
          relationType: 'IsVersionOf',
        },
      ],
      version: ['1.4.0'],
      rightsList: [
        {
          rights: 'https://spdx.org/licenses/Apache-2.0',
          rightsUri: 'https://spdx.org/licenses/Apache-2.0',
          rightsIdentifier: 'Apache-2.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Simulates creep.', descriptionType: 'Abstract' }],
      fundingReferences: [{ funderName: 'Example Funder' }],
    },
  },
  {
    title: 'RO-Crate, whose entities refer to each other',
    schema: 'RO-Crate',
    document: {
      '@context': 'https://w3id.org/ro/crate/1.1/context',
      '@graph': [
        {
          '@id': 'ro-crate-metadata.json',
          '@type': 'CreativeWork',
          about: { '@id': './' },
          conformsTo: { '@id': 'https://w3id.org/ro/crate/1.1' },
        },
        {
          '@id': 'https://orcid.org/0000-0001-5727-2427',
          '@type': 'Person',
          name: 'Ada Example',
          affiliation: { '@id': '#institute' },
        },
        { '@id': '#institute', '@type': 'Organization', name: 'Example Institute' },
        {
          '@id': './',
          '@type': 'Dataset',
          name: 'Creep tests',
          author: [{ '@id': 'https://orcid.org/0000-0001-5727-2427' }],
          datePublished: '2023-05-06',
          license: { '@id': 'https://spdx.org/licenses/CC0-1.0' },
          publisher: { '@id': '#institute' },
          hasPart: [{ '@id': 'data.csv' }],
        },
        { '@id': 'data.csv', '@type': 'File', name: 'Measurements', encodingFormat: 'text/csv' },
        {
          '@id': 'https://spdx.org/licenses/CC0-1.0',
          '@type': 'CreativeWork',
          name: 'CC0 1.0',
          identifier: 'CC0-1.0',
          url: 'https://creativecommons.org/publicdomain/zero/1.0/',
        },
      ],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [
        {
          name: 'Ada Example',
          nameType: 'Personal',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
          affiliation: [{ name: 'Example Institute' }],
        },
      ],
      titles: [{ title: 'Creep tests' }],
      publisher: [{ name: 'Example Institute' }],
      publicationYear: ['2023'],
      dates: [{ date: '2023-05-06', dateType: 'Issued' }],
      rightsList: [
        {
          rights: 'CC0 1.0',
          rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
    },
  },
  {
    title: 'DCAT-AP with titles in two languages',
    schema: 'DCAT-AP',
    document: {
      '@context': { dcat: 'http://www.w3.org/ns/dcat#', dct: 'http://purl.org/dc/terms/' },
      '@type': 'dcat:Dataset',
      '@id': 'https://data.example.org/set/bees',
      'dct:title': [
        { '@language': 'en', '@value': 'Bees' },
        { '@language': 'de', '@value': 'Bienen' },
      ],
      'dct:description': { '@language': 'en', '@value': 'Counts of bees.' },
      'dct:creator': {
        '@type': 'foaf:Person',
        '@id': 'https://orcid.org/0000-0001-5727-2427',
        'foaf:name': 'Ada Example',
      },
      'dct:publisher': { '@type': 'foaf:Organization', 'foaf:name': 'City of Example' },
      'dct:issued': { '@type': 'xsd:date', '@value': '2020-02-03' },
      'dct:modified': '2021-04-05',
      'dct:language': { '@id': 'http://publications.europa.eu/resource/authority/language/ENG' },
      'dcat:keyword': [{ '@language': 'en', '@value': 'bees' }],
      'dcat:theme': { '@id': 'http://publications.europa.eu/resource/authority/data-theme/ENVI' },
      'dcat:contactPoint': {
        '@type': 'vcard:Organization',
        'vcard:fn': 'Open data desk',
        'vcard:hasEmail': 'mailto:desk@example.org',
      },
      'dct:temporal': {
        '@type': 'dct:PeriodOfTime',
        'dcat:startDate': '2018-01-01',
        'dcat:endDate': '2018-12-31',
      },
      'dct:spatial': { '@type': 'dct:Location', 'skos:prefLabel': 'Example' },
      'dcat:distribution': {
        '@type': 'dcat:Distribution',
        'dct:license': { '@id': 'https://creativecommons.org/licenses/by/4.0/' },
      },
      'dct:isReferencedBy': { '@id': 'https://doi.org/10.5072/paper' },
      'dcat:version': '1.1',
    },
    described: {
      identifier: [{ identifier: 'https://data.example.org/set/bees', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [
        {
          name: 'Ada Example',
          nameType: 'Personal',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
        },
      ],
      titles: [
        { title: 'Bees', lang: 'en' },
        { title: 'Bienen', lang: 'de' },
      ],
      publisher: [{ name: 'City of Example' }],
      publicationYear: ['2020'],
      subjects: [
        { subject: 'bees', lang: 'en' },
        {
          subject: 'Environment',
          valueUri: 'http://publications.europa.eu/resource/authority/data-theme/ENVI',
        },
      ],
      contributors: [
        { contributorType: 'ContactPerson', name: 'Open data desk', nameType: 'Organizational' },
      ],
      dates: [
        { date: '2020-02-03', dateType: 'Issued' },
        { date: '2021-04-05', dateType: 'Updated' },
        { date: '2018-01-01/2018-12-31', dateType: 'Coverage' },
      ],
      language: ['en'],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/paper', relatedIdentifierType: 'DOI', relationType: 'IsReferencedBy' },
      ],
      version: ['1.1'],
      rightsList: [
        {
          rights: 'https://creativecommons.org/licenses/by/4.0/',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Counts of bees.', descriptionType: 'Abstract', lang: 'en' }],
      geoLocations: [{ geoLocationPlace: 'Example' }],
    },
  },
  {
    title: 'DCAT as a graph, in which terms refer to entities by their addresses',
    schema: 'DCAT-AP',
    document: {
      '@context': {
        title: { '@id': 'http://purl.org/dc/terms/title' },
        contactPoint: { '@id': 'http://www.w3.org/ns/dcat#contactPoint', '@type': '@id' },
      },
      '@graph': [
        { '@id': 'ex:desk', '@type': 'v:Individual', 'v:fn': 'Max Muster' },
        { '@id': 'ex:file', '@type': 'dcat:Distribution', title: 'A file' },
        {
          '@id': 'ex:wasps',
          '@type': 'dcat:Dataset',
          title: 'Wasps',
          creator: 'https://orcid.org/0000-0001-5727-2427',
          contactPoint: 'ex:desk',
          license: 'https://creativecommons.org/publicdomain/zero/1.0/',
          landingPage: 'https://data.example.org/wasps',
        },
      ],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      titles: [{ title: 'Wasps' }],
      contributors: [{ contributorType: 'ContactPerson', name: 'Max Muster', nameType: 'Personal' }],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://data.example.org/wasps',
          relatedIdentifierType: 'URL',
          relationType: 'IsDescribedBy',
        },
      ],
      rightsList: [
        {
          rights: 'https://creativecommons.org/publicdomain/zero/1.0/',
          rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
    },
  },
  {
    title: 'a citation file',
    schema: 'Citation File Format',
    document: {
      'cff-version': '1.2.0',
      message: 'Please cite.',
      title: 'creeper',
      type: 'software',
      version: '1.4.0',
      doi: '10.5072/creeper',
      'date-released': '2024-02-01',
      license: 'Apache-2.0',
      abstract: 'Simulates creep.',
      authors: [
        {
          'given-names': 'Ada',
          'name-particle': 'von',
          'family-names': 'Example',
          'name-suffix': 'II',
          orcid: 'https://orcid.org/0000-0001-5727-2427',
          affiliation: 'Example Institute',
        },
        { name: 'Alloy Group' },
      ],
      contact: [{ 'given-names': 'Max', 'family-names': 'Muster' }],
      keywords: ['creep'],
      identifiers: [
        { type: 'doi', value: '10.5072/creeper' },
        { type: 'swh', value: 'swh:1:rel:99f6850374dc6597af01bd0ee1d3fc0699301b9f' },
      ],
      'repository-code': 'https://git.example.org/creeper',
      url: 'https://creeper.example.org',
    },
    described: {
      identifier: [{ identifier: '10.5072/creeper', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Software', resourceType: 'software' }],
      creators: [
        {
          name: 'von Example II, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'von Example II',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
          affiliation: [{ name: 'Example Institute' }],
        },
        { name: 'Alloy Group', nameType: 'Organizational' },
      ],
      titles: [{ title: 'creeper' }],
      publicationYear: ['2024'],
      subjects: [{ subject: 'creep' }],
      contributors: [
        {
          contributorType: 'ContactPerson',
          name: 'Muster, Max',
          nameType: 'Personal',
          givenName: 'Max',
          familyName: 'Muster',
        },
      ],
      dates: [{ date: '2024-02-01', dateType: 'Issued' }],
      alternateIdentifiers: [
        {
          alternateIdentifier: 'swh:1:rel:99f6850374dc6597af01bd0ee1d3fc0699301b9f',
          alternateIdentifierType: 'SWHID',
        },
      ],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://git.example.org/creeper',
          relatedIdentifierType: 'URL',
          relationType: 'IsVersionOf',
        },
        {
          relatedIdentifier: 'https://creeper.example.org',
          relatedIdentifierType: 'URL',
          relationType: 'IsDescribedBy',
        },
      ],
      version: ['1.4.0'],
      rightsList: [
        {
          rights: 'Apache-2.0',
          rightsUri: 'https://spdx.org/licenses/Apache-2.0.html',
          rightsIdentifier: 'Apache-2.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Simulates creep.', descriptionType: 'Abstract' }],
    },
  },
  {
    title: 'a citation file of a data set',
    schema: 'Citation File Format',
    document: {
      'cff-version': '1.2.0',
      title: 'Creep tests',
      type: 'dataset',
      authors: [{ alias: 'ada' }],
      identifiers: [
        { type: 'url', value: 'https://example.org/x' },
        { type: 'doi', value: '10.5072/tests' },
      ],
      'license-url': 'https://example.org/licence',
    },
    described: {
      identifier: [{ identifier: '10.5072/tests', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'dataset' }],
      creators: [{ name: 'ada' }],
      titles: [{ title: 'Creep tests' }],
      alternateIdentifiers: [
        { alternateIdentifier: 'https://example.org/x', alternateIdentifierType: 'URL' },
      ],
      rightsList: [{ rights: 'https://example.org/licence', rightsUri: 'https://example.org/licence' }],
    },
  },
  {
    title: 'a data package of version 1',
    schema: 'Frictionless data package',
    document: {
      profile: 'tabular-data-package',
      name: 'creep-tests',
      id: 'https://doi.org/10.5072/tests',
      title: 'Creep tests',
      version: '1.0.0',
      created: '2022-03-04T10:00:00Z',
      description: 'Tests.',
      keywords: ['creep'],
      homepage: 'https://example.org/tests',
      contributors: [
        {
          title: 'Ada Example',
          role: 'author',
          path: 'https://orcid.org/0000-0001-5727-2427',
          organization: 'Example Institute',
        },
        { title: 'Example Repository', role: 'publisher' },
        { title: 'Max Muster', role: 'wrangler' },
        { title: 'Eve Sample' },
      ],
      sources: [{ title: 'Old tests', path: 'https://example.org/old' }],
      licenses: [
        {
          name: 'CC-BY-4.0',
          title: 'Creative Commons Attribution 4.0',
          path: 'https://creativecommons.org/licenses/by/4.0/',
        },
      ],
      resources: [{ name: 'tests', path: 'tests.csv', mediatype: 'text/csv' }],
    },
    described: {
      identifier: [{ identifier: '10.5072/tests', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Data package' }],
      creators: [
        {
          name: 'Ada Example',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
          affiliation: [{ name: 'Example Institute' }],
        },
      ],
      titles: [{ title: 'Creep tests' }],
      publisher: [{ name: 'Example Repository' }],
      publicationYear: ['2022'],
      subjects: [{ subject: 'creep' }],
      contributors: [
        { contributorType: 'DataCurator', name: 'Max Muster' },
        { contributorType: 'Other', name: 'Eve Sample' },
      ],
      dates: [{ date: '2022-03-04T10:00:00Z', dateType: 'Created' }],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://example.org/tests',
          relatedIdentifierType: 'URL',
          relationType: 'IsDescribedBy',
        },
        {
          relatedIdentifier: 'https://example.org/old',
          relatedIdentifierType: 'URL',
          relationType: 'IsDerivedFrom',
        },
      ],
      formats: ['text/csv'],
      version: ['1.0.0'],
      rightsList: [
        {
          rights: 'Creative Commons Attribution 4.0',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Tests.', descriptionType: 'Abstract' }],
    },
  },
  {
    title: 'a data package of version 2',
    schema: 'Frictionless data package',
    document: {
      $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
      name: 'creep-tests',
      contributors: [{ givenName: 'Ada', familyName: 'Example', roles: ['creator', 'contact'] }],
      resources: [{ name: 'tests', data: [], format: 'csv' }],
      licenses: [{ name: 'CC0-1.0' }],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Data package' }],
      creators: [{ name: 'Example, Ada', nameType: 'Personal', givenName: 'Ada', familyName: 'Example' }],
      titles: [{ title: 'creep-tests' }],
      contributors: [
        {
          contributorType: 'ContactPerson',
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
        },
      ],
      formats: ['csv'],
      rightsList: [
        {
          rights: 'CC0-1.0',
          rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
    },
  },
  {
    title: 'a STAC item',
    schema: 'STAC',
    document: {
      type: 'Feature',
      stac_version: '1.0.0',
      id: 'scene-7',
      bbox: [8.3, 48.9, 100, 8.5, 49.1, 200],
      geometry: null,
      properties: {
        title: 'Scene 7',
        description: 'A scene.',
        datetime: null,
        start_datetime: '2020-12-11T22:38:32Z',
        end_datetime: '2020-12-11T22:39:00Z',
        created: '2021-01-02T03:04:05Z',
        license: 'CC-BY-4.0',
        keywords: ['scene'],
        providers: [
          { name: 'Example Space Agency', roles: ['producer', 'licensor'] },
          { name: 'Example Cloud', roles: ['host'] },
        ],
        'sci:doi': '10.5072/scene-7',
        'sci:publications': [{ doi: '10.5072/paper' }],
      },
      links: [
        { rel: 'collection', href: 'https://stac.example.org/collections/scenes' },
        { rel: 'derived_from', href: 'https://stac.example.org/raw/7' },
      ],
      assets: {},
    },
    described: {
      identifier: [{ identifier: '10.5072/scene-7', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'STAC item' }],
      creators: [{ name: 'Example Space Agency', nameType: 'Organizational' }],
      titles: [{ title: 'Scene 7' }],
      publisher: [{ name: 'Example Cloud' }],
      publicationYear: ['2021'],
      subjects: [{ subject: 'scene' }],
      contributors: [
        { contributorType: 'RightsHolder', name: 'Example Space Agency', nameType: 'Organizational' },
        { contributorType: 'HostingInstitution', name: 'Example Cloud', nameType: 'Organizational' },
      ],
      dates: [
        { date: '2021-01-02T03:04:05Z', dateType: 'Created' },
        { date: '2020-12-11T22:38:32Z/2020-12-11T22:39:00Z', dateType: 'Collected' },
      ],
      alternateIdentifiers: [{ alternateIdentifier: 'scene-7', alternateIdentifierType: 'STAC id' }],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/paper', relatedIdentifierType: 'DOI', relationType: 'IsReferencedBy' },
        {
          relatedIdentifier: 'https://stac.example.org/raw/7',
          relatedIdentifierType: 'URL',
          relationType: 'IsDerivedFrom',
        },
        {
          relatedIdentifier: 'https://stac.example.org/collections/scenes',
          relatedIdentifierType: 'URL',
          relationType: 'IsPartOf',
        },
      ],
      rightsList: [
        {
          rights: 'CC-BY-4.0',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'A scene.', descriptionType: 'Abstract' }],
      geoLocations: [
        {
          geoLocationBox: {
            westBoundLongitude: 8.3,
            eastBoundLongitude: 8.5,
            southBoundLatitude: 48.9,
            northBoundLatitude: 49.1,
          },
        },
      ],
    },
  },
  {
    title: 'a STAC collection with several boxes and intervals',
    schema: 'STAC',
    document: {
      type: 'Collection',
      stac_version: '1.1.0',
      id: 'scenes',
      description: 'Scenes.',
      license: 'other',
      providers: [{ name: 'Example Cloud', roles: ['host'] }],
      extent: {
        spatial: {
          bbox: [
            [-180, -90, 180, 90],
            [8.3, 48.9, 8.5, 49.1],
          ],
        },
        temporal: {
          interval: [
            ['2015-06-23T00:00:00Z', null],
            ['2016-01-01T00:00:00Z', null],
          ],
        },
      },
      links: [{ rel: 'license', href: 'https://example.org/terms', title: 'Terms' }],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'STAC collection' }],
      titles: [{ title: 'scenes' }],
      publisher: [{ name: 'Example Cloud' }],
      contributors: [
        { contributorType: 'HostingInstitution', name: 'Example Cloud', nameType: 'Organizational' },
      ],
      dates: [{ date: '2015-06-23T00:00:00Z/', dateType: 'Collected' }],
      alternateIdentifiers: [{ alternateIdentifier: 'scenes', alternateIdentifierType: 'STAC id' }],
      rightsList: [{ rights: 'Terms', rightsUri: 'https://example.org/terms' }],
      descriptions: [{ description: 'Scenes.', descriptionType: 'Abstract' }],
      geoLocations: [
        {
          geoLocationBox: {
            westBoundLongitude: -180,
            eastBoundLongitude: 180,
            southBoundLatitude: -90,
            northBoundLatitude: 90,
          },
        },
      ],
    },
  },
]
