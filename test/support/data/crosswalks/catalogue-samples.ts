import type { KnownSample } from './known-sample.js'

/*
 * MODS, EAD 3 and LIDO in the forms that catalogues of libraries, archives and museums export.
 */

export const catalogueSamples: readonly KnownSample[] = [
  {
    title:
      'MODS of a book by a national library: names of an authority file, an ISBN that is wrong, a series without an identifier',
    schema: 'MODS 3',
    document: `<mods:mods xmlns:mods="http://www.loc.gov/mods/v3" xmlns:xlink="http://www.w3.org/1999/xlink" version="3.5">
  <mods:titleInfo><mods:nonSort>A </mods:nonSort><mods:title>garden in winter</mods:title></mods:titleInfo>
  <mods:titleInfo type="uniform"><mods:title>Garden</mods:title></mods:titleInfo>
  <mods:name type="personal" usage="primary" authority="naf"><mods:namePart>Frost, Flora</mods:namePart><mods:namePart type="date">1902-1977</mods:namePart><mods:role><mods:roleTerm authority="marcrelator" type="text">author.</mods:roleTerm></mods:role></mods:name>
  <mods:name type="personal"><mods:namePart>Green, Gus</mods:namePart><mods:role><mods:roleTerm authority="marcrelator" type="text">illustrator</mods:roleTerm><mods:roleTerm authority="marcrelator" type="code">ill</mods:roleTerm></mods:role></mods:name>
  <mods:name type="corporate"><mods:namePart>Garden Society.</mods:namePart><mods:namePart>Winter Section</mods:namePart><mods:role><mods:roleTerm type="text">sponsor</mods:roleTerm></mods:role></mods:name>
  <mods:typeOfResource>text</mods:typeOfResource><mods:genre authority="marcgt">bibliography</mods:genre>
  <mods:originInfo><mods:place><mods:placeTerm type="code" authority="marccountry">xxk</mods:placeTerm></mods:place><mods:place><mods:placeTerm type="text">London</mods:placeTerm></mods:place><mods:publisher>Hedge &amp; Sons</mods:publisher><mods:dateIssued>c1951</mods:dateIssued><mods:dateIssued encoding="marc">1951</mods:dateIssued><mods:issuance>monographic</mods:issuance></mods:originInfo>
  <mods:language><mods:languageTerm authority="iso639-2b" type="code">eng</mods:languageTerm></mods:language>
  <mods:physicalDescription><mods:form authority="marcform">print</mods:form><mods:extent>120 p. ; 20 cm.</mods:extent></mods:physicalDescription>
  <mods:note type="bibliography">Bibliography: p. 118.</mods:note>
  <mods:subject authority="lcsh"><mods:topic>Gardening</mods:topic><mods:geographic>Scotland</mods:geographic><mods:temporal>20th century</mods:temporal></mods:subject>
  <mods:subject><mods:name type="personal"><mods:namePart>Snow, Sid</mods:namePart></mods:name></mods:subject>
  <mods:subject><mods:hierarchicalGeographic><mods:country>Scotland</mods:country><mods:city>Perth</mods:city></mods:hierarchicalGeographic></mods:subject>
  <mods:classification authority="lcc">SB454</mods:classification>
  <mods:relatedItem type="series"><mods:titleInfo><mods:title>Small gardens</mods:title></mods:titleInfo></mods:relatedItem>
  <mods:identifier type="isbn" invalid="yes">0123</mods:identifier><mods:identifier type="lccn">51000123</mods:identifier><mods:identifier type="uri">https://lccn.example.org/51000123</mods:identifier>
  <mods:recordInfo><mods:recordIdentifier source="EX">123</mods:recordIdentifier><mods:recordCreationDate encoding="marc">510101</mods:recordCreationDate></mods:recordInfo>
</mods:mods>`,
    described: {
      identifier: [{ identifier: 'https://lccn.example.org/51000123', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Text', resourceType: 'bibliography' }],
      creators: [{ name: 'Frost, Flora', nameType: 'Personal', givenName: 'Flora', familyName: 'Frost' }],
      titles: [{ title: 'A garden in winter' }, { title: 'Garden', titleType: 'AlternativeTitle' }],
      publisher: [{ name: 'Hedge & Sons' }],
      publicationYear: ['1951'],
      subjects: [
        { subject: 'Gardening', subjectScheme: 'lcsh' },
        { subject: 'Scotland', subjectScheme: 'lcsh' },
        { subject: '20th century', subjectScheme: 'lcsh' },
        { subject: 'Snow, Sid' },
        { subject: 'SB454', subjectScheme: 'lcc' },
      ],
      contributors: [
        {
          contributorType: 'Other',
          name: 'Green, Gus',
          nameType: 'Personal',
          givenName: 'Gus',
          familyName: 'Green',
        },
        { contributorType: 'Sponsor', name: 'Garden Society. Winter Section', nameType: 'Organizational' },
      ],
      dates: [{ date: '1951', dateType: 'Issued' }],
      language: ['en'],
      alternateIdentifiers: [{ alternateIdentifier: '51000123', alternateIdentifierType: 'lccn' }],
      relatedItems: [
        { titles: [{ title: 'Small gardens' }], relatedItemType: 'Collection', relationType: 'IsPartOf' },
      ],
      sizes: ['120 p. ; 20 cm.'],
      geoLocations: [{ geoLocationPlace: 'Scotland' }, { geoLocationPlace: 'Perth' }],
    },
  },
  {
    title:
      'MODS of an article in an institutional repository: an ORCID, a host with its ISSN, two abstracts, a licence by address',
    schema: 'MODS 3',
    document: `<mods xmlns="http://www.loc.gov/mods/v3" xmlns:xlink="http://www.w3.org/1999/xlink" version="3.7">
  <titleInfo xml:lang="en"><title>Rust on bridges</title></titleInfo><titleInfo xml:lang="de" type="translated"><title>Rost an Brücken</title></titleInfo>
  <name type="personal"><namePart type="family">Eisen</namePart><namePart type="given">Eva</namePart><role><roleTerm type="code" authority="marcrelator">aut</roleTerm></role><nameIdentifier type="orcid">0000-0001-5727-2427</nameIdentifier><affiliation>Institute of Iron</affiliation><affiliation>Bridge Office</affiliation></name>
  <name type="personal"><namePart type="family">Brück</namePart><namePart type="given">Ben</namePart><role><roleTerm type="text">author</roleTerm></role></name>
  <name type="personal"><namePart type="family">Rat</namePart><namePart type="given">Rita</namePart><role><roleTerm type="code" authority="marcrelator">ths</roleTerm></role></name>
  <typeOfResource>text</typeOfResource><genre>journal article</genre>
  <originInfo eventType="publication"><dateIssued encoding="iso8601" keyDate="yes">2021-09-30</dateIssued></originInfo><originInfo eventType="creation"><dateCreated encoding="iso8601">2020</dateCreated></originInfo>
  <language><languageTerm type="code" authority="rfc3066">en</languageTerm></language>
  <abstract xml:lang="en">Bridges rust.</abstract><abstract xml:lang="de">Brücken rosten.</abstract>
  <subject><topic>rust</topic></subject><subject><topic>bridge</topic></subject>
  <relatedItem type="host"><titleInfo><title>Journal of Iron</title></titleInfo><identifier type="issn">1234-5679</identifier><part><detail type="volume"><number>7</number></detail><extent unit="page"><start>1</start><end>9</end></extent></part></relatedItem>
  <identifier type="doi">https://doi.org/10.5072/rust</identifier><identifier type="urn">urn:nbn:de:rust-1</identifier>
  <location><url usage="primary display" access="object in context">https://repository.example.org/rust</url></location>
  <accessCondition type="use and reproduction" xlink:href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</accessCondition>
</mods>`,
    described: {
      alternateIdentifiers: [{ alternateIdentifier: 'urn:nbn:de:rust-1', alternateIdentifierType: 'URN' }],
      identifier: [{ identifier: '10.5072/rust', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Text', resourceType: 'journal article' }],
      creators: [
        {
          name: 'Eisen, Eva',
          nameType: 'Personal',
          givenName: 'Eva',
          familyName: 'Eisen',
          nameIdentifiers: [{ nameIdentifier: '0000-0001-5727-2427', nameIdentifierScheme: 'ORCID' }],
          affiliation: [{ name: 'Institute of Iron' }, { name: 'Bridge Office' }],
        },
        { name: 'Brück, Ben', nameType: 'Personal', givenName: 'Ben', familyName: 'Brück' },
      ],
      titles: [
        { title: 'Rust on bridges', lang: 'en' },
        { title: 'Rost an Brücken', titleType: 'TranslatedTitle', lang: 'de' },
      ],
      publicationYear: ['2021'],
      subjects: [{ subject: 'rust' }, { subject: 'bridge' }],
      contributors: [
        {
          contributorType: 'Supervisor',
          name: 'Rat, Rita',
          nameType: 'Personal',
          givenName: 'Rita',
          familyName: 'Rat',
        },
      ],
      dates: [
        { date: '2021-09-30', dateType: 'Issued' },
        { date: '2020', dateType: 'Created' },
      ],
      language: ['en'],
      relatedIdentifiers: [
        { relatedIdentifier: '1234-5679', relatedIdentifierType: 'ISSN', relationType: 'IsPartOf' },
      ],
      relatedItems: [
        {
          titles: [{ title: 'Journal of Iron' }],
          relatedItemType: 'Journal',
          relationType: 'IsPartOf',
          relatedItemIdentifier: {
            relatedItemIdentifier: '1234-5679',
            relatedItemIdentifierType: 'ISSN',
          },
          volume: '7',
          firstPage: '1',
          lastPage: '9',
        },
      ],
      rightsList: [
        {
          rights: 'CC BY 4.0',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        { description: 'Bridges rust.', descriptionType: 'Abstract', lang: 'en' },
        { description: 'Brücken rosten.', descriptionType: 'Abstract', lang: 'de' },
      ],
    },
  },
  {
    title: 'EAD 3 of a family, with untyped parts of names, several languages and a single date',
    schema: 'EAD 3',
    document: `<ead xmlns="http://ead3.archivists.org/schema/">
  <control><recordid>F-9</recordid><filedesc><titlestmt><titleproper>The Mill family: a guide</titleproper></titlestmt></filedesc><maintenancestatus value="derived"/><maintenanceagency><agencyname>Valley Archive</agencyname></maintenanceagency><maintenancehistory><maintenanceevent><eventtype value="created"/><eventdatetime>2015</eventdatetime><agenttype value="human"/><agent>Staff</agent></maintenanceevent></maintenancehistory></control>
  <archdesc level="otherlevel" otherlevel="family-papers">
    <did>
      <unittitle>Mill family papers</unittitle><unitid>F 9</unitid><unitid>old 17</unitid>
      <origination><persname><part>Mill</part><part>Mary</part></persname><persname><part>Miller, Moses, 1870-1931</part></persname><famname><part>Mill family</part></famname></origination>
      <unitdatestructured><datesingle standarddate="1901-05-02">2 May 1901</datesingle></unitdatestructured><unitdate unitdatetype="bulk">1900s</unitdate>
      <physdescset parallel="true" coverage="whole"><physdescstructured coverage="whole" physdescstructuredtype="spaceoccupied"><quantity>3</quantity><unittype>boxes</unittype></physdescstructured><physdescstructured coverage="whole" physdescstructuredtype="carrier"><quantity>120</quantity><unittype>letters</unittype></physdescstructured></physdescset>
      <langmaterial><languageset><language langcode="eng">English</language><script scriptcode="Latn">Latin</script></languageset><languageset><language langcode="wel">Welsh</language><script scriptcode="Latn">Latin</script></languageset></langmaterial>
      <repository><corpname><part>Valley Archive</part></corpname></repository>
    </did>
    <scopecontent><head>Content</head><p>Letters of three generations.</p><p>Some are in Welsh.</p></scopecontent>
    <accessrestrict><p>Open.</p></accessrestrict>
    <userestrict><p>For private study.</p></userestrict>
    <controlaccess><subject><part>Mills</part></subject><geogname source="tgn"><part>Wales</part></geogname><occupation><part>millers</part></occupation></controlaccess>
    <dsc><c level="item"><did><unittitle>A letter</unittitle><origination><persname><part>Other, Otto</part></persname></origination></did></c></dsc>
  </archdesc>
</ead>`,
    described: {
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'family-papers' }],
      creators: [
        { name: 'Mill, Mary', nameType: 'Personal', givenName: 'Mary', familyName: 'Mill' },
        { name: 'Miller, Moses', nameType: 'Personal', givenName: 'Moses', familyName: 'Miller' },
        { name: 'Mill family' },
      ],
      titles: [{ title: 'Mill family papers' }],
      publisher: [{ name: 'Valley Archive' }],
      subjects: [{ subject: 'Mills' }, { subject: 'millers' }, { subject: 'Wales', subjectScheme: 'tgn' }],
      dates: [{ date: '1901-05-02', dateType: 'Created' }],
      language: ['en'],
      alternateIdentifiers: [
        { alternateIdentifier: 'F 9', alternateIdentifierType: 'unitid' },
        { alternateIdentifier: 'old 17', alternateIdentifierType: 'unitid' },
        { alternateIdentifier: 'F-9', alternateIdentifierType: 'recordid' },
      ],
      sizes: ['3 boxes', '120 letters'],
      rightsList: [{ rights: 'For private study.' }],
      descriptions: [
        { description: 'Letters of three generations.\n\nSome are in Welsh.', descriptionType: 'Abstract' },
      ],
    },
  },
  {
    title: 'EAD 3 of a fonds, with dates in a set, a text for the extent and an emphasis in the title',
    schema: 'EAD 3',
    document: `<ead xmlns="http://ead3.archivists.org/schema/undeprecated/">
  <control><recordid instanceurl="https://archive.example.org/ead/22.xml">22</recordid><otherrecordid>b22</otherrecordid><filedesc><titlestmt><titleproper>Guide 22</titleproper></titlestmt><publicationstmt><publisher>Harbour Archive</publisher><date>2019</date></publicationstmt></filedesc><maintenancestatus value="new"/><maintenanceagency><agencyname>Harbour Archive</agencyname></maintenanceagency><maintenancehistory><maintenanceevent><eventtype value="created"/><eventdatetime>2019</eventdatetime><agenttype value="machine"/><agent>Catalogue</agent></maintenanceevent></maintenancehistory></control>
  <archdesc level="fonds">
    <did>
      <unittitle>Records of the <title render="italic"><part>Gull</part></title></unittitle>
      <origination><corpname identifier="https://d-nb.info/gnd/5098525-5" source="gnd"><part>Ferry Company</part></corpname></origination>
      <unitdatestructured><dateset><daterange><fromdate standarddate="1890">1890</fromdate><todate standarddate="1914">1914</todate></daterange><daterange><fromdate>1917</fromdate><todate>1918</todate></daterange><datesingle>1920</datesingle></dateset></unitdatestructured>
      <physdesc>4 metres of files</physdesc>
      <langmaterial><language langcode="ger">German</language></langmaterial>
      <abstract>Log books.</abstract><abstract>Crew lists.</abstract>
    </did>
    <controlaccess><genreform identifier="http://vocab.getty.edu/aat/300026867" source="aat"><part>log books</part></genreform><function><part>shipping</part></function></controlaccess>
  </archdesc>
</ead>`,
    described: {
      identifier: [{ identifier: 'https://archive.example.org/ead/22.xml', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'fonds' }],
      creators: [
        {
          name: 'Ferry Company',
          nameType: 'Organizational',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://d-nb.info/gnd/5098525-5',
              nameIdentifierScheme: 'GND',
              schemeUri: 'https://d-nb.info/gnd',
            },
          ],
        },
      ],
      titles: [{ title: 'Records of the Gull' }],
      publisher: [{ name: 'Harbour Archive' }],
      publicationYear: ['2019'],
      subjects: [
        { subject: 'log books', subjectScheme: 'aat', valueUri: 'http://vocab.getty.edu/aat/300026867' },
        { subject: 'shipping' },
      ],
      dates: [
        { date: '1890/1914', dateType: 'Created' },
        { date: '1917/1918', dateType: 'Created' },
        { date: '1920', dateType: 'Created' },
      ],
      language: ['de'],
      alternateIdentifiers: [{ alternateIdentifier: '22', alternateIdentifierType: 'recordid' }],
      sizes: ['4 metres of files'],
      descriptions: [
        { description: 'Log books.', descriptionType: 'Abstract' },
        { description: 'Crew lists.', descriptionType: 'Abstract' },
      ],
    },
  },
  {
    title:
      'LIDO 1.0 of a photograph with two makers, a period in words, titles in two languages and rights in the record',
    schema: 'LIDO',
    document: `<lido:lido xmlns:lido="http://www.lido-schema.org"><lido:lidoRecID lido:type="local" lido:source="Stadtmuseum">foto-31</lido:lidoRecID>
  <lido:descriptiveMetadata xml:lang="en">
    <lido:objectClassificationWrap><lido:objectWorkTypeWrap><lido:objectWorkType><lido:conceptID lido:type="URI">http://vocab.getty.edu/aat/300046300</lido:conceptID><lido:term>photograph</lido:term></lido:objectWorkType></lido:objectWorkTypeWrap></lido:objectClassificationWrap>
    <lido:objectIdentificationWrap>
      <lido:titleWrap><lido:titleSet><lido:appellationValue xml:lang="en">Market in the rain</lido:appellationValue></lido:titleSet><lido:titleSet><lido:appellationValue xml:lang="de">Markt im Regen</lido:appellationValue></lido:titleSet></lido:titleWrap>
      <lido:inscriptionsWrap><lido:inscriptions><lido:inscriptionTranscription>Sept.</lido:inscriptionTranscription></lido:inscriptions></lido:inscriptionsWrap>
      <lido:repositoryWrap><lido:repositorySet lido:type="current"><lido:repositoryName><lido:legalBodyName><lido:appellationValue>Stadtmuseum</lido:appellationValue></lido:legalBodyName></lido:repositoryName><lido:workID lido:type="inventory number">1999/31</lido:workID></lido:repositorySet></lido:repositoryWrap>
      <lido:objectMeasurementsWrap><lido:objectMeasurementsSet><lido:objectMeasurements><lido:measurementsSet><lido:measurementType>width</lido:measurementType><lido:measurementUnit>cm</lido:measurementUnit><lido:measurementValue>18</lido:measurementValue></lido:measurementsSet><lido:measurementsSet><lido:measurementType>height</lido:measurementType><lido:measurementUnit>cm</lido:measurementUnit><lido:measurementValue>13</lido:measurementValue></lido:measurementsSet></lido:objectMeasurements></lido:objectMeasurementsSet></lido:objectMeasurementsWrap>
    </lido:objectIdentificationWrap>
    <lido:eventWrap><lido:eventSet><lido:displayEvent>photographed</lido:displayEvent><lido:event>
      <lido:eventType><lido:conceptID lido:type="URI">http://terminology.lido-schema.org/lido00007</lido:conceptID><lido:term>Production</lido:term></lido:eventType>
      <lido:eventActor><lido:displayActorInRole>Linse, Lea (photographer)</lido:displayActorInRole><lido:actorInRole><lido:actor lido:type="person"><lido:nameActorSet><lido:appellationValue>Linse, Lea</lido:appellationValue></lido:nameActorSet></lido:actor><lido:roleActor><lido:term>photographer</lido:term></lido:roleActor></lido:actorInRole></lido:eventActor>
      <lido:eventActor><lido:actorInRole><lido:actor lido:type="corporation"><lido:nameActorSet><lido:appellationValue>Atelier Licht</lido:appellationValue></lido:nameActorSet></lido:actor></lido:actorInRole></lido:eventActor>
      <lido:eventDate><lido:displayDate>around 1930</lido:displayDate><lido:date><lido:earliestDate>1928</lido:earliestDate><lido:latestDate>1932</lido:latestDate></lido:date></lido:eventDate>
      <lido:eventPlace><lido:displayPlace>Old market</lido:displayPlace><lido:place><lido:namePlaceSet><lido:appellationValue>Karlsruhe</lido:appellationValue></lido:namePlaceSet></lido:place></lido:eventPlace>
      <lido:eventMaterialsTech><lido:displayMaterialsTech>gelatin silver print</lido:displayMaterialsTech></lido:eventMaterialsTech>
    </lido:event></lido:eventSet></lido:eventWrap>
    <lido:objectRelationWrap><lido:subjectWrap><lido:subjectSet><lido:displaySubject>market; rain</lido:displaySubject><lido:subject><lido:subjectConcept><lido:conceptID lido:type="URI">http://vocab.getty.edu/aat/300006834</lido:conceptID><lido:term>market</lido:term></lido:subjectConcept><lido:subjectConcept><lido:term>rain</lido:term></lido:subjectConcept></lido:subject></lido:subjectSet></lido:subjectWrap></lido:objectRelationWrap>
  </lido:descriptiveMetadata>
  <lido:administrativeMetadata xml:lang="en"><lido:recordWrap><lido:recordID lido:type="local">r31</lido:recordID><lido:recordType><lido:term>item</lido:term></lido:recordType><lido:recordSource><lido:legalBodyName><lido:appellationValue>Stadtmuseum</lido:appellationValue></lido:legalBodyName></lido:recordSource><lido:recordRights><lido:rightsType><lido:conceptID lido:type="URI">https://creativecommons.org/publicdomain/zero/1.0/</lido:conceptID><lido:term>CC0 1.0</lido:term></lido:rightsType></lido:recordRights></lido:recordWrap></lido:administrativeMetadata>
</lido:lido>`,
    described: {
      types: [{ resourceTypeGeneral: 'PhysicalObject', resourceType: 'photograph' }],
      creators: [{ name: 'Linse, Lea' }, { name: 'Atelier Licht' }],
      titles: [
        { title: 'Market in the rain', lang: 'en' },
        { title: 'Markt im Regen', lang: 'de' },
      ],
      publisher: [{ name: 'Stadtmuseum' }],
      subjects: [
        { subject: 'market', valueUri: 'http://vocab.getty.edu/aat/300006834' },
        { subject: 'rain' },
      ],
      dates: [{ date: '1928/1932', dateType: 'Created' }],
      language: ['en'],
      alternateIdentifiers: [
        { alternateIdentifier: 'foto-31', alternateIdentifierType: 'lidoRecID' },
        { alternateIdentifier: '1999/31', alternateIdentifierType: 'workID' },
      ],
      sizes: ['width 18 cm', 'height 13 cm'],
      rightsList: [
        {
          rights: 'CC0 1.0',
          rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'gelatin silver print', descriptionType: 'TechnicalInfo' }],
      geoLocations: [{ geoLocationPlace: 'Karlsruhe' }],
    },
  },
  {
    title: 'LIDO 1.1 of a coin whose maker is unknown, in a wrapper, without rights',
    schema: 'LIDO (wrapped)',
    document: `<lidoWrap xmlns="http://www.lido-schema.org" xmlns:lido="http://www.lido-schema.org" xmlns:skos="http://www.w3.org/2004/02/skos/core#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><lido>
  <lidoRecID lido:type="http://terminology.lido-schema.org/lido00099">https://coins.example.org/lido/5</lidoRecID>
  <objectPublishedID lido:type="http://terminology.lido-schema.org/lido00099">https://coins.example.org/5</objectPublishedID>
  <descriptiveMetadata xml:lang="de">
    <objectClassificationWrap><objectWorkTypeWrap><objectWorkType><skos:Concept rdf:about="http://vocab.getty.edu/aat/300037222"><skos:prefLabel xml:lang="de">Münze</skos:prefLabel><skos:prefLabel xml:lang="en">coin</skos:prefLabel></skos:Concept></objectWorkType></objectWorkTypeWrap><classificationWrap><classification><skos:Concept rdf:about="https://coins.example.org/denar"><skos:prefLabel xml:lang="de">Denar</skos:prefLabel></skos:Concept></classification></classificationWrap></objectClassificationWrap>
    <objectIdentificationWrap><titleWrap><titleSet><appellationValue lido:pref="http://terminology.lido-schema.org/lido00169" xml:lang="de">Denar mit Adler</appellationValue><appellationValue lido:pref="http://terminology.lido-schema.org/lido00170" xml:lang="de">Adlerdenar</appellationValue></titleSet></titleWrap>
      <objectDescriptionWrap><objectDescriptionSet><descriptiveNoteValue xml:lang="de">Ein Adler.</descriptiveNoteValue></objectDescriptionSet></objectDescriptionWrap>
      <objectMeasurementsWrap><objectMeasurementsSet><displayObjectMeasurements>1 g</displayObjectMeasurements></objectMeasurementsSet></objectMeasurementsWrap></objectIdentificationWrap>
    <eventWrap><eventSet><event><eventType><skos:Concept rdf:about="http://terminology.lido-schema.org/lido00007"><skos:prefLabel xml:lang="de">Herstellung</skos:prefLabel></skos:Concept></eventType><eventActor><actorInRole><actor><nameActorSet><appellationValue>unbekannt</appellationValue></nameActorSet></actor></actorInRole></eventActor><eventDate><date><earliestDate>1190</earliestDate><latestDate>1197</latestDate></date></eventDate></event></eventSet>
      <eventSet><event><eventType><skos:Concept rdf:about="http://terminology.lido-schema.org/lido00001"><skos:prefLabel xml:lang="de">Erwerb</skos:prefLabel></skos:Concept></eventType><eventDate><date><earliestDate>1950</earliestDate></date></eventDate></event></eventSet></eventWrap>
  </descriptiveMetadata>
  <administrativeMetadata xml:lang="de"><recordWrap><recordID lido:type="http://terminology.lido-schema.org/lido00100">5</recordID><recordType><skos:Concept rdf:about="http://terminology.lido-schema.org/lido00141"/></recordType><recordSource><legalBodyName><appellationValue>Münzkabinett</appellationValue></legalBodyName></recordSource><recordInfoSet><recordMetadataDate>2022-03-04</recordMetadataDate></recordInfoSet></recordWrap></administrativeMetadata>
</lido></lidoWrap>`,
    described: {
      identifier: [{ identifier: 'https://coins.example.org/5', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'PhysicalObject', resourceType: 'Münze' }],
      titles: [
        { title: 'Denar mit Adler', lang: 'de' },
        { title: 'Adlerdenar', titleType: 'AlternativeTitle', lang: 'de' },
      ],
      publisher: [{ name: 'Münzkabinett' }],
      publicationYear: ['2022'],
      subjects: [{ subject: 'Denar', valueUri: 'https://coins.example.org/denar' }],
      dates: [{ date: '1190/1197', dateType: 'Created' }],
      language: ['de'],
      alternateIdentifiers: [
        { alternateIdentifier: 'https://coins.example.org/lido/5', alternateIdentifierType: 'lidoRecID' },
      ],
      sizes: ['1 g'],
      descriptions: [{ description: 'Ein Adler.', descriptionType: 'Abstract', lang: 'de' }],
    },
  },
  {
    title:
      'EAD 2002 of a series, with an address of the finding aid, two languages, headings in groups and a date in words',
    schema: 'EAD 2002',
    document: `<ead xmlns="urn:isbn:1-931666-22-9" xmlns:xlink="http://www.w3.org/1999/xlink"><eadheader langencoding="iso639-2b"><eadid countrycode="FR" mainagencycode="FR-EX" url="https://archives.example.org/ead/44">FR-EX-44</eadid><filedesc><titlestmt><titleproper>Inventaire 44</titleproper><author>Archiviste, Anne</author></titlestmt><publicationstmt><publisher>Archives du Port</publisher><date normal="2011">2011</date></publicationstmt></filedesc><profiledesc><langusage>en <language langcode="fre">français</language></langusage></profiledesc></eadheader>
  <archdesc level="series"><did><unitid>44 W 1-9</unitid><unittitle>Phares et balises</unittitle><unitdate normal="1850-01-01/1899-12-31" calendar="gregorian">seconde moitié du XIXe siècle</unitdate><origination><corpname normal="Service des phares">Service des phares</corpname></origination><physdesc><extent>9 cartons</extent><dimensions>1,2 m</dimensions></physdesc><langmaterial>En <language langcode="fre">français</language> et <language langcode="bre">breton</language></langmaterial><repository>Archives du Port</repository></did>
    <accessrestrict><p>Libre.</p></accessrestrict><userestrict><p>Reproduction libre.</p></userestrict>
    <scopecontent><p>Plans et lettres.</p></scopecontent>
    <controlaccess><controlaccess><head>Sujets</head><subject source="liste">phare</subject></controlaccess><geogname source="liste" authfilenumber="https://places.example.org/brest">Brest</geogname></controlaccess>
    <dsc type="combined"><c level="file"><did><unittitle>Plan</unittitle></did></c></dsc></archdesc></ead>`,
    described: {
      identifier: [{ identifier: 'https://archives.example.org/ead/44', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'series' }],
      creators: [{ name: 'Service des phares', nameType: 'Organizational' }],
      titles: [{ title: 'Phares et balises' }],
      publisher: [{ name: 'Archives du Port' }],
      publicationYear: ['2011'],
      subjects: [
        { subject: 'Brest', subjectScheme: 'liste', valueUri: 'https://places.example.org/brest' },
        { subject: 'phare', subjectScheme: 'liste' },
      ],
      dates: [{ date: '1850-01-01/1899-12-31', dateType: 'Created' }],
      language: ['fr'],
      alternateIdentifiers: [
        { alternateIdentifier: '44 W 1-9', alternateIdentifierType: 'unitid' },
        { alternateIdentifier: 'FR-EX-44', alternateIdentifierType: 'eadid' },
      ],
      sizes: ['9 cartons'],
      rightsList: [{ rights: 'Reproduction libre.' }],
      descriptions: [{ description: 'Plans et lettres.', descriptionType: 'Abstract' }],
    },
  },
]
