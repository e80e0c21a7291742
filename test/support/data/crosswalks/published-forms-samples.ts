import type { KnownSample } from './known-sample.js'

/*
 * Documents in the forms that the authors of CodeMeta, RO-Crate and STAC publish as their examples, with other values.
 */

export const publishedFormsSamples: readonly KnownSample[] = [
  {
    title: 'CodeMeta 2 with the maintainer, the funder and an ORCID as @id, as CodeMeta describes itself',
    schema: 'CodeMeta',
    document: {
      '@context': 'https://doi.org/10.5063/schema/codemeta-2.0',
      '@type': 'SoftwareSourceCode',
      identifier: 'Creep',
      name: 'Creep: curves of creep tests',
      description: 'Draws curves.',
      codeRepository: 'https://example.org/creep',
      license: 'https://spdx.org/licenses/Apache-2.0',
      version: '2.0',
      author: [
        {
          '@type': 'Person',
          givenName: 'Ada B.',
          familyName: 'Example',
          email: 'ada@example.org',
          '@id': 'http://orcid.org/0000-0001-5727-2427',
        },
      ],
      contributor: [{ '@type': 'Person', givenName: 'Max', familyName: 'Roe' }],
      maintainer: { '@type': 'Person', givenName: 'Ada B.', familyName: 'Example' },
      funder: {
        '@id': 'https://doi.org/10.13039/501100001659',
        '@type': 'Organization',
        name: 'A Foundation',
      },
      funding: '1549758; Creep of metals',
      keywords: ['creep', 'metal'],
      dateCreated: '2017-06-05',
      datePublished: '2017-06-06',
    },
    described: {
      types: [{ resourceTypeGeneral: 'Software', resourceType: 'SoftwareSourceCode' }],
      creators: [
        {
          name: 'Example, Ada B.',
          nameType: 'Personal',
          givenName: 'Ada B.',
          familyName: 'Example',
          nameIdentifiers: [
            {
              nameIdentifier: 'http://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
        },
      ],
      titles: [{ title: 'Creep: curves of creep tests' }],
      publicationYear: ['2017'],
      subjects: [{ subject: 'creep' }, { subject: 'metal' }],
      contributors: [
        {
          contributorType: 'Other',
          name: 'Roe, Max',
          nameType: 'Personal',
          givenName: 'Max',
          familyName: 'Roe',
        },
        {
          contributorType: 'ContactPerson',
          name: 'Example, Ada B.',
          nameType: 'Personal',
          givenName: 'Ada B.',
          familyName: 'Example',
        },
      ],
      dates: [
        { date: '2017-06-06', dateType: 'Issued' },
        { date: '2017-06-05', dateType: 'Created' },
      ],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://example.org/creep',
          relatedIdentifierType: 'URL',
          relationType: 'IsVersionOf',
        },
      ],
      version: ['2.0'],
      rightsList: [
        {
          rights: 'https://spdx.org/licenses/Apache-2.0',
          rightsUri: 'https://spdx.org/licenses/Apache-2.0',
          rightsIdentifier: 'Apache-2.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Draws curves.', descriptionType: 'Abstract' }],
      fundingReferences: [
        {
          funderName: 'A Foundation',
          awardNumber: '1549758',
          funderIdentifier: 'https://doi.org/10.13039/501100001659',
          funderIdentifierType: 'Crossref Funder ID',
        },
      ],
    },
  },
  {
    title: 'CodeMeta 3 with terms without @',
    schema: 'CodeMeta',
    document: {
      '@context': 'https://w3id.org/codemeta/3.0',
      type: 'SoftwareSourceCode',
      name: 'rods',
      description: 'Measures rods.',
      author: [
        {
          id: '_:author_1',
          type: 'Person',
          givenName: 'Jane',
          familyName: 'Doe',
          affiliation: { type: 'Organization', name: 'Example Institute' },
        },
        { type: 'Organization', name: 'Rods Group' },
      ],
      license: 'https://spdx.org/licenses/MIT',
      dateModified: '2024-02-03',
      identifier: 'https://doi.org/10.5072/rods',
      version: '0.3.1',
    },
    described: {
      identifier: [{ identifier: '10.5072/rods', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Software', resourceType: 'SoftwareSourceCode' }],
      creators: [
        {
          name: 'Doe, Jane',
          nameType: 'Personal',
          givenName: 'Jane',
          familyName: 'Doe',
          affiliation: [{ name: 'Example Institute' }],
        },
        { name: 'Rods Group', nameType: 'Organizational' },
      ],
      titles: [{ title: 'rods' }],
      dates: [{ date: '2024-02-03', dateType: 'Updated' }],
      version: ['0.3.1'],
      rightsList: [
        {
          rights: 'https://spdx.org/licenses/MIT',
          rightsUri: 'https://spdx.org/licenses/MIT',
          rightsIdentifier: 'MIT',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Measures rods.', descriptionType: 'Abstract' }],
    },
  },
  {
    title: 'a small RO-Crate whose licence is an entity of the graph, and whose file has an author',
    schema: 'RO-Crate',
    document: {
      '@context': 'https://w3id.org/ro/crate/1.1/context',
      '@graph': [
        {
          '@type': 'CreativeWork',
          '@id': 'ro-crate-metadata.json',
          conformsTo: { '@id': 'https://w3id.org/ro/crate/1.1' },
          about: { '@id': './' },
        },
        {
          '@id': './',
          '@type': 'Dataset',
          identifier: 'https://doi.org/10.5072/rain',
          datePublished: '2018',
          name: 'Rain of 2018',
          description: 'Rain in a town.',
          license: { '@id': 'https://creativecommons.org/licenses/by-nc-sa/3.0/au/' },
          hasPart: [{ '@id': 'rain.csv' }],
        },
        {
          '@id': 'https://creativecommons.org/licenses/by-nc-sa/3.0/au/',
          '@type': 'CreativeWork',
          name: 'Attribution-NonCommercial-ShareAlike 3.0 Australia (CC BY-NC-SA 3.0 AU)',
        },
        { '@id': 'rain.csv', '@type': 'File', name: 'A file', author: { '@id': '#eve' } },
        { '@id': '#eve', '@type': 'Person', name: 'Sample, Eve' },
      ],
    },
    described: {
      identifier: [{ identifier: '10.5072/rain', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      titles: [{ title: 'Rain of 2018' }],
      publicationYear: ['2018'],
      dates: [{ date: '2018', dateType: 'Issued' }],
      rightsList: [
        {
          rights: 'Attribution-NonCommercial-ShareAlike 3.0 Australia (CC BY-NC-SA 3.0 AU)',
          rightsUri: 'https://creativecommons.org/licenses/by-nc-sa/3.0/au/',
        },
      ],
      descriptions: [{ description: 'Rain in a town.', descriptionType: 'Abstract' }],
    },
  },
  {
    title: 'STAC collection with a host and an interval without an end',
    schema: 'STAC',
    document: {
      id: 'steel-collection',
      type: 'Collection',
      stac_version: '1.0.0',
      description: 'Images of steel',
      title: 'Steel from above',
      keywords: ['steel'],
      providers: [
        { name: 'Far Data, Inc', roles: ['producer', 'processor'], url: 'http://far.example' },
        { name: 'Near Host', roles: ['host'] },
      ],
      extent: {
        spatial: { bbox: [[172.911, 1.343, 172.955, 1.3691]] },
        temporal: { interval: [['2020-12-11T09:06:43Z', null]] },
      },
      license: 'CC-BY-4.0',
      links: [],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'STAC collection' }],
      creators: [{ name: 'Far Data, Inc', nameType: 'Organizational' }],
      titles: [{ title: 'Steel from above' }],
      publisher: [{ name: 'Near Host' }],
      subjects: [{ subject: 'steel' }],
      contributors: [
        { contributorType: 'DataCurator', name: 'Far Data, Inc', nameType: 'Organizational' },
        { contributorType: 'HostingInstitution', name: 'Near Host', nameType: 'Organizational' },
      ],
      dates: [{ date: '2020-12-11T09:06:43Z/', dateType: 'Collected' }],
      alternateIdentifiers: [{ alternateIdentifier: 'steel-collection', alternateIdentifierType: 'STAC id' }],
      rightsList: [
        {
          rights: 'CC-BY-4.0',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Images of steel', descriptionType: 'Abstract' }],
      geoLocations: [
        {
          geoLocationBox: {
            westBoundLongitude: 172.911,
            eastBoundLongitude: 172.955,
            southBoundLatitude: 1.343,
            northBoundLatitude: 1.3691,
          },
        },
      ],
    },
  },
]
