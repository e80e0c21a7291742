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
      alternateIdentifiers: [{ alternateIdentifier: 'Creep', alternateIdentifierType: 'Local' }],
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

const spdx = (rightsIdentifier: string) => ({
  ...{ rightsIdentifier, rightsIdentifierScheme: 'SPDX', schemeUri: 'https://spdx.org/licenses/' },
})

/** @param fields element, qualifier and text of each value */
const dimDocument = (fields: readonly (readonly [string, string, string])[]) =>
  `<dim:dim xmlns:dim="http://www.dspace.org/xmlns/dspace/dim" dspaceType="ITEM">${fields
    .map(([element, qualifier, text]) => {
      const name = `element="${element}"${qualifier && ` qualifier="${qualifier}"`}`
      return `<dim:field mdschema="dc" ${name}${element === 'title' ? ' lang="en"' : ''}>${text}</dim:field>`
    })
    .join('')}</dim:dim>`

/** What the forms of platforms say beside what others say, too. */
export const platformSamples: readonly KnownSample[] = [
  {
    title: 'Croissant: types with the prefix of schema.org, names without',
    schema: 'schema.org and Bioschemas',
    document: {
      '@context': {
        '@vocab': 'https://schema.org/',
        sc: 'https://schema.org/',
        cr: 'http://mlcommons.org/croissant/',
      },
      '@type': 'sc:Dataset',
      name: 'Ferries',
      creator: [
        { '@type': 'sc:Organization', name: 'Ship Lab' },
        { '@type': 'sc:Person', name: 'Jane Doe' },
      ],
      license: 'https://creativecommons.org/licenses/by/4.0/',
      distribution: [
        { '@type': 'cr:FileObject', '@id': 'f.csv', encodingFormat: 'text/csv', contentSize: '60 KB' },
      ],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [
        { name: 'Ship Lab', nameType: 'Organizational' },
        { name: 'Jane Doe', nameType: 'Personal' },
      ],
      titles: [{ title: 'Ferries' }],
      sizes: ['60 KB'],
      formats: ['text/csv'],
      rightsList: [
        {
          rights: 'https://creativecommons.org/licenses/by/4.0/',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          ...spdx('CC-BY-4.0'),
        },
      ],
    },
  },
  {
    title:
      'JATS of a server of preprints, with a group before a person and the type of its authors as subject',
    schema: 'JATS',
    document: `<article article-type="article"><front><journal-meta><journal-id journal-id-type="publisher-id">BIORXIV</journal-id></journal-meta><article-meta><article-categories><subj-group subj-group-type="author-type"><subject>Regular Article</subject></subj-group><subj-group subj-group-type="hwp-journal-coll"><subject>Ecology</subject></subj-group></article-categories><title-group><article-title>Eels</article-title></title-group><contrib-group><contrib contrib-type="author"><collab>Eel Consortium</collab></contrib><contrib contrib-type="author"><name><surname>Doe</surname><given-names>Jane</given-names></name></contrib></contrib-group></article-meta></front></article>`,
    described: {
      types: [{ resourceTypeGeneral: 'Preprint', resourceType: 'article' }],
      creators: [
        { name: 'Eel Consortium', nameType: 'Organizational' },
        { name: 'Doe, Jane', nameType: 'Personal', givenName: 'Jane', familyName: 'Doe' },
      ],
      titles: [{ title: 'Eels' }],
      subjects: [{ subject: 'Ecology' }],
    },
  },
  {
    title: 'ISO 19139 whose conditions say that there are none',
    schema: 'ISO 19139',
    document: `<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco"><gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation><gmd:title><gco:CharacterString>Wells</gco:CharacterString></gmd:title></gmd:CI_Citation></gmd:citation><gmd:resourceConstraints><gmd:MD_Constraints><gmd:useLimitation><gco:CharacterString>None</gco:CharacterString></gmd:useLimitation></gmd:MD_Constraints></gmd:resourceConstraints><gmd:resourceConstraints><gmd:MD_LegalConstraints><gmd:otherConstraints><gco:CharacterString>no limitations to public access</gco:CharacterString></gmd:otherConstraints><gmd:otherConstraints><gco:CharacterString>Name the source.</gco:CharacterString></gmd:otherConstraints></gmd:MD_LegalConstraints></gmd:resourceConstraints></gmd:MD_DataIdentification></gmd:identificationInfo></gmd:MD_Metadata>`,
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'dataset' }],
      titles: [{ title: 'Wells' }],
      rightsList: [{ rights: 'Name the source.' }],
    },
  },
  {
    title: 'DCAT-AP with a licence of the vocabulary of the EU, and formats as addresses and texts',
    schema: 'DCAT-AP',
    document: {
      '@context': { dcat: 'http://www.w3.org/ns/dcat#', dct: 'http://purl.org/dc/terms/' },
      '@id': 'https://data.example.org/noise',
      '@type': 'dcat:Dataset',
      'dct:title': 'Noise',
      'dcat:distribution': [
        {
          'dct:license': { '@id': 'http://publications.europa.eu/resource/authority/licence/CC_BYNCSA_4_0' },
          'dcat:mediaType': { '@id': 'https://www.iana.org/assignments/media-types/application/json' },
        },
        { 'dcat:mediaType': 'text/csv', 'dct:format': 'CSV' },
      ],
    },
    described: {
      identifier: [{ identifier: 'https://data.example.org/noise', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      titles: [{ title: 'Noise' }],
      formats: ['application/json', 'text/csv'],
      rightsList: [
        {
          rights: 'http://publications.europa.eu/resource/authority/licence/CC_BYNCSA_4_0',
          rightsUri: 'http://publications.europa.eu/resource/authority/licence/CC_BYNCSA_4_0',
          ...spdx('CC-BY-NC-SA-4.0'),
        },
      ],
    },
  },
  {
    title: 'TEI with counts as its extent, a class, and an institution with a responsibility',
    schema: 'TEI',
    document: `<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title type="main">Lampen</title><respStmt><orgName>Lamp Fund</orgName><resp>Funding</resp></respStmt></titleStmt><extent><measure type="images">350</measure><measure type="tokens">43000</measure></extent></fileDesc><profileDesc><textClass><classCode scheme="https://example.org/classes#main">Belletristik</classCode></textClass></profileDesc></teiHeader></TEI>`,
    described: {
      types: [{ resourceTypeGeneral: 'Text', resourceType: 'TEI' }],
      titles: [{ title: 'Lampen' }],
      subjects: [{ subject: 'Belletristik', schemeUri: 'https://example.org/classes#main' }],
      contributors: [{ contributorType: 'Other', name: 'Lamp Fund', nameType: 'Organizational' }],
      sizes: ['350 images', '43000 tokens'],
    },
  },
  {
    title: 'RO-Crate of a workflow',
    schema: 'RO-Crate',
    document: {
      '@context': 'https://w3id.org/ro/crate/1.1/context',
      '@graph': [
        { '@id': 'ro-crate-metadata.json', '@type': 'CreativeWork', about: { '@id': './' } },
        { '@id': './', '@type': 'Dataset', name: 'Align', mainEntity: { '@id': 'align.ga' } },
        {
          '@id': 'align.ga',
          '@type': ['File', 'SoftwareSourceCode', 'ComputationalWorkflow'],
          name: 'Align',
        },
      ],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Workflow', resourceType: 'ComputationalWorkflow' }],
      titles: [{ title: 'Align' }],
    },
  },
  {
    title: 'DataCite 3 with a funder among the contributors',
    schema: 'DataCite (XML)',
    document: `<resource xmlns="http://datacite.org/schema/kernel-3"><titles><title>Rain</title></titles><contributors><contributor contributorType="Funder"><contributorName>Rain Fund</contributorName></contributor><contributor contributorType="DataManager"><contributorName>Roe, Max</contributorName></contributor></contributors></resource>`,
    described: {
      titles: [{ title: 'Rain' }],
      contributors: [{ contributorType: 'DataManager', name: 'Roe, Max' }],
      fundingReferences: [{ funderName: 'Rain Fund' }],
    },
  },
  {
    title: 'oai_dc with a DOI, a handle and a citation as identifiers',
    schema: 'oai_dc',
    document: `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Wind on roofs</dc:title><dc:identifier>http://hdl.handle.net/1234/5678</dc:identifier><dc:identifier>Journal of Roofs 3 (2017), 1-9</dc:identifier><dc:identifier>10.5072/roof</dc:identifier></oai_dc:dc>`,
    described: {
      identifier: [{ identifier: '10.5072/roof', identifierType: 'DOI' }],
      titles: [{ title: 'Wind on roofs' }],
      alternateIdentifiers: [
        { alternateIdentifier: 'http://hdl.handle.net/1234/5678', alternateIdentifierType: 'Handle' },
      ],
    },
  },
  {
    title: 'MODS with a name of an authority file of libraries',
    schema: 'MODS 3',
    document: `<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Lakes</title></titleInfo><name type="personal" valueURI="http://id.loc.gov/authorities/names/n1"><namePart>Doe, Jane</namePart><role><roleTerm>author</roleTerm></role></name></mods>`,
    described: {
      creators: [
        {
          ...{ name: 'Doe, Jane', nameType: 'Personal', givenName: 'Jane', familyName: 'Doe' },
          nameIdentifiers: [
            {
              nameIdentifier: 'http://id.loc.gov/authorities/names/n1',
              nameIdentifierScheme: 'LCNAF',
              schemeUri: 'http://id.loc.gov/authorities/names',
            },
          ],
        },
      ],
      titles: [{ title: 'Lakes' }],
    },
  },
  {
    title: 'DIM of a thesis: an advisor, a language, a licence in two values, and times of the archive',
    schema: 'DIM',
    document: dimDocument([
      ['contributor', 'advisor', 'Roe, Max'],
      ['contributor', 'author', 'Doe, Jane'],
      ['date', 'accessioned', '2021-02-03T04:05:06Z'],
      ['date', 'available', '2021-02-04'],
      ['date', 'issued', '2020-05'],
      ['identifier', 'citation', 'Doe 2020'],
      ['identifier', 'issn', '1234-5678'],
      ['identifier', 'uri', 'http://hdl.handle.net/1234/9'],
      ['identifier', 'uri', 'https://doi.org/10.5072/thesis'],
      ['description', 'abstract', 'On doors.'],
      ['description', 'provenance', 'Made available by the archive.'],
      ['language', 'iso', 'de_DE'],
      ['publisher', '', 'Example University'],
      ['relation', 'ispartof', '10.5072/series'],
      ['rights', '', 'Attribution 4.0 International'],
      ['rights', 'uri', 'http://creativecommons.org/licenses/by/4.0/'],
      ['subject', '', 'doors'],
      ['subject', 'ddc', '690'],
      ['title', '', 'Doors'],
      ['type', '', 'Thesis'],
    ]),
    described: {
      identifier: [{ identifier: '10.5072/thesis', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dissertation', resourceType: 'Thesis' }],
      creators: [{ name: 'Doe, Jane' }],
      titles: [{ title: 'Doors', lang: 'en' }],
      publisher: [{ name: 'Example University' }],
      subjects: [{ subject: 'doors' }, { subject: '690', subjectScheme: 'ddc' }],
      contributors: [{ contributorType: 'Supervisor', name: 'Roe, Max' }],
      dates: [
        { date: '2020-05', dateType: 'Issued' },
        { date: '2021-02-04', dateType: 'Available' },
      ],
      language: ['de-DE'],
      alternateIdentifiers: [
        { alternateIdentifier: '1234-5678', alternateIdentifierType: 'ISSN' },
        { alternateIdentifier: 'http://hdl.handle.net/1234/9', alternateIdentifierType: 'Handle' },
      ],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/series', relatedIdentifierType: 'DOI', relationType: 'IsPartOf' },
      ],
      rightsList: [
        {
          rights: 'Attribution 4.0 International',
          rightsUri: 'http://creativecommons.org/licenses/by/4.0/',
          ...spdx('CC-BY-4.0'),
        },
      ],
      descriptions: [{ description: 'On doors.', descriptionType: 'Abstract' }],
    },
  },
  {
    title: 'DIM of a book with two titles, a place and an editor, whose only address is a handle',
    schema: 'DIM',
    document: dimDocument([
      ['contributor', 'editor', 'Roe, Max'],
      ['coverage', 'spatial', 'Hesse'],
      ['date', 'issued', '1998'],
      ['identifier', 'isbn', '0123456789'],
      ['identifier', 'uri', 'http://hdl.handle.net/1234/10'],
      ['title', '', 'Gates'],
      ['title', 'alternative', 'Doors 2'],
    ]),
    described: {
      identifier: [{ identifier: 'http://hdl.handle.net/1234/10', identifierType: 'Handle' }],
      titles: [
        { title: 'Gates', lang: 'en' },
        { title: 'Doors 2', titleType: 'AlternativeTitle', lang: 'en' },
      ],
      contributors: [{ contributorType: 'Editor', name: 'Roe, Max' }],
      dates: [{ date: '1998', dateType: 'Issued' }],
      alternateIdentifiers: [{ alternateIdentifier: '0123456789', alternateIdentifierType: 'ISBN' }],
      geoLocations: [{ geoLocationPlace: 'Hesse' }],
    },
  },
  {
    title: 'DIM of a data set with the address of a licence alone, an extent and a format',
    schema: 'DIM',
    document: dimDocument([
      ['creator', '', 'Hinge Lab'],
      ['date', 'issued', '2022-01-02'],
      ['format', 'extent', '12 MB'],
      ['format', 'mimetype', 'text/csv'],
      ['relation', 'isbasedon', 'https://example.org/raw'],
      ['rights', 'uri', 'http://creativecommons.org/publicdomain/zero/1.0/'],
      ['title', '', 'Hinges'],
      ['type', '', 'Dataset'],
    ]),
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [{ name: 'Hinge Lab' }],
      titles: [{ title: 'Hinges', lang: 'en' }],
      dates: [{ date: '2022-01-02', dateType: 'Issued' }],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://example.org/raw',
          relatedIdentifierType: 'URL',
          relationType: 'IsDerivedFrom',
        },
      ],
      sizes: ['12 MB'],
      formats: ['text/csv'],
      rightsList: [
        {
          rights: 'http://creativecommons.org/publicdomain/zero/1.0/',
          rightsUri: 'http://creativecommons.org/publicdomain/zero/1.0/',
          ...spdx('CC0-1.0'),
        },
      ],
    },
  },
]
