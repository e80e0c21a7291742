import type { KnownSample } from './known-sample.js'

/*
 * Linked data in the forms that programs write: prefixes, whole addresses, lists of entities, crates on the web, and RDF in
 * XML.
 */

export const linkedDataSamples: readonly KnownSample[] = [
  {
    title: 'schema.org with a prefix, a DOI behind another identifier, and an ORCID with its own prefix',
    schema: 'schema.org and Bioschemas',
    document: {
      '@context': { schema: 'http://schema.org/' },
      '@type': ['schema:Dataset', 'prov:Entity'],
      'schema:name': 'Carbon in sea water',
      'schema:identifier': ['https://data.example.org/17', 'https://doi.org/10.5072/carbon'],
      'schema:creator': [
        {
          '@type': 'schema:Person',
          'schema:name': 'Ada Example',
          'schema:identifier': {
            '@type': 'schema:PropertyValue',
            'schema:value': 'orcid:0000-0001-5727-2427',
          },
          'schema:affiliation': {
            '@type': 'schema:Organization',
            '@id': 'https://ror.org/04wxnsj81',
            'schema:name': 'Example Institute',
          },
        },
      ],
      'schema:datePublished': '2017-05-01',
      'schema:license': { '@id': 'https://creativecommons.org/licenses/by/4.0/' },
      'schema:spatialCoverage': {
        '@type': 'schema:Place',
        'schema:geo': { '@type': 'schema:GeoShape', 'schema:box': '18.5 -65 72 172' },
      },
    },
    described: {
      alternateIdentifiers: [
        { alternateIdentifier: 'https://data.example.org/17', alternateIdentifierType: 'URL' },
      ],
      identifier: [{ identifier: '10.5072/carbon', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [
        {
          name: 'Ada Example',
          nameType: 'Personal',
          nameIdentifiers: [
            {
              nameIdentifier: '0000-0001-5727-2427',
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
      ],
      titles: [{ title: 'Carbon in sea water' }],
      publicationYear: ['2017'],
      dates: [{ date: '2017-05-01', dateType: 'Issued' }],
      rightsList: [
        {
          rights: 'https://creativecommons.org/licenses/by/4.0/',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      geoLocations: [
        {
          geoLocationBox: {
            westBoundLongitude: -65,
            eastBoundLongitude: 172,
            southBoundLatitude: 18.5,
            northBoundLatitude: 72,
          },
        },
      ],
    },
  },
  {
    title: 'schema.org with whole addresses as terms, in a list of entities that refer to each other',
    schema: 'schema.org and Bioschemas',
    document: [
      {
        '@id': '#ada',
        '@type': ['https://schema.org/Person'],
        'https://schema.org/name': [{ '@value': 'Ada Example' }],
      },
      {
        '@id': 'https://data.example.org/18',
        '@type': ['https://schema.org/Dataset'],
        'https://schema.org/name': [{ '@value': 'Kohlenstoff', '@language': 'de' }],
        'https://schema.org/author': [{ '@id': '#ada' }],
        'https://schema.org/keywords': [{ '@value': 'sea, carbon' }],
        'https://schema.org/dateModified': [{ '@type': 'https://schema.org/Date', '@value': '2020-02-03' }],
      },
    ],
    described: {
      identifier: [{ identifier: 'https://data.example.org/18', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [{ name: 'Ada Example', nameType: 'Personal' }],
      titles: [{ title: 'Kohlenstoff', lang: 'de' }],
      subjects: [{ subject: 'sea' }, { subject: 'carbon' }],
      dates: [{ date: '2020-02-03', dateType: 'Updated' }],
    },
  },
  {
    title: 'schema.org in a list with other entities of a page',
    schema: 'schema.org and Bioschemas',
    document: [
      { '@context': 'https://schema.org', '@type': 'BreadcrumbList', name: 'Path' },
      {
        '@context': 'https://schema.org',
        '@type': 'Dataset',
        name: 'Sea water',
        publisher: { '@type': 'Organization', name: 'Example Archive' },
      },
    ],
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      titles: [{ title: 'Sea water' }],
      publisher: [{ name: 'Example Archive' }],
    },
  },
  {
    title: 'RO-Crate 1.2 on the web, whose metadata file has a name of its own, beside another data set',
    schema: 'RO-Crate',
    document: {
      '@context': 'https://w3id.org/ro/crate/1.2/context',
      '@graph': [
        { '@id': 'https://data.example.org/other', '@type': 'Dataset', name: 'Another data set' },
        {
          '@id': 'https://data.example.org/sea-ro-crate-metadata.json',
          '@type': 'CreativeWork',
          conformsTo: [
            { '@id': 'https://w3id.org/ro/crate/1.2' },
            { '@id': 'https://data.example.org/profile' },
          ],
          about: { '@id': 'https://data.example.org/sea' },
        },
        {
          '@id': 'https://data.example.org/sea',
          '@type': 'Dataset',
          name: 'Sea water',
          description: 'Samples.',
          datePublished: '2024-05-17',
          license: { '@id': 'https://spdx.org/licenses/CC0-1.0' },
          author: [{ '@id': '#ada' }],
          mentions: [{ '@id': 'https://data.example.org/other' }],
        },
        { '@id': '#ada', '@type': 'Person', name: 'Ada Example' },
      ],
    },
    described: {
      identifier: [{ identifier: 'https://data.example.org/sea', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [{ name: 'Ada Example', nameType: 'Personal' }],
      titles: [{ title: 'Sea water' }],
      publicationYear: ['2024'],
      dates: [{ date: '2024-05-17', dateType: 'Issued' }],
      rightsList: [
        {
          rights: 'https://spdx.org/licenses/CC0-1.0',
          rightsUri: 'https://spdx.org/licenses/CC0-1.0',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Samples.', descriptionType: 'Abstract' }],
    },
  },
  {
    title: 'DCAT with whole addresses as terms',
    schema: 'DCAT-AP',
    document: [
      {
        '@id': 'https://data.example.org/air',
        '@type': ['http://www.w3.org/ns/dcat#Dataset'],
        'http://purl.org/dc/terms/title': [
          { '@value': 'Luft', '@language': 'de' },
          { '@value': 'Air', '@language': 'en' },
        ],
        'http://purl.org/dc/terms/publisher': [{ '@id': '_:city' }],
        'http://purl.org/dc/terms/issued': [
          { '@type': 'http://www.w3.org/2001/XMLSchema#date', '@value': '2020-05-05' },
        ],
        'http://purl.org/dc/terms/license': [{ '@id': 'http://dcat-ap.de/def/licenses/dl-by-de/2.0' }],
      },
      {
        '@id': '_:city',
        '@type': ['http://xmlns.com/foaf/0.1/Agent'],
        'http://xmlns.com/foaf/0.1/name': [{ '@value': 'Example City' }],
      },
    ],
    described: {
      identifier: [{ identifier: 'https://data.example.org/air', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      titles: [
        { title: 'Luft', lang: 'de' },
        { title: 'Air', lang: 'en' },
      ],
      publisher: [{ name: 'Example City' }],
      publicationYear: ['2020'],
      dates: [{ date: '2020-05-05', dateType: 'Issued' }],
      rightsList: [
        {
          rights: 'http://dcat-ap.de/def/licenses/dl-by-de/2.0',
          rightsUri: 'http://dcat-ap.de/def/licenses/dl-by-de/2.0',
          rightsIdentifier: 'DL-DE-BY-2.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
    },
  },
  {
    title: 'DCAT-AP 3 by its context, with names in languages and a bounding box',
    schema: 'DCAT-AP',
    document: {
      '@context': 'https://semiceu.github.io/DCAT-AP/releases/3.0.0/context/dcat-ap.jsonld',
      '@id': 'https://data.example.org/bees',
      '@type': 'Dataset',
      title: { en: 'Bees', el: ['Melisses'] },
      publisher: { '@type': 'Agent', name: { en: 'Example Ministry' } },
      creator: { '@type': 'Agent', name: ['Ada Example'] },
      releaseDate: '2023-06-01',
      licence: 'https://creativecommons.org/licenses/by/4.0/',
      geographicalCoverage: { '@type': 'Location', bbox: 'POLYGON((19 34, 29 34, 29 42, 19 42, 19 34))' },
    },
    described: {
      identifier: [{ identifier: 'https://data.example.org/bees', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [{ name: 'Ada Example' }],
      titles: [
        { title: 'Bees', lang: 'en' },
        { title: 'Melisses', lang: 'el' },
      ],
      publisher: [{ name: 'Example Ministry' }],
      publicationYear: ['2023'],
      dates: [{ date: '2023-06-01', dateType: 'Issued' }],
      rightsList: [
        {
          rights: 'https://creativecommons.org/licenses/by/4.0/',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      geoLocations: [
        {
          geoLocationBox: {
            westBoundLongitude: 19,
            eastBoundLongitude: 29,
            southBoundLatitude: 34,
            northBoundLatitude: 42,
          },
        },
      ],
    },
  },
  {
    title: 'DCAT-AP as RDF in XML, with a person, a geometry in two forms and a licence of the distribution',
    schema: 'DCAT-AP',
    document: `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcat="http://www.w3.org/ns/dcat#" xmlns:dct="http://purl.org/dc/terms/" xmlns:foaf="http://xmlns.com/foaf/0.1/" xmlns:vcard="http://www.w3.org/2006/vcard/ns#" xmlns:locn="http://www.w3.org/ns/locn#">
  <dcat:Dataset rdf:about="https://data.example.org/air">
    <dct:identifier>air-1</dct:identifier>
    <dct:title xml:lang="en">Air</dct:title><dct:title xml:lang="de">Luft</dct:title>
    <dct:description>Measured by stations.</dct:description>
    <dct:publisher rdf:resource="https://data.example.org/city"/>
    <dct:creator><foaf:Person rdf:about="https://orcid.org/0000-0001-5727-2427"><foaf:name>Ada Example</foaf:name></foaf:Person></dct:creator>
    <dct:issued rdf:datatype="http://www.w3.org/2001/XMLSchema#date">2019-02-03</dct:issued>
    <dcat:keyword xml:lang="en">air</dcat:keyword>
    <dcat:theme rdf:resource="http://publications.europa.eu/resource/authority/data-theme/ENVI"/>
    <dct:language rdf:resource="http://publications.europa.eu/resource/authority/language/DEU"/>
    <dcat:contactPoint><vcard:Organization><vcard:fn>Air Desk</vcard:fn></vcard:Organization></dcat:contactPoint>
    <dct:spatial><dct:Location><locn:geometry>{"type": "Point", "coordinates": [5, 50]}</locn:geometry><locn:geometry>POLYGON((5 50, 6 50, 6 51, 5 51, 5 50))</locn:geometry></dct:Location></dct:spatial>
    <dct:temporal rdf:parseType="Resource"><dcat:startDate>2018-01-01</dcat:startDate><dcat:endDate>2018-12-31</dcat:endDate></dct:temporal>
    <dcat:distribution><dcat:Distribution><dct:license rdf:resource="http://creativecommons.org/licenses/by/4.0/"/></dcat:Distribution></dcat:distribution>
  </dcat:Dataset>
  <rdf:Description rdf:about="https://data.example.org/city"><rdf:type rdf:resource="http://xmlns.com/foaf/0.1/Organization"/><foaf:name>Example City</foaf:name></rdf:Description>
</rdf:RDF>`,
    described: {
      identifier: [{ identifier: 'https://data.example.org/air', identifierType: 'URL' }],
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
        { title: 'Air', lang: 'en' },
        { title: 'Luft', lang: 'de' },
      ],
      publisher: [{ name: 'Example City' }],
      publicationYear: ['2019'],
      subjects: [
        { subject: 'air', lang: 'en' },
        {
          subject: 'Environment',
          valueUri: 'http://publications.europa.eu/resource/authority/data-theme/ENVI',
        },
      ],
      contributors: [{ contributorType: 'ContactPerson', name: 'Air Desk', nameType: 'Organizational' }],
      dates: [
        { date: '2019-02-03', dateType: 'Issued' },
        { date: '2018-01-01/2018-12-31', dateType: 'Coverage' },
      ],
      language: ['de'],
      rightsList: [
        {
          rights: 'http://creativecommons.org/licenses/by/4.0/',
          rightsUri: 'http://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Measured by stations.', descriptionType: 'Abstract' }],
      geoLocations: [
        {
          geoLocationBox: {
            westBoundLongitude: 5,
            eastBoundLongitude: 6,
            southBoundLatitude: 50,
            northBoundLatitude: 51,
          },
        },
      ],
    },
  },
  {
    title: 'DCAT as RDF in XML with descriptions that have types, of which the catalogue comes first',
    schema: 'DCAT-AP',
    document: `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dct="http://purl.org/dc/terms/">
  <rdf:Description rdf:about="https://data.example.org/a"><rdf:type rdf:resource="http://www.w3.org/ns/dcat#Dataset"/><dct:title>A data set</dct:title></rdf:Description>
  <rdf:Description rdf:about="https://data.example.org/c"><rdf:type rdf:resource="http://www.w3.org/ns/dcat#Catalog"/><dct:title>A catalogue</dct:title></rdf:Description>
</rdf:RDF>`,
    described: {
      identifier: [{ identifier: 'https://data.example.org/c', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'Catalogue' }],
      titles: [{ title: 'A catalogue' }],
    },
  },
  {
    title: 'DCAT as RDF in XML with one entity as root element',
    schema: 'DCAT-AP',
    document: `<dcat:DataService xmlns:dcat="http://www.w3.org/ns/dcat#" xmlns:dct="http://purl.org/dc/terms/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:about="https://data.example.org/api"><dct:title>A service</dct:title></dcat:DataService>`,
    described: {
      identifier: [{ identifier: 'https://data.example.org/api', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Service', resourceType: 'Data service' }],
      titles: [{ title: 'A service' }],
    },
  },
  {
    title: 'DataCite 4.1 as JSON, with the names of XML',
    schema: 'DataCite (JSON before 4.2)',
    document: {
      identifier: { identifier: '10.5072/old', identifierType: 'DOI' },
      creators: [
        {
          creatorName: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          affiliations: ['Example Institute'],
          nameIdentifiers: [
            {
              nameIdentifier: '0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeURI: 'https://orcid.org/',
            },
          ],
        },
        { creatorName: 'Alloy Group', nameType: 'Organisational' },
      ],
      titles: [{ title: 'Creep' }, { title: 'Of metals', titleType: 'Subtitle' }],
      publisher: 'Example Archive',
      publicationYear: '2014',
      resourceType: { resourceType: 'Table', resourceTypeGeneral: 'Dataset' },
      subjects: [
        {
          subject: 'creep',
          subjectScheme: 'terms',
          schemeURI: 'https://terms.example.org/',
          valueURI: 'https://terms.example.org/creep',
        },
      ],
      contributors: [{ contributorType: 'DataCurator', contributorName: 'Roe, Max' }],
      dates: [{ date: '2014-10-17', dateType: 'Available' }],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/paper', relatedIdentifierType: 'DOI', relationType: 'IsSupplementTo' },
      ],
      rightsList: [{ rights: 'CC0 1.0', rightsURI: 'https://creativecommons.org/publicdomain/zero/1.0/' }],
      fundingReferences: [
        {
          funderName: 'A Foundation',
          funderIdentifier: {
            funderIdentifier: 'https://doi.org/10.13039/501100001659',
            funderIdentifierType: 'Crossref Funder ID',
          },
          awardNumber: { awardNumber: '17', awardURI: 'https://example.org/17' },
        },
      ],
    },
    described: {
      identifier: [{ identifier: '10.5072/old', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Table' }],
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
              schemeUri: 'https://orcid.org/',
            },
          ],
          affiliation: [{ name: 'Example Institute' }],
        },
        { name: 'Alloy Group', nameType: 'Organizational' },
      ],
      titles: [{ title: 'Creep' }, { title: 'Of metals', titleType: 'Subtitle' }],
      publisher: [{ name: 'Example Archive' }],
      publicationYear: ['2014'],
      subjects: [
        {
          subject: 'creep',
          subjectScheme: 'terms',
          schemeUri: 'https://terms.example.org/',
          valueUri: 'https://terms.example.org/creep',
        },
      ],
      contributors: [{ contributorType: 'DataCurator', name: 'Roe, Max' }],
      dates: [{ date: '2014-10-17', dateType: 'Available' }],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/paper', relatedIdentifierType: 'DOI', relationType: 'IsSupplementTo' },
      ],
      rightsList: [
        {
          rights: 'CC0 1.0',
          rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      fundingReferences: [
        {
          funderName: 'A Foundation',
          funderIdentifier: 'https://doi.org/10.13039/501100001659',
          funderIdentifierType: 'Crossref Funder ID',
          awardNumber: '17',
          awardUri: 'https://example.org/17',
        },
      ],
    },
  },
  {
    title: 'DataCite as JSON before 4.2, with flat funders',
    schema: 'DataCite (JSON before 4.2)',
    document: {
      identifier: { identifier: '10.5072/older', identifierType: 'DOI' },
      creators: [{ creatorName: 'Alloy Group', affiliation: 'Example Institute' }],
      titles: [{ title: 'Wear', type: 'AlternativeTitle' }],
      resourceType: { resourceTypeGeneral: 'Text' },
      fundingReferences: [{ funderName: 'A Foundation', awardNumber: '18' }],
    },
    described: {
      identifier: [{ identifier: '10.5072/older', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Text' }],
      creators: [{ name: 'Alloy Group', affiliation: [{ name: 'Example Institute' }] }],
      titles: [{ title: 'Wear', titleType: 'AlternativeTitle' }],
      fundingReferences: [{ funderName: 'A Foundation', awardNumber: '18' }],
    },
  },
  {
    title: 'DataCite as JSON before 4.2, with little more than is required',
    schema: 'DataCite (JSON before 4.2)',
    document: {
      identifier: { identifier: '10.5072/oldest', identifierType: 'DOI' },
      creators: [{ creatorName: 'Alloy Group' }],
      titles: [{ title: 'Wear' }],
      publisher: 'Example Archive',
      publicationYear: '2015',
      resourceType: { resourceTypeGeneral: 'Image' },
      language: 'de',
    },
    described: {
      identifier: [{ identifier: '10.5072/oldest', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Image' }],
      creators: [{ name: 'Alloy Group' }],
      titles: [{ title: 'Wear' }],
      publisher: [{ name: 'Example Archive' }],
      publicationYear: ['2015'],
      language: ['de'],
    },
  },
  {
    title: 'DataCite as its interface answers',
    schema: 'DataCite (JSON of its interface)',
    document: {
      data: {
        id: '10.5072/answer',
        type: 'dois',
        attributes: {
          doi: '10.5072/answer',
          identifiers: [],
          creators: [
            {
              name: 'Example, Ada',
              nameType: 'Personal',
              givenName: 'Ada',
              familyName: 'Example',
              affiliation: ['Example Institute'],
              nameIdentifiers: [],
            },
          ],
          titles: [{ title: 'Fatigue' }],
          publisher: 'Example Archive',
          publicationYear: 2016,
          types: { resourceTypeGeneral: 'Dataset', ris: 'DATA' },
          rightsList: [],
        },
        relationships: {},
      },
    },
    described: {
      identifier: [{ identifier: '10.5072/answer', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset' }],
      creators: [
        {
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          affiliation: [{ name: 'Example Institute' }],
        },
      ],
      titles: [{ title: 'Fatigue' }],
      publisher: [{ name: 'Example Archive' }],
      publicationYear: ['2016'],
    },
  },
  {
    title: 'DataCite as its interface answers, with a publisher as an object',
    schema: 'DataCite (JSON of its interface)',
    document: {
      data: {
        type: 'dois',
        attributes: {
          doi: '10.5072/answer-2',
          creators: [{ name: 'Alloy Group' }],
          titles: [{ title: 'Wear' }],
          publisher: {
            name: 'Example Archive',
            publisherIdentifier: 'https://ror.org/04wxnsj81',
            publisherIdentifierScheme: 'ROR',
          },
          publicationYear: 2017,
          types: { resourceTypeGeneral: 'Software' },
          version: '3',
        },
      },
    },
    described: {
      identifier: [{ identifier: '10.5072/answer-2', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Software' }],
      creators: [{ name: 'Alloy Group' }],
      titles: [{ title: 'Wear' }],
      publisher: [
        {
          name: 'Example Archive',
          publisherIdentifier: 'https://ror.org/04wxnsj81',
          publisherIdentifierScheme: 'ROR',
        },
      ],
      publicationYear: ['2017'],
      version: ['3'],
    },
  },
  {
    title: 'DataCite as its interface answers, without creators',
    schema: 'DataCite (JSON of its interface)',
    document: {
      data: {
        type: 'dois',
        attributes: {
          doi: '10.5072/answer-3',
          titles: [{ title: 'Tear' }],
          types: { resourceTypeGeneral: 'Other' },
          dates: [{ date: '2018', dateType: 'Issued' }],
          language: 'en',
        },
      },
    },
    described: {
      identifier: [{ identifier: '10.5072/answer-3', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Other' }],
      titles: [{ title: 'Tear' }],
      dates: [{ date: '2018', dateType: 'Issued' }],
      language: ['en'],
    },
  },
]
