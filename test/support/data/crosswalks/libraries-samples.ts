import type { KnownSample } from './known-sample.js'

/*
 * Documents of known schemas with what they say about themselves: libraries, archives and museums.
 */

export const librariesSamples: readonly KnownSample[] = [
  {
    title: 'oai_dc',
    schema: 'oai_dc',
    document: `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <dc:title xml:lang="eng">On creep</dc:title><dc:creator>Example, Ada</dc:creator><dc:contributor>Muster, Max</dc:contributor><dc:subject>creep</dc:subject><dc:description>About creep.</dc:description>
  <dc:date>2016-07-05T17:28:25Z</dc:date><dc:date>2016-07-05T17:28:26Z</dc:date><dc:date>2007-09</dc:date><dc:type>info:eu-repo/semantics/article</dc:type><dc:format>application/pdf</dc:format>
  <dc:identifier>8755-4208</dc:identifier><dc:identifier>http://hdl.handle.net/11216/1280</dc:identifier><dc:source>https://doi.org/10.5072/raw</dc:source><dc:language>en_US</dc:language><dc:relation>https://doi.org/10.5072/other</dc:relation>
  <dc:rights>https://creativecommons.org/licenses/by/4.0/</dc:rights><dc:publisher>Example University</dc:publisher><dc:coverage>Kentucky</dc:coverage>
</oai_dc:dc>`,
    described: {
      alternateIdentifiers: [{ alternateIdentifier: '8755-4208', alternateIdentifierType: 'ISSN' }],
      identifier: [{ identifier: 'http://hdl.handle.net/11216/1280', identifierType: 'Handle' }],
      types: [{ resourceTypeGeneral: 'JournalArticle', resourceType: 'info:eu-repo/semantics/article' }],
      creators: [{ name: 'Example, Ada' }],
      titles: [{ title: 'On creep', lang: 'en' }],
      publisher: [{ name: 'Example University' }],
      publicationYear: ['2007'],
      subjects: [{ subject: 'creep' }],
      contributors: [{ contributorType: 'Other', name: 'Muster, Max' }],
      dates: [
        { date: '2016-07-05T17:28:25Z', dateType: 'Other' },
        { date: '2016-07-05T17:28:26Z', dateType: 'Other' },
        { date: '2007-09', dateType: 'Other' },
      ],
      language: ['en-US'],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/raw', relatedIdentifierType: 'DOI', relationType: 'IsDerivedFrom' },
      ],
      formats: ['application/pdf'],
      rightsList: [
        {
          rights: 'https://creativecommons.org/licenses/by/4.0/',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'About creep.', descriptionType: 'Abstract' }],
      geoLocations: [{ geoLocationPlace: 'Kentucky' }],
    },
  },
  {
    title: 'qualified Dublin Core',
    schema: 'Dublin Core (metadata)',
    document: `<metadata xmlns="http://example.org/app/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">
  <dc:title>Tests</dc:title><dcterms:alternative>T</dcterms:alternative><dc:creator>Example, Ada</dc:creator><dcterms:issued>2020-01-02</dcterms:issued><dcterms:created>2019</dcterms:created><dcterms:modified>2021</dcterms:modified><dcterms:abstract>About tests.</dcterms:abstract><dcterms:tableOfContents>1. Tests</dcterms:tableOfContents>
  <dc:type>http://purl.org/dc/dcmitype/MovingImage</dc:type><dcterms:extent>2 MB</dcterms:extent><dcterms:isPartOf>https://doi.org/10.5072/series</dcterms:isPartOf><dcterms:replaces>https://doi.org/10.5072/old</dcterms:replaces><dcterms:license>CC0-1.0</dcterms:license><dcterms:spatial>Karlsruhe</dcterms:spatial><dcterms:temporal>2018/2019</dcterms:temporal>
</metadata>`,
    described: {
      types: [
        { resourceTypeGeneral: 'Audiovisual', resourceType: 'http://purl.org/dc/dcmitype/MovingImage' },
      ],
      creators: [{ name: 'Example, Ada' }],
      titles: [{ title: 'Tests' }, { title: 'T', titleType: 'AlternativeTitle' }],
      publicationYear: ['2020'],
      dates: [
        { date: '2020-01-02', dateType: 'Issued' },
        { date: '2019', dateType: 'Created' },
        { date: '2021', dateType: 'Updated' },
        { date: '2018/2019', dateType: 'Coverage' },
      ],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/series', relatedIdentifierType: 'DOI', relationType: 'IsPartOf' },
        { relatedIdentifier: '10.5072/old', relatedIdentifierType: 'DOI', relationType: 'Obsoletes' },
      ],
      sizes: ['2 MB'],
      rightsList: [
        {
          rights: 'CC0-1.0',
          rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        { description: 'About tests.', descriptionType: 'Abstract' },
        { description: '1. Tests', descriptionType: 'TableOfContents' },
      ],
      geoLocations: [{ geoLocationPlace: 'Karlsruhe' }],
    },
  },
  {
    title: 'MODS',
    schema: 'MODS 3',
    document: `<mods xmlns="http://www.loc.gov/mods/v3" xmlns:xlink="http://www.w3.org/1999/xlink" version="3.7">
  <titleInfo lang="eng"><nonSort>The</nonSort><title>annals</title><subTitle>a fragment</subTitle><partNumber>2</partNumber></titleInfo><titleInfo type="alternative"><title>Annals</title></titleInfo><titleInfo type="translated" lang="ger"><title>Annalen</title></titleInfo>
  <name type="personal" valueURI="http://viaf.org/viaf/283001"><namePart type="given">Ada</namePart><namePart type="family">Example</namePart><namePart type="date">1815-1852</namePart><role><roleTerm type="code" authority="marcrelator">aut</roleTerm></role><affiliation>Example Institute</affiliation></name>
  <name type="personal"><namePart>Muster, Max</namePart><displayForm>M. Muster</displayForm><role><roleTerm type="text">Editor</roleTerm></role></name>
  <name type="corporate"><namePart>A donor</namePart><role><roleTerm type="text">donor</roleTerm></role></name>
  <typeOfResource>text</typeOfResource><genre authority="marcgt">chronicle</genre>
  <originInfo><publisher>Example Press</publisher><dateIssued encoding="w3cdtf">1905</dateIssued><dateCreated point="start">1400</dateCreated><dateCreated point="end">1499</dateCreated><edition>2nd ed.</edition></originInfo>
  <language><languageTerm type="text">Latin</languageTerm><languageTerm type="code" authority="iso639-2b">lat</languageTerm></language>
  <physicalDescription><extent>53 leaves</extent><internetMediaType>image/tiff</internetMediaType></physicalDescription>
  <abstract>About annals.</abstract><note>Bound.</note><note type="statement of responsibility">by Ada Example</note>
  <subject authority="lcsh"><topic authority="lcsh" valueURI="http://id.loc.gov/authorities/subjects/sh85116010">History</topic><geographic>England</geographic></subject>
  <identifier type="isbn">9789518593731</identifier><identifier type="hdl">1902.1/12</identifier><identifier type="doi" invalid="yes">10.5072/wrong</identifier><identifier type="local">MS 367</identifier>
  <relatedItem type="host"><titleInfo><title>Library</title></titleInfo><identifier type="uri">http://purl.example.org/kx5</identifier></relatedItem><relatedItem type="series"><identifier type="issn">1234-5679</identifier></relatedItem>
  <accessCondition type="use and reproduction" xlink:href="https://creativecommons.org/publicdomain/mark/1.0/">Public Domain Mark 1.0</accessCondition><accessCondition type="restriction on access">On site</accessCondition>
</mods>`,
    described: {
      identifier: [{ identifier: '1902.1/12', identifierType: 'Handle' }],
      types: [{ resourceTypeGeneral: 'Text', resourceType: 'chronicle' }],
      creators: [
        {
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          nameIdentifiers: [
            {
              nameIdentifier: 'http://viaf.org/viaf/283001',
              nameIdentifierScheme: 'VIAF',
              schemeUri: 'https://viaf.org',
            },
          ],
          affiliation: [{ name: 'Example Institute' }],
        },
      ],
      titles: [
        { title: 'The annals 2', lang: 'en' },
        { title: 'a fragment', titleType: 'Subtitle' },
        { title: 'Annals', titleType: 'AlternativeTitle' },
        { title: 'Annalen', titleType: 'TranslatedTitle', lang: 'de' },
      ],
      publisher: [{ name: 'Example Press' }],
      publicationYear: ['1905'],
      subjects: [
        {
          subject: 'History',
          subjectScheme: 'lcsh',
          valueUri: 'http://id.loc.gov/authorities/subjects/sh85116010',
        },
        { subject: 'England', subjectScheme: 'lcsh' },
      ],
      contributors: [
        {
          contributorType: 'Editor',
          name: 'Muster, Max',
          nameType: 'Personal',
          givenName: 'Max',
          familyName: 'Muster',
        },
        { contributorType: 'Other', name: 'A donor', nameType: 'Organizational' },
      ],
      dates: [
        { date: '1905', dateType: 'Issued' },
        { date: '1400/1499', dateType: 'Created' },
      ],
      language: ['la'],
      alternateIdentifiers: [
        { alternateIdentifier: '9789518593731', alternateIdentifierType: 'ISBN' },
        { alternateIdentifier: 'MS 367', alternateIdentifierType: 'Local' },
      ],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'http://purl.example.org/kx5',
          relatedIdentifierType: 'URL',
          relationType: 'IsPartOf',
        },
        { relatedIdentifier: '1234-5679', relatedIdentifierType: 'ISSN', relationType: 'IsPartOf' },
      ],
      relatedItems: [
        { titles: [{ title: 'Library' }], relatedItemType: 'Collection', relationType: 'IsPartOf' },
      ],
      sizes: ['53 leaves'],
      formats: ['image/tiff'],
      version: ['2nd ed.'],
      rightsList: [
        { rights: 'Public Domain Mark 1.0', rightsUri: 'https://creativecommons.org/publicdomain/mark/1.0/' },
      ],
      descriptions: [
        { description: 'About annals.', descriptionType: 'Abstract' },
        { description: 'Bound.', descriptionType: 'Other' },
      ],
      geoLocations: [{ geoLocationPlace: 'England' }],
    },
  },
  {
    title: 'a collection of MODS, of which the first record counts',
    schema: 'MODS 3 (collection)',
    document: `<modsCollection xmlns="http://www.loc.gov/mods/v3"><mods><titleInfo><title>One</title></titleInfo><name usage="primary"><namePart>Ada Example</namePart></name><originInfo><copyrightDate>1999</copyrightDate></originInfo></mods><mods><titleInfo><title>Two</title></titleInfo></mods></modsCollection>`,
    described: {
      creators: [{ name: 'Ada Example' }],
      titles: [{ title: 'One' }],
      publicationYear: ['1999'],
      dates: [{ date: '1999', dateType: 'Copyrighted' }],
    },
  },
  {
    title: 'METS with MODS of the whole and of parts',
    schema: 'METS with MODS',
    document: `<mets:mets xmlns:mets="http://www.loc.gov/METS/" xmlns:mods="http://www.loc.gov/mods/v3">
  <mets:dmdSec ID="D0"><mets:mdWrap MDTYPE="MODS"><mets:xmlData><mods:mods><mods:titleInfo><mods:title>The newspaper</mods:title></mods:titleInfo><mods:identifier type="ppn">123</mods:identifier></mods:mods></mets:xmlData></mets:mdWrap></mets:dmdSec>
  <mets:dmdSec ID="D1"><mets:mdWrap MDTYPE="MODS"><mets:xmlData><mods:mods><mods:titleInfo><mods:title>Table of contents</mods:title></mods:titleInfo><mods:abstract>Not of the whole</mods:abstract></mods:mods></mets:xmlData></mets:mdWrap></mets:dmdSec>
</mets:mets>`,
    described: {
      titles: [{ title: 'The newspaper' }],
      alternateIdentifiers: [{ alternateIdentifier: '123', alternateIdentifierType: 'ppn' }],
    },
  },
  {
    title: 'METS 2 with Dublin Core, behind a description that is elsewhere',
    schema: 'METS with Dublin Core',
    document: `<mets xmlns="http://www.loc.gov/METS/v2" xmlns:dc="http://purl.org/dc/elements/1.1/"><mdSec><mdGrp USE="DESCRIPTIVE"><md ID="d0"><mdRef MDTYPE="MARC" LOCTYPE="URL" LOCREF="http://example.org/m.xml"/></md><md ID="d1"><mdWrap MDTYPE="DC"><xmlData><dc:title>A box</dc:title><dc:creator>Example, Ada</dc:creator><dc:date>1950</dc:date></xmlData></mdWrap></md></mdGrp></mdSec></mets>`,
    described: {
      creators: [{ name: 'Example, Ada' }],
      titles: [{ title: 'A box' }],
      publicationYear: ['1950'],
      dates: [{ date: '1950', dateType: 'Issued' }],
    },
  },
  {
    title: 'EAD 3',
    schema: 'EAD 3',
    document: `<ead xmlns="http://ead3.archivists.org/schema/">
  <control><recordid instanceurl="https://findingaids.example.org/C1">C1</recordid><filedesc><titlestmt><titleproper>Papers of Ada Example: a finding aid</titleproper><author>Finding aid created by Max Muster.</author></titlestmt><publicationstmt><publisher>Example Library</publisher><date normal="2017-05-01">May 2017</date></publicationstmt></filedesc></control>
  <archdesc level="collection">
    <did><unittitle>Papers of Ada Example</unittitle><unitid>Mss 2 A</unitid>
      <origination><persname identifier="http://viaf.org/viaf/46888277"><part localtype="surname">Example</part><part localtype="forename">Ada</part><part localtype="existDates">1815-1852</part></persname><corpname><part>Example Library</part><part>Manuscripts</part></corpname></origination>
      <unitdatestructured unitdatetype="inclusive"><daterange><fromdate standarddate="1917">1917</fromdate><todate standarddate="1955">1955</todate></daterange></unitdatestructured><unitdatestructured unitdatetype="bulk"><daterange><fromdate standarddate="1920"/><todate standarddate="1930"/></daterange></unitdatestructured>
      <physdescstructured><quantity>2</quantity><unittype>linear feet</unittype></physdescstructured><langmaterial><languageset><language langcode="ger"/></languageset></langmaterial><abstract>Letters.</abstract></did>
    <userestrict><head>Use</head><p>Ask first.</p></userestrict><scopecontent><p>More on letters.</p></scopecontent>
    <controlaccess><head>Index</head><controlaccess><subject source="LCSH"><part localtype="a">Letters</part><part localtype="z">England</part></subject></controlaccess><genreform source="aat" identifier="http://vocab.getty.edu/aat/300026879"><part>diaries</part></genreform></controlaccess>
  </archdesc>
</ead>`,
    described: {
      identifier: [{ identifier: 'https://findingaids.example.org/C1', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'collection' }],
      creators: [
        {
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          nameIdentifiers: [
            {
              nameIdentifier: 'http://viaf.org/viaf/46888277',
              nameIdentifierScheme: 'VIAF',
              schemeUri: 'https://viaf.org',
            },
          ],
        },
        { name: 'Example Library. Manuscripts', nameType: 'Organizational' },
      ],
      titles: [{ title: 'Papers of Ada Example' }],
      publisher: [{ name: 'Example Library' }],
      publicationYear: ['2017'],
      subjects: [
        { subject: 'diaries', subjectScheme: 'aat', valueUri: 'http://vocab.getty.edu/aat/300026879' },
        { subject: 'Letters--England', subjectScheme: 'LCSH' },
      ],
      dates: [{ date: '1917/1955', dateType: 'Created' }],
      language: ['de'],
      alternateIdentifiers: [
        { alternateIdentifier: 'Mss 2 A', alternateIdentifierType: 'unitid' },
        { alternateIdentifier: 'C1', alternateIdentifierType: 'recordid' },
      ],
      sizes: ['2 linear feet'],
      rightsList: [{ rights: 'Ask first.' }],
      descriptions: [{ description: 'Letters.', descriptionType: 'Abstract' }],
    },
  },
  {
    title: 'EAD 2002',
    schema: 'EAD 2002',
    document: `<ead xmlns="urn:isbn:1-931666-22-9"><eadheader><eadid url="https://findingaids.example.org/m7">m7</eadid><filedesc><titlestmt><titleproper>Inventory</titleproper></titlestmt></filedesc></eadheader>
  <archdesc level="fonds"><did><unittitle>Records, <unitdate normal="1907/2005">1907-2005</unitdate></unittitle><origination><persname>Example, Ada, 1815-1852</persname></origination><repository><corpname>Example Archive</corpname></repository><unitdate normal="1989/1999" type="bulk">1989-1999</unitdate><unitdate normal="1907/2005" type="inclusive">1907-2005</unitdate><physdesc><extent>1.0 cubic feet</extent></physdesc></did><scopecontent><head>Content</head><p>Records.</p></scopecontent></archdesc></ead>`,
    described: {
      identifier: [{ identifier: 'https://findingaids.example.org/m7', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'fonds' }],
      creators: [{ name: 'Example, Ada', nameType: 'Personal', givenName: 'Ada', familyName: 'Example' }],
      titles: [{ title: 'Records, 1907-2005' }],
      publisher: [{ name: 'Example Archive' }],
      dates: [{ date: '1907/2005', dateType: 'Created' }],
      alternateIdentifiers: [{ alternateIdentifier: 'm7', alternateIdentifierType: 'eadid' }],
      sizes: ['1.0 cubic feet'],
      descriptions: [{ description: 'Records.', descriptionType: 'Abstract' }],
    },
  },
  {
    title: 'LIDO 1.0 in its wrapper',
    schema: 'LIDO (wrapped)',
    document: `<lido:lidoWrap xmlns:lido="http://www.lido-schema.org"><lido:lido><lido:lidoRecID lido:type="local">obj-7</lido:lidoRecID>
  <lido:descriptiveMetadata xml:lang="ger">
    <lido:objectClassificationWrap><lido:objectWorkTypeWrap><lido:objectWorkType><lido:term>Gemälde</lido:term></lido:objectWorkType></lido:objectWorkTypeWrap><lido:classificationWrap><lido:classification><lido:term>Malerei</lido:term></lido:classification></lido:classificationWrap></lido:objectClassificationWrap>
    <lido:objectIdentificationWrap>
      <lido:titleWrap><lido:titleSet><lido:appellationValue lido:pref="preferred" xml:lang="de">Das Haus</lido:appellationValue><lido:appellationValue lido:pref="alternate">Haus</lido:appellationValue></lido:titleSet></lido:titleWrap>
      <lido:repositoryWrap><lido:repositorySet><lido:workID lido:type="Inventarnummer">1971,2</lido:workID></lido:repositorySet></lido:repositoryWrap>
      <lido:objectDescriptionWrap><lido:objectDescriptionSet lido:type="Objektanzahl"><lido:descriptiveNoteValue>1</lido:descriptiveNoteValue></lido:objectDescriptionSet><lido:objectDescriptionSet><lido:descriptiveNoteValue>Ein Haus.</lido:descriptiveNoteValue></lido:objectDescriptionSet></lido:objectDescriptionWrap>
      <lido:objectMeasurementsWrap><lido:objectMeasurementsSet><lido:displayObjectMeasurements>85 x 150 cm</lido:displayObjectMeasurements></lido:objectMeasurementsSet></lido:objectMeasurementsWrap>
    </lido:objectIdentificationWrap>
    <lido:eventWrap>
      <lido:eventSet><lido:event><lido:eventType><lido:term>Herstellung</lido:term></lido:eventType><lido:eventActor><lido:actorInRole><lido:actor lido:type="person"><lido:actorID lido:type="URI">https://d-nb.info/gnd/118540238</lido:actorID><lido:nameActorSet><lido:appellationValue>Example, Ada</lido:appellationValue></lido:nameActorSet></lido:actor></lido:actorInRole></lido:eventActor><lido:eventDate><lido:date><lido:earliestDate>1904</lido:earliestDate><lido:latestDate>1924</lido:latestDate></lido:date></lido:eventDate><lido:eventPlace><lido:displayPlace>unbekannt</lido:displayPlace></lido:eventPlace><lido:eventMaterialsTech><lido:displayMaterialsTech>Öl</lido:displayMaterialsTech></lido:eventMaterialsTech></lido:event></lido:eventSet>
      <lido:eventSet><lido:event><lido:eventType><lido:term>Erwerb</lido:term></lido:eventType><lido:eventActor><lido:actorInRole><lido:actor><lido:nameActorSet><lido:appellationValue>Ein Händler</lido:appellationValue></lido:nameActorSet></lido:actor></lido:actorInRole></lido:eventActor></lido:event></lido:eventSet>
    </lido:eventWrap>
  </lido:descriptiveMetadata>
  <lido:administrativeMetadata xml:lang="de"><lido:rightsWorkWrap><lido:rightsWorkSet><lido:rightsType><lido:term>Copyright</lido:term></lido:rightsType></lido:rightsWorkSet></lido:rightsWorkWrap><lido:recordWrap><lido:recordSource><lido:legalBodyName><lido:appellationValue>Museum</lido:appellationValue></lido:legalBodyName></lido:recordSource><lido:recordInfoSet><lido:recordInfoLink>https://museum.example.org/7</lido:recordInfoLink><lido:recordMetadataDate>2016-01-02</lido:recordMetadataDate></lido:recordInfoSet></lido:recordWrap></lido:administrativeMetadata>
</lido:lido></lido:lidoWrap>`,
    described: {
      identifier: [{ identifier: 'https://museum.example.org/7', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'PhysicalObject', resourceType: 'Gemälde' }],
      creators: [
        {
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://d-nb.info/gnd/118540238',
              nameIdentifierScheme: 'GND',
              schemeUri: 'https://d-nb.info/gnd',
            },
          ],
        },
      ],
      titles: [
        { title: 'Das Haus', lang: 'de' },
        { title: 'Haus', lang: 'de', titleType: 'AlternativeTitle' },
      ],
      publisher: [{ name: 'Museum' }],
      publicationYear: ['2016'],
      subjects: [{ subject: 'Malerei' }],
      dates: [{ date: '1904/1924', dateType: 'Created' }],
      language: ['de'],
      alternateIdentifiers: [
        { alternateIdentifier: 'obj-7', alternateIdentifierType: 'lidoRecID' },
        { alternateIdentifier: '1971,2', alternateIdentifierType: 'workID' },
      ],
      sizes: ['85 x 150 cm'],
      rightsList: [{ rights: 'Copyright' }],
      descriptions: [
        { description: 'Ein Haus.', descriptionType: 'Abstract' },
        { description: 'Öl', descriptionType: 'TechnicalInfo' },
      ],
    },
  },
  {
    title: 'LIDO 1.1 with concepts',
    schema: 'LIDO',
    document: `<lido:lido xmlns:lido="http://www.lido-schema.org" xmlns:skos="http://www.w3.org/2004/02/skos/core#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><lido:lidoRecID>C112</lido:lidoRecID><lido:objectPublishedID lido:type="http://terminology.lido-schema.org/lido00099">https://castle.example.org/tamar</lido:objectPublishedID>
  <lido:descriptiveMetadata xml:lang="it">
    <lido:objectClassificationWrap><lido:objectWorkTypeWrap><lido:objectWorkType><skos:Concept rdf:about="http://vocab.getty.edu/aat/300033618"><skos:prefLabel xml:lang="it">dipinto</skos:prefLabel></skos:Concept></lido:objectWorkType></lido:objectWorkTypeWrap></lido:objectClassificationWrap>
    <lido:objectIdentificationWrap><lido:titleWrap><lido:titleSet><lido:appellationValue lido:pref="http://terminology.lido-schema.org/lido00169" xml:lang="it">Tamar</lido:appellationValue></lido:titleSet></lido:titleWrap></lido:objectIdentificationWrap>
    <lido:eventWrap><lido:eventSet><lido:event><lido:eventType><skos:Concept rdf:about="http://terminology.lido-schema.org/lido00007"><skos:prefLabel xml:lang="en">Production</skos:prefLabel></skos:Concept></lido:eventType>
      <lido:eventActor><lido:actorInRole><lido:actor><lido:nameActorSet><lido:appellationValue>Hayez, Francesco</lido:appellationValue><lido:appellationValue>Hayez</lido:appellationValue></lido:nameActorSet></lido:actor></lido:actorInRole></lido:eventActor><lido:eventActor><lido:actorInRole><lido:actor><lido:nameActorSet><lido:appellationValue>unknown</lido:appellationValue></lido:nameActorSet></lido:actor></lido:actorInRole></lido:eventActor></lido:event></lido:eventSet></lido:eventWrap>
    <lido:objectRelationWrap><lido:subjectWrap><lido:subjectSet><lido:subject><lido:subjectConcept><skos:Concept rdf:about="http://iconclass.org/23D42"><skos:prefLabel>anello</skos:prefLabel></skos:Concept></lido:subjectConcept></lido:subject></lido:subjectSet></lido:subjectWrap></lido:objectRelationWrap>
  </lido:descriptiveMetadata>
</lido:lido>`,
    described: {
      identifier: [{ identifier: 'https://castle.example.org/tamar', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'PhysicalObject', resourceType: 'dipinto' }],
      creators: [{ name: 'Hayez, Francesco' }],
      titles: [{ title: 'Tamar', lang: 'it' }],
      subjects: [{ subject: 'anello', valueUri: 'http://iconclass.org/23D42' }],
      language: ['it'],
      alternateIdentifiers: [{ alternateIdentifier: 'C112', alternateIdentifierType: 'lidoRecID' }],
    },
  },
  {
    title: 'JATS',
    schema: 'JATS',
    document: `<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:ali="http://www.niso.org/schemas/ali/1.0/" article-type="research-article" xml:lang="en" dtd-version="1.3">
  <front>
    <journal-meta><journal-title-group><journal-title>Journal of Creep</journal-title></journal-title-group><issn pub-type="epub">2167-8359</issn><publisher><publisher-name>Example Press</publisher-name></publisher></journal-meta>
    <article-meta>
      <article-id pub-id-type="publisher-id">182</article-id><article-id pub-id-type="pmid">24167777</article-id><article-id pub-id-type="doi">10.5072/creep.182</article-id>
      <article-categories><subj-group subj-group-type="heading"><subject>Research Article</subject></subj-group><subj-group subj-group-type="categories"><subject>Metallurgy</subject></subj-group></article-categories>
      <title-group><article-title>Creep of <italic>nickel</italic></article-title><subtitle>A study</subtitle><trans-title-group xml:lang="de"><trans-title>Kriechen</trans-title></trans-title-group></title-group>
      <contrib-group><contrib contrib-type="author"><contrib-id contrib-id-type="orcid">https://orcid.org/0000-0001-5727-2427</contrib-id><name><surname>Example</surname><given-names>Ada</given-names></name><xref ref-type="aff" rid="a1">1</xref></contrib><contrib contrib-type="author"><collab>Alloy Group<contrib-group><contrib><name><surname>Member</surname></name></contrib></contrib-group></collab></contrib><aff id="a1"><label>1</label>Example Institute</aff></contrib-group>
      <contrib-group><contrib contrib-type="editor"><string-name><given-names>Max</given-names> <surname>Muster</surname></string-name><aff><label>2</label><institution>Example Press</institution></aff></contrib></contrib-group>
      <pub-date pub-type="epub"><day>5</day><month>1</month><year>2020</year></pub-date><pub-date pub-type="collection"><month>Feb</month><year>2020</year></pub-date>
      <volume>1</volume><issue>2</issue><fpage>10</fpage><lpage>19</lpage>
      <history><date date-type="received" iso-8601-date="2019-04-26"><day>26</day><month>4</month><year>2019</year></date><date date-type="accepted"><day>29</day><month>9</month><year>2019</year></date></history>
      <permissions><copyright-statement>© 2020</copyright-statement><license xlink:href="https://creativecommons.org/licenses/by/4.0/"><license-p>Open access.</license-p></license></permissions>
      <abstract><sec><title>Background</title><p>Metals creep.</p></sec><sec><title>Results</title><p>Nickel too.</p></sec></abstract><abstract abstract-type="graphical"><p>Figure</p></abstract><trans-abstract xml:lang="de"><p>Metalle kriechen.</p></trans-abstract>
      <kwd-group xml:lang="en"><title>Keywords</title><kwd>creep</kwd><kwd><italic>nickel</italic></kwd></kwd-group><kwd-group kwd-group-type="abbreviations"><kwd>Ni</kwd></kwd-group>
      <funding-group><award-group><funding-source><institution-wrap><institution>Example Funder</institution><institution-id institution-id-type="FundRef">https://doi.org/10.13039/501100001659</institution-id></institution-wrap></funding-source><award-id>AB 12</award-id></award-group></funding-group>
    </article-meta>
  </front><body><p>Text.</p></body>
</article>`,
    described: {
      identifier: [{ identifier: '10.5072/creep.182', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'JournalArticle', resourceType: 'research-article' }],
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
          affiliation: [{ name: 'Example Institute' }],
        },
        { name: 'Alloy Group', nameType: 'Organizational' },
      ],
      titles: [
        { title: 'Creep of nickel' },
        { title: 'A study', titleType: 'Subtitle' },
        { title: 'Kriechen', titleType: 'TranslatedTitle', lang: 'de' },
      ],
      publisher: [{ name: 'Example Press' }],
      subjects: [
        { subject: 'creep', lang: 'en' },
        { subject: 'nickel', lang: 'en' },
        { subject: 'Metallurgy' },
      ],
      contributors: [
        {
          contributorType: 'Editor',
          name: 'Muster, Max',
          nameType: 'Personal',
          givenName: 'Max',
          familyName: 'Muster',
          affiliation: [{ name: 'Example Press' }],
        },
      ],
      dates: [
        { date: '2020-01-05', dateType: 'Issued' },
        { date: '2020-02', dateType: 'Issued' },
        { date: '2019-04-26', dateType: 'Submitted' },
        { date: '2019-09-29', dateType: 'Accepted' },
      ],
      language: ['en'],
      alternateIdentifiers: [
        { alternateIdentifier: '182', alternateIdentifierType: 'publisher-id' },
        { alternateIdentifier: '24167777', alternateIdentifierType: 'PMID' },
      ],
      relatedItems: [
        {
          relatedItemType: 'Journal',
          relationType: 'IsPublishedIn',
          relatedItemIdentifier: { relatedItemIdentifier: '2167-8359', relatedItemIdentifierType: 'ISSN' },
          titles: [{ title: 'Journal of Creep' }],
          volume: '1',
          issue: '2',
          firstPage: '10',
          lastPage: '19',
        },
      ],
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
        { description: 'Background\n\nMetals creep.\n\nResults\n\nNickel too.', descriptionType: 'Abstract' },
        { description: 'Metalle kriechen.', descriptionType: 'Abstract', lang: 'de' },
      ],
      fundingReferences: [
        {
          funderName: 'Example Funder',
          funderIdentifier: 'https://doi.org/10.13039/501100001659',
          funderIdentifierType: 'Crossref Funder ID',
          awardNumber: 'AB 12',
        },
      ],
    },
  },
  {
    title: 'JATS with little in its front',
    schema: 'JATS',
    document: `<article xmlns="http://jats.nlm.nih.gov" xmlns:ali="http://www.niso.org/schemas/ali/1.0/" article-type="preprint"><front><article-meta><title-group><article-title>Draft</article-title></title-group><contrib-group><contrib><name-alternatives><name><surname>Example</surname><given-names>Ada</given-names></name></name-alternatives></contrib></contrib-group><permissions><license><ali:license_ref>https://creativecommons.org/licenses/by/4.0/</ali:license_ref></license></permissions></article-meta></front></article>`,
    described: {
      types: [{ resourceTypeGeneral: 'Preprint', resourceType: 'preprint' }],
      creators: [{ name: 'Example, Ada', nameType: 'Personal', givenName: 'Ada', familyName: 'Example' }],
      titles: [{ title: 'Draft' }],
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
    title: 'TEI',
    schema: 'TEI',
    document: `<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="de"><teiHeader>
  <fileDesc><titleStmt><title type="main">Am ersten Mai</title><title type="sub">Eine Tragikomödie</title><author ref="https://d-nb.info/gnd/116009357"><persName><forename>Karl</forename> <nameLink>von</nameLink> <surname>Adolph</surname></persName></author><author>Achat<idno type="wikidata">Q121462073</idno></author><editor><persName>Max Muster</persName></editor><funder>Example Funder</funder><respStmt><resp>Encoding</resp><name>Eve Sample</name><name>Bo Beispiel</name></respStmt><respStmt><resp>Author</resp><persName>Ada Example</persName></respStmt></titleStmt>
    <editionStmt><edition n="2">Second</edition></editionStmt><extent>12 pages</extent>
    <publicationStmt><publisher>Example Drama Corpus<idno type="URL">https://drama.example.org</idno></publisher><idno type="URL">https://drama.example.org</idno><idno type="DOI">10.5072/mai</idno><idno type="local">ger7</idno><date when="2020-05-01">1 May 2020</date><availability><licence target="https://creativecommons.org/publicdomain/zero/1.0/">CC0 1.0</licence></availability></publicationStmt>
    <sourceDesc><bibl><author>Another</author><date>1842</date></bibl></sourceDesc></fileDesc>
  <profileDesc><abstract xml:lang="deu"><p>Ein Stück.</p><p>In drei Akten.</p></abstract><creation><date notBefore="1841" notAfter="1842">um 1842</date></creation><langUsage><language ident="de">Deutsch</language></langUsage><textClass><keywords><term>Comedy</term><term>Worker</term></keywords></textClass></profileDesc>
</teiHeader><text><body><p/></body></text></TEI>`,
    described: {
      identifier: [{ identifier: '10.5072/mai', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Text', resourceType: 'TEI' }],
      creators: [
        {
          name: 'von Adolph, Karl',
          nameType: 'Personal',
          givenName: 'Karl',
          familyName: 'von Adolph',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://d-nb.info/gnd/116009357',
              nameIdentifierScheme: 'GND',
              schemeUri: 'https://d-nb.info/gnd',
            },
          ],
        },
        {
          name: 'Achat',
          nameIdentifiers: [{ nameIdentifier: 'Q121462073', nameIdentifierScheme: 'Wikidata' }],
        },
        { name: 'Ada Example' },
      ],
      titles: [{ title: 'Am ersten Mai' }, { title: 'Eine Tragikomödie', titleType: 'Subtitle' }],
      publisher: [{ name: 'Example Drama Corpus' }],
      publicationYear: ['2020'],
      subjects: [{ subject: 'Comedy' }, { subject: 'Worker' }],
      contributors: [
        { contributorType: 'Editor', name: 'Max Muster' },
        { contributorType: 'Other', name: 'Eve Sample' },
        { contributorType: 'Other', name: 'Bo Beispiel' },
      ],
      dates: [
        { date: '2020-05-01', dateType: 'Issued' },
        { date: '1841/1842', dateType: 'Created' },
      ],
      language: ['de'],
      alternateIdentifiers: [{ alternateIdentifier: 'ger7', alternateIdentifierType: 'local' }],
      sizes: ['12 pages'],
      version: ['2'],
      rightsList: [
        {
          rights: 'CC0 1.0',
          rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        { description: 'Ein Stück.\n\nIn drei Akten.', descriptionType: 'Abstract', lang: 'de' },
      ],
      fundingReferences: [{ funderName: 'Example Funder' }],
    },
  },
  {
    title: 'a corpus of TEI',
    schema: 'TEI (corpus)',
    document: `<teiCorpus xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Plays</title></titleStmt><publicationStmt><authority>Music Group</authority><availability><p>Under <ref target="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</ref>.</p></availability></publicationStmt><sourceDesc><p/></sourceDesc></fileDesc></teiHeader></teiCorpus>`,
    described: {
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'TEI' }],
      titles: [{ title: 'Plays' }],
      publisher: [{ name: 'Music Group' }],
      rightsList: [
        {
          rights: 'CC BY 4.0',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
    },
  },
]
