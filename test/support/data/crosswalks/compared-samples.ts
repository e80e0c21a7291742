import type { KnownSample } from './known-sample.js'

/*
 * Forms of documents that institutions publish, found by comparing published documents with their descriptions. The words
 * are our own.
 */

export const comparedSamples: readonly KnownSample[] = [
  {
    title:
      'schema.org of a data set with a provider and no publisher, an abstract, times behind a blank, a licence in a sentence of GBIF, and escaped HTML',
    schema: 'schema.org and Bioschemas',
    document: {
      '@context': { '@vocab': 'https://schema.org/' },
      '@type': 'Dataset',
      name: 'Seals of the bay',
      description: '&lt;p&gt;Seals &amp;amp; rocks.&lt;/p&gt;&lt;p&gt;Counted by boat.&lt;/p&gt;',
      abstract: 'Counts of seals.',
      dateCreated: '2019-02-18 09:00:00 +0000',
      dateModified: '2020-07-24 13:00:50 UTC',
      license: 'This work is licensed under a Creative Commons Attribution (CC-BY) 4.0 License',
      provider: [{ '@type': 'Organization', name: 'Bay Station' }],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      titles: [{ title: 'Seals of the bay' }],
      publisher: [{ name: 'Bay Station' }],
      publicationYear: ['2019'],
      dates: [
        { date: '2019-02-18', dateType: 'Created' },
        { date: '2020-07-24', dateType: 'Updated' },
      ],
      rightsList: [
        {
          rights: 'This work is licensed under a Creative Commons Attribution (CC-BY) 4.0 License',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        { description: 'Seals & rocks.\n\nCounted by boat.', descriptionType: 'Abstract' },
        { description: 'Counts of seals.', descriptionType: 'Abstract' },
      ],
    },
  },
  {
    title:
      'CodeMeta with a version of the software beside that of the deposit, and a licence that only the list of SPDX has',
    schema: 'CodeMeta',
    document: {
      '@context': 'https://doi.org/10.5063/schema/codemeta-2.0',
      '@type': 'SoftwareSourceCode',
      name: 'sealcount',
      version: '1',
      softwareVersion: '2.0.0',
      license: ['https://spdx.org/licenses/CECILL-2.1.html'],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Software', resourceType: 'SoftwareSourceCode' }],
      titles: [{ title: 'sealcount' }],
      version: ['2.0.0'],
      rightsList: [
        {
          rights: 'https://spdx.org/licenses/CECILL-2.1.html',
          rightsUri: 'https://spdx.org/licenses/CECILL-2.1.html',
          rightsIdentifier: 'CECILL-2.1',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
    },
  },
  {
    title: 'RO-Crate whose identifier is a reference to an address that the graph has not',
    schema: 'RO-Crate',
    document: {
      '@context': 'https://w3id.org/ro/crate/1.0/context',
      '@graph': [
        { '@id': 'ro-crate-metadata.jsonld', '@type': 'CreativeWork', about: { '@id': './' } },
        {
          '@id': './',
          '@type': 'Dataset',
          name: 'Rocks',
          identifier: { '@id': 'https://doi.org/10.5072/rocks' },
        },
      ],
    },
    described: {
      identifier: [{ identifier: '10.5072/rocks', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      titles: [{ title: 'Rocks' }],
    },
  },
  {
    title: 'DCAT-AP 3 with the terms of its context: a series with texts by language',
    schema: 'DCAT-AP',
    document: {
      '@context': 'https://semiceu.github.io/DCAT-AP/releases/3.0.0/context/dcat-ap.jsonld',
      '@graph': [
        {
          '@id': 'https://example.org/nests/2022',
          '@type': 'Dataset',
          title: { en: 'Nests in 2022' },
          inSeries: 'https://example.org/nests',
        },
        {
          '@id': 'https://example.org/nests',
          '@type': 'DatasetSeries',
          title: { en: 'Nests', de: ['Nester'] },
          description: { en: 'Nests by year.' },
          releaseDate: '2022-04-01',
          modificationDate: '2023-05-02',
        },
      ],
    },
    described: {
      identifier: [{ identifier: 'https://example.org/nests', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'Dataset series' }],
      titles: [
        { title: 'Nests', lang: 'en' },
        { title: 'Nester', lang: 'de' },
      ],
      publicationYear: ['2022'],
      dates: [
        { date: '2022-04-01', dateType: 'Issued' },
        { date: '2023-05-02', dateType: 'Updated' },
      ],
      descriptions: [{ description: 'Nests by year.', descriptionType: 'Abstract', lang: 'en' }],
    },
  },
  {
    title:
      'DCAT of a service in a catalogue without a title, with a contact of vCard and a place as Well-Known Text',
    schema: 'DCAT-AP',
    document: {
      '@context': { title: { '@id': 'http://purl.org/dc/terms/title' } },
      '@graph': [
        { '@id': 'ex:catalogue', '@type': 'dcat:Catalog', service: 'ex:maps' },
        {
          '@id': 'ex:maps',
          '@type': 'dcat:DataService',
          title: { '@language': 'en', '@value': 'Maps' },
          contactPoint: 'ex:office',
          spatial: '_:place',
        },
        { '@id': 'ex:office', '@type': 'v:Organization', 'organization-name': 'Map Office' },
        {
          '@id': '_:place',
          bbox: 'POLYGON(( 3.1 47.9 , 7.2 47.9 , 7.2 53.5 , 3.1 53.5 , 3.1 47.9 ))',
          centroid: 'POINT(4.9 52.4)',
        },
      ],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Service', resourceType: 'Data service' }],
      titles: [{ title: 'Maps', lang: 'en' }],
      contributors: [{ contributorType: 'ContactPerson', name: 'Map Office', nameType: 'Organizational' }],
      geoLocations: [
        {
          geoLocationPoint: { pointLongitude: 4.9, pointLatitude: 52.4 },
          geoLocationBox: {
            westBoundLongitude: 3.1,
            eastBoundLongitude: 7.2,
            southBoundLatitude: 47.9,
            northBoundLatitude: 53.5,
          },
        },
      ],
    },
  },
  {
    title: 'a data package with members of drafts and of Camtrap DP',
    schema: 'Frictionless data package',
    document: {
      name: 'foxes',
      title: 'Foxes at night',
      license: 'CC-BY-4.0',
      last_updated: '2021-03-04',
      temporal: { start: '2020-05-30', end: '2021-04-18' },
      contributors: [{ name: 'Vera Fuchs' }],
      resources: [{ name: 'media', path: 'media.csv' }],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Data package' }],
      titles: [{ title: 'Foxes at night' }],
      contributors: [{ contributorType: 'Other', name: 'Vera Fuchs' }],
      dates: [
        { date: '2021-03-04', dateType: 'Updated' },
        { date: '2020-05-30/2021-04-18', dateType: 'Collected' },
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
    },
  },
  {
    title: 'STAC collection from before version 1.0, without a type',
    schema: 'STAC',
    document: {
      stac_version: '0.9.0',
      id: 'coast',
      description: 'The coast.',
      license: 'proprietary',
      extent: { spatial: { bbox: [[1, 2, 3, 4]] }, temporal: { interval: [['2015-06-23T00:00:00Z', null]] } },
      links: [],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'STAC collection' }],
      titles: [{ title: 'coast' }],
      dates: [{ date: '2015-06-23T00:00:00Z/', dateType: 'Collected' }],
      alternateIdentifiers: [{ alternateIdentifier: 'coast', alternateIdentifierType: 'STAC id' }],
      descriptions: [{ description: 'The coast.', descriptionType: 'Abstract' }],
      geoLocations: [
        {
          geoLocationBox: {
            westBoundLongitude: 1,
            eastBoundLongitude: 3,
            southBoundLatitude: 2,
            northBoundLatitude: 4,
          },
        },
      ],
    },
  },
  {
    title:
      'EAD 3 with persons and bodies as access points, a language by its name, and the address of its page',
    schema: 'EAD 3',
    document: `<ead xmlns="http://ead3.archivists.org/schema/"><control><recordid>mc1</recordid><otherrecordid localtype="url">https://example.org/mc1/ead</otherrecordid><representation href="https://example.org/mc1">Guide</representation></control>
<archdesc level="collection"><did><unittitle>Letters of a keeper</unittitle><langmaterial><language>English</language></langmaterial></did>
<controlaccess><persname source="naf"><part localtype="surname">Leucht</part><part localtype="forename">Lena</part><part localtype="existDates">1921-</part></persname><corpname><part>Harbour</part><part>Pilots</part></corpname><famname><part>Leucht family</part></famname></controlaccess></archdesc></ead>`,
    described: {
      identifier: [{ identifier: 'https://example.org/mc1', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'collection' }],
      titles: [{ title: 'Letters of a keeper' }],
      subjects: [
        { subject: 'Leucht, Lena', subjectScheme: 'naf' },
        { subject: 'Harbour. Pilots' },
        { subject: 'Leucht family' },
      ],
      language: ['en'],
      alternateIdentifiers: [{ alternateIdentifier: 'mc1', alternateIdentifierType: 'recordid' }],
    },
  },
  {
    title: 'LIDO with a set for each measurement, and a person and a place as subjects',
    schema: 'LIDO',
    document: `<lido:lido xmlns:lido="http://www.lido-schema.org"><lido:lidoRecID lido:type="local">7</lido:lidoRecID><lido:descriptiveMetadata xml:lang="nl">
<lido:objectIdentificationWrap><lido:titleWrap><lido:titleSet><lido:appellationValue>Steeg</lido:appellationValue></lido:titleSet></lido:titleWrap>
<lido:objectMeasurementsWrap><lido:objectMeasurementsSet><lido:objectMeasurements><lido:measurementsSet><lido:measurementType>hoogte</lido:measurementType><lido:measurementUnit>cm</lido:measurementUnit><lido:measurementValue>26.9</lido:measurementValue></lido:measurementsSet></lido:objectMeasurements></lido:objectMeasurementsSet><lido:objectMeasurementsSet><lido:objectMeasurements><lido:measurementsSet><lido:measurementType>breedte</lido:measurementType><lido:measurementUnit>cm</lido:measurementUnit><lido:measurementValue>20</lido:measurementValue></lido:measurementsSet></lido:objectMeasurements></lido:objectMeasurementsSet></lido:objectMeasurementsWrap></lido:objectIdentificationWrap>
<lido:objectRelationWrap><lido:subjectWrap><lido:subjectSet><lido:subject><lido:subjectActor><lido:actor><lido:nameActorSet><lido:appellationValue>Roe, Max</lido:appellationValue></lido:nameActorSet></lido:actor></lido:subjectActor><lido:subjectPlace><lido:place><lido:namePlaceSet><lido:appellationValue>Gent</lido:appellationValue></lido:namePlaceSet></lido:place></lido:subjectPlace></lido:subject></lido:subjectSet></lido:subjectWrap></lido:objectRelationWrap></lido:descriptiveMetadata></lido:lido>`,
    described: {
      types: [{ resourceTypeGeneral: 'PhysicalObject' }],
      titles: [{ title: 'Steeg', lang: 'nl' }],
      subjects: [{ subject: 'Roe, Max' }, { subject: 'Gent' }],
      language: ['nl'],
      alternateIdentifiers: [{ alternateIdentifier: '7', alternateIdentifierType: 'lidoRecID' }],
      sizes: ['hoogte 26.9 cm', 'breedte 20 cm'],
    },
  },
  {
    title:
      'DDI Codebook with its citation in two languages, a DOI behind a URN, an acknowledgement, and HTML in its texts',
    schema: 'DDI Codebook',
    document: `<codeBook xmlns="ddi:codebook:2_5"><stdyDscr><citation><titlStmt><titl xml:lang="fi">Luodot</titl><parTitl xml:lang="en">Islets</parTitl><IDNo agency="URN">urn:nbn:fi:islets</IDNo><IDNo agency="datacite">10.5072/islets</IDNo></titlStmt>
<rspStmt><AuthEnty affiliation="Saaristoinstituutti">Luoto, Liisa</AuthEnty><othId><p>The institute was moved in 2010 and took over the work of the former office.</p></othId></rspStmt></citation>
<citation><titlStmt><titl xml:lang="en">Islets</titl></titlStmt><rspStmt><AuthEnty affiliation="Institute of Islands">Luoto, Liisa</AuthEnty></rspStmt></citation>
<stdyInfo><abstract>&lt;p&gt;Who lives there.&lt;/p&gt;The &lt;i&gt;Islet&lt;/i&gt; study asked:&lt;ul&gt;&lt;li&gt;fishers&lt;/li&gt;&lt;li&gt;keepers&lt;/li&gt;&lt;/ul&gt;</abstract></stdyInfo>
<dataAccs><useStmt><conditions>Free under the &lt;a href="https://creativecommons.org/licenses/by/4.0/" title="x"&gt;licence&lt;/a&gt; below.</conditions></useStmt></dataAccs></stdyDscr></codeBook>`,
    described: {
      identifier: [{ identifier: '10.5072/islets', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Study' }],
      creators: [{ name: 'Luoto, Liisa', affiliation: [{ name: 'Saaristoinstituutti' }] }],
      titles: [
        { title: 'Luodot', lang: 'fi' },
        { title: 'Islets', titleType: 'TranslatedTitle', lang: 'en' },
      ],
      language: ['fi'],
      rightsList: [
        {
          rights: 'Free under the licence below.',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        {
          description: 'Who lives there.\n\nThe Islet study asked:\n\nfishers\n\nkeepers',
          descriptionType: 'Abstract',
        },
      ],
    },
  },
  {
    title:
      'ISO 19139 with a language of the Canadian profile, a date of the US profile, and an unknown format',
    schema: 'ISO 19139',
    document: `<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco"><gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation><gmd:title><gco:CharacterString>Lakes</gco:CharacterString></gmd:title><gmd:date><gmd:CI_Date><gmd:date><gco:Date>2011-04-19</gco:Date></gmd:date><gmd:dateType><gmd:CI_DateTypeCode codeListValue="issued"/></gmd:dateType></gmd:CI_Date></gmd:date></gmd:CI_Citation></gmd:citation><gmd:language><gco:CharacterString>eng; CAN</gco:CharacterString></gmd:language></gmd:MD_DataIdentification></gmd:identificationInfo>
<gmd:distributionInfo><gmd:MD_Distribution><gmd:distributionFormat><gmd:MD_Format><gmd:name><gco:CharacterString>unknown</gco:CharacterString></gmd:name></gmd:MD_Format></gmd:distributionFormat></gmd:MD_Distribution></gmd:distributionInfo></gmd:MD_Metadata>`,
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'dataset' }],
      titles: [{ title: 'Lakes' }],
      publicationYear: ['2011'],
      dates: [{ date: '2011-04-19', dateType: 'Issued' }],
      language: ['en'],
    },
  },
  {
    title: 'JATS with the DOI and the heading of its abstract inside, and a language in capitals',
    schema: 'JATS',
    document: `<article article-type="research-article" xml:lang="EN"><front><article-meta><title-group><article-title>Yeast</article-title></title-group><abstract><title>ABSTRACT</title><object-id pub-id-type="doi">10.5072/yeast.001</object-id><p>Yeast grows.</p><p>It rests.</p></abstract></article-meta></front></article>`,
    described: {
      types: [{ resourceTypeGeneral: 'JournalArticle', resourceType: 'research-article' }],
      titles: [{ title: 'Yeast' }],
      language: ['en'],
      descriptions: [{ description: 'Yeast grows.\n\nIt rests.', descriptionType: 'Abstract' }],
    },
  },
  {
    title:
      'TEI of a letter: the title of its edition before its own, an author with two forenames, the departments of a publisher',
    schema: 'TEI',
    document: `<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title level="s">Letters of a keeper</title><title type="iso-date">1899-03-07</title><title level="a">Lena Leucht to Max Roe, 7 March 1899</title><author><persName><forename>Lena</forename><forename>Maria</forename><surname>Leucht</surname></persName></author></titleStmt>
<publicationStmt><publisher><orgName type="department">Letters</orgName><orgName type="institution">Harbour Library</orgName></publisher><date>May, 2017</date></publicationStmt></fileDesc><profileDesc><correspDesc><correspAction type="sent"><date when="1899-03-07">7. 3. 1899</date></correspAction></correspDesc></profileDesc></teiHeader></TEI>`,
    described: {
      types: [{ resourceTypeGeneral: 'Text', resourceType: 'TEI' }],
      creators: [
        { name: 'Leucht, Lena Maria', nameType: 'Personal', givenName: 'Lena Maria', familyName: 'Leucht' },
      ],
      titles: [{ title: 'Lena Leucht to Max Roe, 7 March 1899' }],
      publisher: [{ name: 'Harbour Library' }],
      publicationYear: ['2017'],
      dates: [{ date: '1899-03-07', dateType: 'Created' }],
    },
  },
  {
    title:
      'oai_dc with a list of subjects in one element, a life behind a name, years as coverage, and many people in one contributor',
    schema: 'oai_dc',
    document: `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd"><dc:title>Elections</dc:title><dc:creator>Leucht, Lena, 1885-1951.</dc:creator><dc:contributor>A. B. Counter A, A. B. Counter B, A. B. Counter C, A. B. Counter D, A. B. Counter E, A. B. Counter F, A. B. Counter G, A. B. Counter H, A. B. Counter I, A. B. Counter J, A. B. Counter K, A. B. Counter L, A. B. Counter M, A. B. Counter N, A. B. Counter O, A. B. Counter P, A. B. Counter Q, A. B. Counter R, A. B. Counter S, A. B. Counter T</dc:contributor><dc:subject>voters;counties; candidates</dc:subject><dc:type>Doctoral Dissertation</dc:type><dc:coverage>1824--1968</dc:coverage><dc:coverage>1990-01-01/1990-12-31</dc:coverage><dc:rights>Creative Commons Attribution-NonCommercial 4.0 International</dc:rights><dc:rights>CC0 1.0 Universal</dc:rights></oai_dc:dc>`,
    described: {
      types: [{ resourceTypeGeneral: 'Dissertation', resourceType: 'Doctoral Dissertation' }],
      creators: [{ name: 'Leucht, Lena', nameType: 'Personal', givenName: 'Lena', familyName: 'Leucht' }],
      titles: [{ title: 'Elections' }],
      subjects: [{ subject: 'voters' }, { subject: 'counties' }, { subject: 'candidates' }],
      dates: [{ date: '1990-01-01/1990-12-31', dateType: 'Coverage' }],
      rightsList: [
        {
          rights: 'Creative Commons Attribution-NonCommercial 4.0 International',
          rightsUri: 'https://creativecommons.org/licenses/by-nc/4.0/',
          rightsIdentifier: 'CC-BY-NC-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
        {
          rights: 'CC0 1.0 Universal',
          rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
    },
  },
  {
    title:
      'qualified Dublin Core of a collection of a library, with semicolons between and behind its values, and a licence in a sentence',
    schema: 'Dublin Core (qualifieddc)',
    document: `<qualifieddc xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A kick-off</dc:title><dc:creator>Leucht, Lena;</dc:creator><dc:contributor>Roe, Max; Doe, Jane</dc:contributor><dc:publisher>Harbour Press; Dock Press</dc:publisher><dc:type>Sound ; Text</dc:type><dc:rights>This work is licensed under a Creative Commons Attribution-ShareAlike 4.0 International License. Ask for prints.</dc:rights></qualifieddc>`,
    described: {
      types: [{ resourceTypeGeneral: 'Sound', resourceType: 'Sound' }],
      creators: [{ name: 'Leucht, Lena' }],
      titles: [{ title: 'A kick-off' }],
      publisher: [{ name: 'Harbour Press' }],
      contributors: [
        { contributorType: 'Other', name: 'Roe, Max' },
        { contributorType: 'Other', name: 'Doe, Jane' },
      ],
      rightsList: [
        {
          rights:
            'This work is licensed under a Creative Commons Attribution-ShareAlike 4.0 International License. Ask for prints.',
          rightsUri: 'https://creativecommons.org/licenses/by-sa/4.0/',
          rightsIdentifier: 'CC-BY-SA-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
    },
  },
]
