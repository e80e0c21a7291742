import type { KnownSample } from './known-sample.js'

/*
 * Whole documents in the forms of the official examples of their schemas: Citation File Format, data packages, DCAT-AP,
 * DDI Codebook and METS.
 */

export const wholeDocumentsSamples: readonly KnownSample[] = [
  {
    title:
      'A citation file of a program with an entity and a person as authors, a preferred citation, references and several identifiers',
    schema: 'Citation File Format',
    document: {
      'cff-version': '1.2.0',
      message: 'Please cite this software.',
      type: 'software',
      title: 'Grain Counter',
      abstract: 'Counts grains in images.\n\nIt needs no training.',
      authors: [
        {
          'given-names': 'Jan',
          'name-particle': 'van der',
          'family-names': 'Berg',
          'name-suffix': 'Jr.',
          orcid: 'https://orcid.org/0000-0001-5727-2427',
          affiliation: 'Institute of Grains',
          email: 'jan@example.org',
        },
        { name: 'The Grain Counter Team', website: 'https://grains.example.org' },
        { alias: 'grainfan' },
      ],
      contact: [{ 'given-names': 'Ada', 'family-names': 'Example' }],
      identifiers: [
        { type: 'doi', value: '10.5072/grains', description: 'All versions' },
        { type: 'doi', value: '10.5072/grains.1.4', description: 'Version 1.4' },
        { type: 'swh', value: 'swh:1:rel:22ece559cc7cc2364edc5e5593d63ae8bd229f9f' },
        { type: 'other', value: 'grains-14' },
      ],
      keywords: ['grains', 'image analysis'],
      license: ['Apache-2.0', 'MIT'],
      'repository-code': 'https://code.example.org/grains',
      'repository-artifact': 'https://packages.example.org/grains/1.4.0',
      url: 'https://grains.example.org',
      version: '1.4.0',
      commit: '22ece559',
      'date-released': '2023-11-30',
      'preferred-citation': {
        type: 'article',
        title: 'Counting grains',
        doi: '10.5072/counting',
        authors: [{ 'family-names': 'Other', 'given-names': 'Otto' }],
      },
      references: [
        {
          type: 'article',
          title: 'Seeds',
          doi: '10.5072/seeds',
          authors: [{ 'family-names': 'Seed', 'given-names': 'Sam' }],
        },
        { type: 'software', title: 'libgrain', url: 'https://libgrain.example.org' },
      ],
    },
    described: {
      identifier: [{ identifier: '10.5072/grains', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Software', resourceType: 'software' }],
      creators: [
        {
          name: 'van der Berg Jr., Jan',
          nameType: 'Personal',
          givenName: 'Jan',
          familyName: 'van der Berg Jr.',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
          affiliation: [{ name: 'Institute of Grains' }],
        },
        { name: 'The Grain Counter Team', nameType: 'Organizational' },
        { name: 'grainfan' },
      ],
      titles: [{ title: 'Grain Counter' }],
      publicationYear: ['2023'],
      subjects: [{ subject: 'grains' }, { subject: 'image analysis' }],
      contributors: [
        {
          contributorType: 'ContactPerson',
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
        },
      ],
      dates: [{ date: '2023-11-30', dateType: 'Issued' }],
      alternateIdentifiers: [
        {
          alternateIdentifier: 'swh:1:rel:22ece559cc7cc2364edc5e5593d63ae8bd229f9f',
          alternateIdentifierType: 'SWHID',
        },
        { alternateIdentifier: 'grains-14', alternateIdentifierType: 'Local' },
      ],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://code.example.org/grains',
          relatedIdentifierType: 'URL',
          relationType: 'IsVersionOf',
        },
        {
          relatedIdentifier: 'https://grains.example.org',
          relatedIdentifierType: 'URL',
          relationType: 'IsDescribedBy',
        },
        {
          relatedIdentifier: 'https://packages.example.org/grains/1.4.0',
          relatedIdentifierType: 'URL',
          relationType: 'IsVersionOf',
        },
        {
          relatedIdentifier: '10.5072/counting',
          relatedIdentifierType: 'DOI',
          relationType: 'IsDescribedBy',
        },
        { relatedIdentifier: '10.5072/seeds', relatedIdentifierType: 'DOI', relationType: 'References' },
        {
          relatedIdentifier: 'https://libgrain.example.org',
          relatedIdentifierType: 'URL',
          relationType: 'References',
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
        {
          rights: 'MIT',
          rightsUri: 'https://spdx.org/licenses/MIT.html',
          rightsIdentifier: 'MIT',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        { description: 'Counts grains in images.\n\nIt needs no training.', descriptionType: 'Abstract' },
      ],
    },
  },
  {
    title: 'A citation file of a data set with the address of a licence, and no date',
    schema: 'Citation File Format',
    document: {
      'cff-version': '1.1.0',
      title: 'Grain sizes of beaches',
      type: 'dataset',
      authors: [{ 'family-names': '小林', 'given-names': '花子', affiliation: '海岸研究所' }],
      'license-url': 'https://creativecommons.org/licenses/by/4.0/',
      doi: 'https://doi.org/10.5072/beaches',
      version: 2,
    },
    described: {
      identifier: [{ identifier: '10.5072/beaches', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'dataset' }],
      creators: [
        {
          name: '小林, 花子',
          nameType: 'Personal',
          givenName: '花子',
          familyName: '小林',
          affiliation: [{ name: '海岸研究所' }],
        },
      ],
      titles: [{ title: 'Grain sizes of beaches' }],
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
    },
  },
  {
    title:
      'A data package of version 2: contributors with several roles, sources, two licences, resources with fields',
    schema: 'Frictionless data package',
    document: {
      $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
      name: 'river-levels',
      id: 'https://doi.org/10.5072/levels',
      title: 'Levels of rivers',
      description: 'Hourly levels at **three** gauges.',
      homepage: 'https://rivers.example.org',
      version: '2.1.0',
      created: '2024-02-29T12:00:00Z',
      keywords: ['rivers', 'levels'],
      contributors: [
        {
          title: 'Rosa Fluss',
          givenName: 'Rosa',
          familyName: 'Fluss',
          path: 'https://orcid.org/0000-0001-5727-2427',
          organization: 'Office of Rivers',
          roles: ['creator', 'dataCurator'],
        },
        { title: 'Office of Rivers', roles: ['rightsHolder', 'publisher'] },
        { title: 'Bruno Bach', email: 'bruno@example.org', roles: ['contactPerson'] },
      ],
      licenses: [
        {
          name: 'ODC-PDDL-1.0',
          path: 'http://opendatacommons.org/licenses/pddl/',
          title: 'Open Data Commons Public Domain Dedication and License v1.0',
        },
        { name: 'CC-BY-4.0' },
      ],
      sources: [
        { title: 'Gauges', path: 'https://gauges.example.org/api', version: '3' },
        { title: 'Paper books' },
      ],
      resources: [
        {
          name: 'levels',
          path: 'levels.csv',
          type: 'table',
          format: 'csv',
          mediatype: 'text/csv',
          schema: {
            fields: [
              { name: 'at', type: 'datetime' },
              { name: 'level', type: 'number' },
            ],
          },
        },
        { name: 'gauges', path: ['gauges.geojson'], format: 'geojson', mediatype: 'application/geo+json' },
      ],
    },
    described: {
      identifier: [{ identifier: '10.5072/levels', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Data package' }],
      creators: [
        {
          name: 'Rosa Fluss',
          nameType: 'Personal',
          givenName: 'Rosa',
          familyName: 'Fluss',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
          affiliation: [{ name: 'Office of Rivers' }],
        },
      ],
      titles: [{ title: 'Levels of rivers' }],
      publisher: [{ name: 'Office of Rivers' }],
      publicationYear: ['2024'],
      subjects: [{ subject: 'rivers' }, { subject: 'levels' }],
      contributors: [
        { contributorType: 'ContactPerson', name: 'Bruno Bach' },
        {
          contributorType: 'DataCurator',
          name: 'Rosa Fluss',
          nameType: 'Personal',
          givenName: 'Rosa',
          familyName: 'Fluss',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
          affiliation: [{ name: 'Office of Rivers' }],
        },
        { contributorType: 'RightsHolder', name: 'Office of Rivers' },
      ],
      dates: [{ date: '2024-02-29T12:00:00Z', dateType: 'Created' }],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://rivers.example.org',
          relatedIdentifierType: 'URL',
          relationType: 'IsDescribedBy',
        },
        {
          relatedIdentifier: 'https://gauges.example.org/api',
          relatedIdentifierType: 'URL',
          relationType: 'IsDerivedFrom',
        },
      ],
      formats: ['text/csv', 'application/geo+json'],
      version: ['2.1.0'],
      rightsList: [
        {
          rights: 'Open Data Commons Public Domain Dedication and License v1.0',
          rightsUri: 'http://opendatacommons.org/licenses/pddl/',
          rightsIdentifier: 'PDDL-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
        {
          rights: 'CC-BY-4.0',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Hourly levels at **three** gauges.', descriptionType: 'Abstract' }],
    },
  },
  {
    title:
      'DCAT-AP with prefixes: two languages, a blank agent, a vCard, a theme, a period, a box in Well-Known Text and two distributions',
    schema: 'DCAT-AP',
    document: {
      '@context': {
        dcat: 'http://www.w3.org/ns/dcat#',
        dct: 'http://purl.org/dc/terms/',
        foaf: 'http://xmlns.com/foaf/0.1/',
        vcard: 'http://www.w3.org/2006/vcard/ns#',
        locn: 'http://www.w3.org/ns/locn#',
        skos: 'http://www.w3.org/2004/02/skos/core#',
        adms: 'http://www.w3.org/ns/adms#',
        xsd: 'http://www.w3.org/2001/XMLSchema#',
      },
      '@id': 'https://data.example.org/trees',
      '@type': 'dcat:Dataset',
      'dct:identifier': 'https://doi.org/10.5072/trees',
      'dct:title': [
        { '@value': 'Trees of the city', '@language': 'en' },
        { '@value': 'Bäume der Stadt', '@language': 'de' },
      ],
      'dct:description': { '@value': 'Every tree, with its kind & age.', '@language': 'en' },
      'dct:creator': {
        '@type': 'foaf:Person',
        'foaf:name': 'Linda Linde',
        'foaf:givenName': 'Linda',
        'foaf:familyName': 'Linde',
      },
      'dct:publisher': {
        '@id': 'https://city.example.org',
        '@type': 'foaf:Organization',
        'foaf:name': { '@value': 'City Office', '@language': 'en' },
      },
      'dcat:contactPoint': {
        '@type': 'vcard:Organization',
        'vcard:fn': 'Garden Department',
        'vcard:hasEmail': { '@id': 'mailto:gardens@example.org' },
      },
      'dcat:keyword': [
        { '@value': 'trees', '@language': 'en' },
        { '@value': 'Bäume', '@language': 'de' },
      ],
      'dcat:theme': [
        {
          '@id': 'http://publications.europa.eu/resource/authority/data-theme/ENVI',
          '@type': 'skos:Concept',
          'skos:prefLabel': { '@value': 'Environment', '@language': 'en' },
        },
      ],
      'dct:issued': { '@value': '2018-05-01', '@type': 'xsd:date' },
      'dct:modified': { '@value': '2024-01-31T08:00:00+01:00', '@type': 'xsd:dateTime' },
      'dct:language': { '@id': 'http://publications.europa.eu/resource/authority/language/DEU' },
      'dct:temporal': {
        '@type': 'dct:PeriodOfTime',
        'dcat:startDate': '2017-01-01',
        'dcat:endDate': '2023-12-31',
      },
      'dct:spatial': {
        '@type': 'dct:Location',
        'dcat:bbox': {
          '@value': 'POLYGON((8.30 48.95,8.52 48.95,8.52 49.09,8.30 49.09,8.30 48.95))',
          '@type': 'http://www.opengis.net/ont/geosparql#wktLiteral',
        },
        'skos:prefLabel': 'Karlsruhe',
      },
      'dct:license': { '@id': 'https://creativecommons.org/licenses/by/4.0/' },
      'dct:isPartOf': { '@id': 'https://data.example.org/nature' },
      'adms:versionNotes': 'Corrected',
      'dcat:version': '7',
      'dcat:distribution': [
        {
          '@type': 'dcat:Distribution',
          'dcat:accessURL': { '@id': 'https://data.example.org/trees.csv' },
          'dcat:mediaType': { '@id': 'https://www.iana.org/assignments/media-types/text/csv' },
          'dcat:byteSize': 1024,
        },
        {
          '@type': 'dcat:Distribution',
          'dcat:accessURL': { '@id': 'https://data.example.org/trees.json' },
          'dct:format': 'JSON',
        },
      ],
    },
    described: {
      formats: ['text/csv'],
      identifier: [{ identifier: '10.5072/trees', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [{ name: 'Linda Linde', nameType: 'Personal', givenName: 'Linda', familyName: 'Linde' }],
      titles: [
        { title: 'Trees of the city', lang: 'en' },
        { title: 'Bäume der Stadt', lang: 'de' },
      ],
      publisher: [{ name: 'City Office' }],
      publicationYear: ['2018'],
      subjects: [
        { subject: 'trees', lang: 'en' },
        { subject: 'Bäume', lang: 'de' },
        {
          subject: 'Environment',
          valueUri: 'http://publications.europa.eu/resource/authority/data-theme/ENVI',
        },
      ],
      contributors: [
        { contributorType: 'ContactPerson', name: 'Garden Department', nameType: 'Organizational' },
      ],
      dates: [
        { date: '2018-05-01', dateType: 'Issued' },
        { date: '2024-01-31T08:00:00+01:00', dateType: 'Updated' },
        { date: '2017-01-01/2023-12-31', dateType: 'Coverage' },
      ],
      language: ['de'],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://data.example.org/nature',
          relatedIdentifierType: 'URL',
          relationType: 'IsPartOf',
        },
      ],
      version: ['7'],
      rightsList: [
        {
          rights: 'https://creativecommons.org/licenses/by/4.0/',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        { description: 'Every tree, with its kind & age.', descriptionType: 'Abstract', lang: 'en' },
      ],
      geoLocations: [
        {
          geoLocationPlace: 'Karlsruhe',
          geoLocationBox: {
            westBoundLongitude: 8.3,
            eastBoundLongitude: 8.52,
            southBoundLatitude: 48.95,
            northBoundLatitude: 49.09,
          },
        },
      ],
    },
  },
  {
    title:
      'DDI Codebook 2.5 of a study in waves: persons and institutions, a grant, two languages, places, variables',
    schema: 'DDI Codebook',
    document: `<codeBook xmlns="ddi:codebook:2_5" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="2.5" xml:lang="en">
<docDscr><citation><titlStmt><titl>Documentation of the survey of readers</titl></titlStmt><prodStmt><prodDate date="2021-07-01">July 2021</prodDate></prodStmt></citation></docDscr>
<stdyDscr><citation>
<titlStmt><titl xml:lang="en">Survey of readers, wave 3</titl><altTitl>Readers 3</altTitl><parTitl xml:lang="fi">Lukijakysely, aalto 3</parTitl><IDNo agency="DOI">10.5072/readers3</IDNo><IDNo agency="Archive">FD3001</IDNo></titlStmt>
<rspStmt><AuthEnty affiliation="University of Reading">Lukija, Leena</AuthEnty><AuthEnty>Institute of Books</AuthEnty><othId role="translator">Kääntäjä, Kaisa</othId></rspStmt>
<prodStmt><producer abbr="IB">Institute of Books</producer><prodDate date="2020-12-01">December 2020</prodDate><fundAg>Foundation of Letters</fundAg><grantNo agency="Foundation of Letters">L-12</grantNo><copyright>Institute of Books</copyright></prodStmt>
<distStmt><distrbtr URI="https://archive.example.org">Archive of Surveys</distrbtr><contact email="help@example.org">Help desk</contact><distDate date="2021-06-15">15 June 2021</distDate></distStmt>
<serStmt><serName>Surveys of readers</serName></serStmt><verStmt><version date="2021-06-20">2.0</version></verStmt>
</citation>
<stdyInfo><subject><keyword vocab="ELSST" vocabURI="https://elsst.cessda.eu/">reading</keyword><keyword>libraries</keyword><topcClas vocab="CESSDA">Media</topcClas></subject>
<abstract xml:lang="en">What people read &amp; where.</abstract><abstract xml:lang="fi">Mitä ja missä luetaan.</abstract>
<sumDscr><timePrd event="start" date="2020-01-01"/><timePrd event="end" date="2020-06-30"/><collDate event="single" date="2020-03-05"/><nation abbr="FI">Finland</nation><geogCover>Helsinki</geogCover>
<geoBndBox><westBL>20.5</westBL><eastBL>31.6</eastBL><southBL>59.7</southBL><northBL>70.1</northBL></geoBndBox><dataKind>Survey data</dataKind></sumDscr></stdyInfo>
<method><dataColl><collMode>Interview by telephone</collMode></dataColl></method>
<dataAccs><useStmt><restrctn>For research alone.</restrctn><conditions>Name the source.</conditions></useStmt></dataAccs>
<othrStdyMat><relPubl><citation><titlStmt><titl>What Finns read</titl><IDNo agency="DOI">10.5072/finns</IDNo></titlStmt></citation></relPubl></othrStdyMat>
</stdyDscr>
<fileDscr><fileTxt><fileName>readers.csv</fileName><fileType>text/csv</fileType></fileTxt></fileDscr>
<dataDscr><var ID="V1" name="age"><labl>Age</labl></var><var ID="V2" name="books"><labl>Books a year</labl></var></dataDscr>
</codeBook>`,
    described: {
      identifier: [{ identifier: '10.5072/readers3', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Survey data' }],
      creators: [
        { name: 'Lukija, Leena', affiliation: [{ name: 'University of Reading' }] },
        { name: 'Institute of Books' },
      ],
      titles: [
        { title: 'Survey of readers, wave 3', lang: 'en' },
        { title: 'Readers 3', titleType: 'AlternativeTitle' },
        { title: 'Lukijakysely, aalto 3', titleType: 'TranslatedTitle', lang: 'fi' },
      ],
      publisher: [{ name: 'Archive of Surveys' }],
      publicationYear: ['2021'],
      subjects: [
        { subject: 'reading', subjectScheme: 'ELSST', schemeUri: 'https://elsst.cessda.eu/' },
        { subject: 'libraries' },
        { subject: 'Media', subjectScheme: 'CESSDA' },
      ],
      contributors: [
        { contributorType: 'Translator', name: 'Kääntäjä, Kaisa' },
        { contributorType: 'Producer', name: 'Institute of Books' },
        { contributorType: 'ContactPerson', name: 'Help desk' },
      ],
      dates: [
        { date: '2021-06-15', dateType: 'Issued' },
        { date: '2020-12-01', dateType: 'Created' },
        { date: '2020-03-05', dateType: 'Collected' },
        { date: '2020-01-01/2020-06-30', dateType: 'Coverage' },
      ],
      language: ['en'],
      alternateIdentifiers: [{ alternateIdentifier: 'FD3001', alternateIdentifierType: 'Archive' }],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/finns', relatedIdentifierType: 'DOI', relationType: 'IsReferencedBy' },
      ],
      relatedItems: [
        {
          titles: [{ title: 'Surveys of readers' }],
          relatedItemType: 'Collection',
          relationType: 'IsPartOf',
        },
      ],
      version: ['2.0'],
      rightsList: [
        { rights: 'Institute of Books' },
        { rights: 'Name the source.' },
        { rights: 'For research alone.' },
      ],
      descriptions: [
        { description: 'What people read & where.', descriptionType: 'Abstract', lang: 'en' },
        { description: 'Mitä ja missä luetaan.', descriptionType: 'Abstract', lang: 'fi' },
        { description: 'Interview by telephone', descriptionType: 'Methods' },
      ],
      geoLocations: [
        { geoLocationPlace: 'Finland' },
        { geoLocationPlace: 'Helsinki' },
        {
          geoLocationBox: {
            westBoundLongitude: 20.5,
            eastBoundLongitude: 31.6,
            southBoundLatitude: 59.7,
            northBoundLatitude: 70.1,
          },
        },
      ],
      fundingReferences: [{ funderName: 'Foundation of Letters', awardNumber: 'L-12' }],
    },
  },
  {
    title:
      'METS of a digitized book: MODS with prefixes and roles, MODS of a chapter, Dublin Core behind it, files and structure',
    schema: 'METS with MODS',
    document: `<mets:mets xmlns:mets="http://www.loc.gov/METS/" xmlns:mods="http://www.loc.gov/mods/v3" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" OBJID="book-9" LABEL="Label of the book" TYPE="Monograph">
<mets:metsHdr CREATEDATE="2012-02-03T04:05:06"><mets:agent ROLE="CREATOR" TYPE="ORGANIZATION"><mets:name>Scan Office</mets:name></mets:agent></mets:metsHdr>
<mets:dmdSec ID="DMD1"><mets:mdWrap MDTYPE="MODS"><mets:xmlData><mods:mods version="3.5">
<mods:titleInfo xml:lang="ger"><mods:nonSort>Die</mods:nonSort><mods:title>Kunst der Glocken</mods:title><mods:subTitle>mit Tafeln</mods:subTitle></mods:titleInfo>
<mods:name type="personal" authority="gnd" valueURI="http://d-nb.info/gnd/118540238"><mods:namePart type="given">Gustav</mods:namePart><mods:namePart type="family">Glocke</mods:namePart><mods:namePart type="date">1801-1877</mods:namePart><mods:role><mods:roleTerm type="code" authority="marcrelator">aut</mods:roleTerm></mods:role></mods:name>
<mods:name type="corporate"><mods:namePart>Gießerei Klang</mods:namePart><mods:role><mods:roleTerm type="code" authority="marcrelator">spn</mods:roleTerm></mods:role></mods:name>
<mods:typeOfResource>text</mods:typeOfResource><mods:genre authority="marcgt">book</mods:genre>
<mods:originInfo><mods:place><mods:placeTerm type="text">Leipzig</mods:placeTerm></mods:place><mods:publisher>Verlag der Töne</mods:publisher><mods:dateIssued encoding="w3cdtf" keyDate="yes">1846</mods:dateIssued><mods:edition>2. Auflage</mods:edition></mods:originInfo>
<mods:originInfo><mods:publisher>Scan Office</mods:publisher><mods:dateCaptured encoding="w3cdtf">2012-02-03</mods:dateCaptured></mods:originInfo>
<mods:language><mods:languageTerm type="code" authority="iso639-2b">ger</mods:languageTerm></mods:language>
<mods:physicalDescription><mods:extent>VIII, 212 S.</mods:extent><mods:internetMediaType>image/tiff</mods:internetMediaType></mods:physicalDescription>
<mods:subject authority="gnd"><mods:topic valueURI="http://d-nb.info/gnd/4021231-9">Glocke</mods:topic><mods:geographic>Sachsen</mods:geographic></mods:subject>
<mods:relatedItem type="series"><mods:titleInfo><mods:title>Handwerk</mods:title></mods:titleInfo><mods:part><mods:detail type="volume"><mods:number>4</mods:number></mods:detail></mods:part></mods:relatedItem>
<mods:identifier type="urn">urn:nbn:de:example-9</mods:identifier><mods:identifier type="vd18">90001234</mods:identifier>
<mods:accessCondition type="use and reproduction" xlink:href="https://creativecommons.org/publicdomain/mark/1.0/">Public Domain Mark 1.0</mods:accessCondition>
</mods:mods></mets:xmlData></mets:mdWrap></mets:dmdSec>
<mets:dmdSec ID="DMD2"><mets:mdWrap MDTYPE="MODS"><mets:xmlData><mods:mods><mods:titleInfo><mods:title>Vom Guss</mods:title></mods:titleInfo></mods:mods></mets:xmlData></mets:mdWrap></mets:dmdSec>
<mets:dmdSec ID="DMD3"><mets:mdWrap MDTYPE="DC"><mets:xmlData><dc:title>Glocken, kurz</dc:title></mets:xmlData></mets:mdWrap></mets:dmdSec>
<mets:fileSec><mets:fileGrp USE="MASTER"><mets:file ID="F1" MIMETYPE="image/tiff"><mets:FLocat LOCTYPE="URL" xlink:href="https://scans.example.org/9/1.tif"/></mets:file></mets:fileGrp></mets:fileSec>
<mets:structMap TYPE="LOGICAL"><mets:div DMDID="DMD1" LABEL="Book"><mets:div DMDID="DMD2" LABEL="Chapter"/></mets:div></mets:structMap>
</mets:mets>`,
    described: {
      identifier: [{ identifier: 'urn:nbn:de:example-9', identifierType: 'URN' }],
      types: [{ resourceTypeGeneral: 'Text', resourceType: 'book' }],
      creators: [
        {
          name: 'Glocke, Gustav',
          nameType: 'Personal',
          givenName: 'Gustav',
          familyName: 'Glocke',
          nameIdentifiers: [
            {
              nameIdentifier: 'http://d-nb.info/gnd/118540238',
              nameIdentifierScheme: 'GND',
              schemeUri: 'https://d-nb.info/gnd',
            },
          ],
        },
      ],
      titles: [
        { title: 'Die Kunst der Glocken', lang: 'de' },
        { title: 'mit Tafeln', titleType: 'Subtitle' },
      ],
      publisher: [{ name: 'Verlag der Töne' }],
      publicationYear: ['1846'],
      subjects: [
        { subject: 'Glocke', valueUri: 'http://d-nb.info/gnd/4021231-9' },
        { subject: 'Sachsen', subjectScheme: 'gnd' },
      ],
      contributors: [{ contributorType: 'Sponsor', name: 'Gießerei Klang', nameType: 'Organizational' }],
      dates: [
        { date: '1846', dateType: 'Issued' },
        { date: '2012-02-03', dateType: 'Collected' },
      ],
      language: ['de'],
      alternateIdentifiers: [
        { alternateIdentifier: 'book-9', alternateIdentifierType: 'OBJID' },
        { alternateIdentifier: '90001234', alternateIdentifierType: 'vd18' },
      ],
      relatedItems: [
        {
          relatedItemType: 'Collection',
          relationType: 'IsPartOf',
          titles: [{ title: 'Handwerk' }],
          volume: '4',
        },
      ],
      sizes: ['VIII, 212 S.'],
      formats: ['image/tiff'],
      version: ['2. Auflage'],
      rightsList: [
        { rights: 'Public Domain Mark 1.0', rightsUri: 'https://creativecommons.org/publicdomain/mark/1.0/' },
      ],
      geoLocations: [{ geoLocationPlace: 'Sachsen' }],
    },
  },
]
