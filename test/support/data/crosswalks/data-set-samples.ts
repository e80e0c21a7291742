import type { KnownSample } from './known-sample.js'

/*
 * EML and ISO 19139 and 19115-3 in the forms that archives of data, biodiversity portals and geoportals publish.
 */

export const dataSetSamples: readonly KnownSample[] = [
  {
    title:
      'EML of a portal of biodiversity: a DOI behind an address, two given names, an ORCID without an address, roles of parties',
    schema: 'EML, also with Darwin Core',
    document: `<eml:eml xmlns:eml="https://eml.ecoinformatics.org/eml-2.2.0" packageId="7f2a/v1.3" system="http://gbif.org" scope="system" xml:lang="en"><dataset>
  <alternateIdentifier>7f2a</alternateIdentifier><alternateIdentifier>https://ipt.example.org/resource?r=moths</alternateIdentifier><alternateIdentifier>10.5072/moths</alternateIdentifier>
  <title xml:lang="en">Moths at lamps</title><title xml:lang="nl">Motten bij lampen</title>
  <creator><individualName><givenName>Mo</givenName><givenName>J.</givenName><surName>Nacht</surName></individualName><organizationName>Moth Museum</organizationName><positionName>Curator</positionName><electronicMailAddress>mo@example.org</electronicMailAddress><userId directory="http://orcid.org/">0000-0001-5727-2427</userId></creator>
  <metadataProvider><organizationName>Node of Moths</organizationName></metadataProvider>
  <associatedParty><individualName><surName>Lampe</surName></individualName><role>publisher</role></associatedParty>
  <associatedParty><organizationName>Lamp Owners</organizationName><role>user</role></associatedParty>
  <pubDate>2021</pubDate><language>en</language>
  <abstract><para>Moths that came to lamps.</para><para>Each night of a year.</para></abstract>
  <keywordSet><keyword>Occurrence</keyword><keywordThesaurus>GBIF Dataset Type Vocabulary: http://rs.gbif.org/vocabulary/gbif/dataset_type.xml</keywordThesaurus></keywordSet><keywordSet><keyword>moths</keyword><keyword>lamps</keyword><keywordThesaurus>n/a</keywordThesaurus></keywordSet>
  <intellectualRights><para>To the extent possible under law, the publisher has waived all rights to these data and has dedicated them to the <ulink url="http://creativecommons.org/publicdomain/zero/1.0/legalcode"><citetitle>Public Domain (CC0 1.0)</citetitle></ulink>.</para></intellectualRights>
  <distribution scope="document"><online><url function="information">https://moths.example.org</url></online></distribution>
  <coverage><geographicCoverage><geographicDescription>A town</geographicDescription><boundingCoordinates><westBoundingCoordinate>4.8</westBoundingCoordinate><eastBoundingCoordinate>5.0</eastBoundingCoordinate><northBoundingCoordinate>52.4</northBoundingCoordinate><southBoundingCoordinate>52.3</southBoundingCoordinate></boundingCoordinates></geographicCoverage><temporalCoverage><rangeOfDates><beginDate><calendarDate>2020-01-01</calendarDate></beginDate><endDate><calendarDate>2020-12-31</calendarDate></endDate></rangeOfDates></temporalCoverage><taxonomicCoverage><taxonomicClassification><taxonRankName>order</taxonRankName><taxonRankValue>Lepidoptera</taxonRankValue></taxonomicClassification></taxonomicCoverage></coverage>
  <contact><individualName><givenName>Mo</givenName><surName>Nacht</surName></individualName></contact>
  <methods><methodStep><description><para>Lamps were lit.</para></description></methodStep><methodStep><description><para>Moths were counted.</para></description></methodStep></methods>
  <project><title>Lamps</title><personnel><individualName><givenName>Lia</givenName><surName>Licht</surName></individualName><role>pointOfContact</role></personnel><funding><para>By a fund.</para></funding></project>
</dataset><additionalMetadata><metadata><gbif><dateStamp>2021-02-03T04:05:06Z</dateStamp><hierarchyLevel>dataset</hierarchyLevel></gbif></metadata></additionalMetadata></eml:eml>`,
    described: {
      identifier: [{ identifier: '10.5072/moths', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [
        {
          name: 'Nacht, Mo J.',
          nameType: 'Personal',
          givenName: 'Mo J.',
          familyName: 'Nacht',
          nameIdentifiers: [
            {
              nameIdentifier: '0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
          affiliation: [{ name: 'Moth Museum' }],
        },
      ],
      titles: [
        { title: 'Moths at lamps', lang: 'en' },
        { title: 'Motten bij lampen', lang: 'nl' },
      ],
      publicationYear: ['2021'],
      subjects: [
        {
          subject: 'Occurrence',
          subjectScheme: 'GBIF Dataset Type Vocabulary: http://rs.gbif.org/vocabulary/gbif/dataset_type.xml',
        },
        { subject: 'moths' },
        { subject: 'lamps' },
      ],
      contributors: [
        {
          contributorType: 'ContactPerson',
          name: 'Nacht, Mo',
          nameType: 'Personal',
          givenName: 'Mo',
          familyName: 'Nacht',
        },
        { contributorType: 'DataCurator', name: 'Node of Moths', nameType: 'Organizational' },
        { contributorType: 'Distributor', name: 'Lampe', nameType: 'Personal', familyName: 'Lampe' },
        { contributorType: 'RelatedPerson', name: 'Lamp Owners', nameType: 'Organizational' },
        {
          contributorType: 'ProjectMember',
          name: 'Licht, Lia',
          nameType: 'Personal',
          givenName: 'Lia',
          familyName: 'Licht',
        },
      ],
      dates: [
        { date: '2021', dateType: 'Issued' },
        { date: '2020-01-01/2020-12-31', dateType: 'Collected' },
      ],
      language: ['en'],
      alternateIdentifiers: [
        { alternateIdentifier: '7f2a/v1.3', alternateIdentifierType: 'Local' },
        { alternateIdentifier: '7f2a', alternateIdentifierType: 'Local' },
        { alternateIdentifier: 'https://ipt.example.org/resource?r=moths', alternateIdentifierType: 'URL' },
      ],
      rightsList: [
        {
          rights: 'Public Domain (CC0 1.0)',
          rightsUri: 'http://creativecommons.org/publicdomain/zero/1.0/legalcode',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        { description: 'Moths that came to lamps.\n\nEach night of a year.', descriptionType: 'Abstract' },
        { description: 'Lamps were lit.', descriptionType: 'Methods' },
        { description: 'Moths were counted.', descriptionType: 'Methods' },
      ],
      geoLocations: [
        {
          geoLocationPlace: 'A town',
          geoLocationBox: {
            westBoundLongitude: 4.8,
            eastBoundLongitude: 5,
            southBoundLatitude: 52.3,
            northBoundLatitude: 52.4,
          },
        },
      ],
    },
  },
  {
    title:
      'EML of an archive of ecology: a position as a creator, a publisher who is a person, an abstract in Markdown, two awards',
    schema: 'EML, also with Darwin Core',
    document: `<eml:eml xmlns:eml="https://eml.ecoinformatics.org/eml-2.2.0" packageId="ecology.12.3" system="ecology"><access authSystem="ecology" order="allowFirst"><allow><principal>public</principal><permission>read</permission></allow></access><dataset>
  <title>Litter in a beech forest</title>
  <creator id="p1"><individualName><salutation>Dr.</salutation><givenName>Bea</givenName><surName>Buche</surName></individualName><userId directory="https://orcid.org">https://orcid.org/0000-0001-5727-2427</userId></creator>
  <creator><positionName>Forest Manager</positionName></creator>
  <pubDate>2019-10-11</pubDate><language>German</language><series>Forests</series>
  <abstract><markdown>Litter of *beeches*.</markdown></abstract>
  <keywordSet><keyword keywordType="theme">litter</keyword><keyword keywordType="place">beech forest</keyword></keywordSet>
  <intellectualRights>Ask the manager of the forest.</intellectualRights>
  <coverage><geographicCoverage><geographicDescription>The plot</geographicDescription><boundingCoordinates><westBoundingCoordinate>9.9</westBoundingCoordinate><eastBoundingCoordinate>9.9</eastBoundingCoordinate><northBoundingCoordinate>51.5</northBoundingCoordinate><southBoundingCoordinate>51.5</southBoundingCoordinate></boundingCoordinates></geographicCoverage><geographicCoverage><geographicDescription>The station</geographicDescription><boundingCoordinates><westBoundingCoordinate>9.8</westBoundingCoordinate><eastBoundingCoordinate>9.8</eastBoundingCoordinate><northBoundingCoordinate>51.4</northBoundingCoordinate><southBoundingCoordinate>51.4</southBoundingCoordinate></boundingCoordinates></geographicCoverage><temporalCoverage><singleDateTime><calendarDate>2018-09-01</calendarDate></singleDateTime><singleDateTime><calendarDate>2018-10-01</calendarDate></singleDateTime></temporalCoverage></coverage>
  <contact><references>p1</references></contact>
  <publisher><individualName><givenName>Arno</givenName><surName>Archiv</surName></individualName></publisher>
  <project><title>Beeches</title><personnel><individualName><givenName>Pia</givenName><surName>Plan</surName></individualName><role>principalInvestigator</role></personnel><award><funderName>Forest Fund</funderName><awardNumber>F 1</awardNumber><title>Litter</title></award><award><funderName>Tree Trust</funderName><funderIdentifier>https://ror.org/04wxnsj81</funderIdentifier><title>Trees</title></award></project>
</dataset></eml:eml>`,
    described: {
      alternateIdentifiers: [{ alternateIdentifier: 'ecology.12.3', alternateIdentifierType: 'Local' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [
        {
          name: 'Buche, Bea',
          nameType: 'Personal',
          givenName: 'Bea',
          familyName: 'Buche',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
        },
        { name: 'Forest Manager', nameType: 'Organizational' },
      ],
      titles: [{ title: 'Litter in a beech forest' }],
      publisher: [{ name: 'Arno Archiv' }],
      publicationYear: ['2019'],
      subjects: [{ subject: 'litter' }, { subject: 'beech forest' }],
      contributors: [
        {
          contributorType: 'ContactPerson',
          name: 'Buche, Bea',
          nameType: 'Personal',
          givenName: 'Bea',
          familyName: 'Buche',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
        },
        {
          contributorType: 'ProjectLeader',
          name: 'Plan, Pia',
          nameType: 'Personal',
          givenName: 'Pia',
          familyName: 'Plan',
        },
      ],
      dates: [
        { date: '2019-10-11', dateType: 'Issued' },
        { date: '2018-09-01', dateType: 'Collected' },
        { date: '2018-10-01', dateType: 'Collected' },
      ],
      language: ['de'],
      rightsList: [{ rights: 'Ask the manager of the forest.' }],
      descriptions: [{ description: 'Litter of *beeches*.', descriptionType: 'Abstract' }],
      geoLocations: [
        {
          geoLocationPlace: 'The plot',
          geoLocationBox: {
            westBoundLongitude: 9.9,
            eastBoundLongitude: 9.9,
            southBoundLatitude: 51.5,
            northBoundLatitude: 51.5,
          },
        },
        {
          geoLocationPlace: 'The station',
          geoLocationBox: {
            westBoundLongitude: 9.8,
            eastBoundLongitude: 9.8,
            southBoundLatitude: 51.4,
            northBoundLatitude: 51.4,
          },
        },
      ],
      fundingReferences: [
        { funderName: 'Forest Fund', awardNumber: 'F 1', awardTitle: 'Litter' },
        {
          funderName: 'Tree Trust',
          funderIdentifier: 'https://ror.org/04wxnsj81',
          funderIdentifierType: 'ROR',
          awardTitle: 'Trees',
        },
      ],
    },
  },
  {
    title:
      'ISO 19139 by INSPIRE: anchors for title, identifier and keyword, an edition, limits of use in plain constraints, a place by its code',
    schema: 'ISO 19139',
    document: `<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco" xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xlink="http://www.w3.org/1999/xlink">
  <gmd:fileIdentifier><gco:CharacterString>urn:uuid:5b1c</gco:CharacterString></gmd:fileIdentifier>
  <gmd:language><gmd:LanguageCode codeList="http://www.loc.gov/standards/iso639-2/" codeListValue="dut">Nederlands</gmd:LanguageCode></gmd:language>
  <gmd:hierarchyLevel><gmd:MD_ScopeCode codeList="x" codeListValue="nonGeographicDataset">niet</gmd:MD_ScopeCode></gmd:hierarchyLevel>
  <gmd:contact gco:nilReason="missing"/>
  <gmd:dateStamp><gco:Date>2020-02-02</gco:Date></gmd:dateStamp>
  <gmd:identificationInfo><gmd:MD_DataIdentification>
    <gmd:citation><gmd:CI_Citation><gmd:title><gmx:Anchor xlink:href="https://water.example.org/levels">Waterstanden</gmx:Anchor></gmd:title><gmd:alternateTitle><gco:CharacterString>Levels</gco:CharacterString></gmd:alternateTitle>
      <gmd:date><gmd:CI_Date><gmd:date><gco:Date>2018-05-01</gco:Date></gmd:date><gmd:dateType><gmd:CI_DateTypeCode codeList="x" codeListValue="revision"/></gmd:dateType></gmd:CI_Date></gmd:date><gmd:date><gmd:CI_Date><gmd:date><gco:Date>2016</gco:Date></gmd:date><gmd:dateType><gmd:CI_DateTypeCode codeList="x" codeListValue="creation"/></gmd:dateType></gmd:CI_Date></gmd:date>
      <gmd:edition><gco:CharacterString>3</gco:CharacterString></gmd:edition>
      <gmd:identifier><gmd:RS_Identifier><gmd:code><gmx:Anchor xlink:href="https://water.example.org/id/levels">levels</gmx:Anchor></gmd:code><gmd:codeSpace><gco:CharacterString>water</gco:CharacterString></gmd:codeSpace></gmd:RS_Identifier></gmd:identifier></gmd:CI_Citation></gmd:citation>
    <gmd:abstract><gco:CharacterString>Standen van het water.</gco:CharacterString></gmd:abstract>
    <gmd:pointOfContact><gmd:CI_ResponsibleParty><gmd:individualName><gco:CharacterString>Peil, Piet</gco:CharacterString></gmd:individualName><gmd:organisationName><gmx:Anchor xlink:href="https://water.example.org">Water Board</gmx:Anchor></gmd:organisationName><gmd:role><gmd:CI_RoleCode codeList="x" codeListValue="custodian"/></gmd:role></gmd:CI_ResponsibleParty></gmd:pointOfContact>
    <gmd:pointOfContact><gmd:CI_ResponsibleParty><gmd:organisationName><gco:CharacterString>Map Shop</gco:CharacterString></gmd:organisationName><gmd:role><gmd:CI_RoleCode codeList="x" codeListValue="distributor"/></gmd:role></gmd:CI_ResponsibleParty></gmd:pointOfContact>
    <gmd:descriptiveKeywords><gmd:MD_Keywords><gmd:keyword><gmx:Anchor xlink:href="http://inspire.ec.europa.eu/theme/hy">Hydrografie</gmx:Anchor></gmd:keyword><gmd:thesaurusName><gmd:CI_Citation><gmd:title><gmx:Anchor xlink:href="http://www.eionet.europa.eu/gemet/inspire_themes">GEMET - INSPIRE themes</gmx:Anchor></gmd:title><gmd:date gco:nilReason="missing"/></gmd:CI_Citation></gmd:thesaurusName></gmd:MD_Keywords></gmd:descriptiveKeywords>
    <gmd:resourceConstraints><gmd:MD_Constraints><gmd:useLimitation><gco:CharacterString>Geen gebruiksbeperkingen</gco:CharacterString></gmd:useLimitation></gmd:MD_Constraints></gmd:resourceConstraints>
    <gmd:resourceConstraints><gmd:MD_LegalConstraints><gmd:accessConstraints><gmd:MD_RestrictionCode codeList="x" codeListValue="otherRestrictions"/></gmd:accessConstraints><gmd:otherConstraints><gco:CharacterString>http://creativecommons.org/publicdomain/mark/1.0/deed.nl</gco:CharacterString></gmd:otherConstraints></gmd:MD_LegalConstraints></gmd:resourceConstraints>
    <gmd:language><gco:CharacterString>nld</gco:CharacterString></gmd:language>
    <gmd:extent><gmd:EX_Extent><gmd:geographicElement><gmd:EX_GeographicDescription><gmd:geographicIdentifier><gmd:MD_Identifier><gmd:code><gco:CharacterString>Gelderland</gco:CharacterString></gmd:code></gmd:MD_Identifier></gmd:geographicIdentifier></gmd:EX_GeographicDescription></gmd:geographicElement><gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent><gml:TimePeriod gml:id="t1"><gml:begin><gml:TimeInstant gml:id="t2"><gml:timePosition>1990-01-01</gml:timePosition></gml:TimeInstant></gml:begin><gml:end><gml:TimeInstant gml:id="t3"><gml:timePosition>2010-12-31</gml:timePosition></gml:TimeInstant></gml:end></gml:TimePeriod></gmd:extent></gmd:EX_TemporalExtent></gmd:temporalElement></gmd:EX_Extent></gmd:extent>
  </gmd:MD_DataIdentification></gmd:identificationInfo></gmd:MD_Metadata>`,
    described: {
      identifier: [{ identifier: 'https://water.example.org/id/levels', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'nonGeographicDataset' }],
      creators: [
        {
          name: 'Peil, Piet',
          nameType: 'Personal',
          givenName: 'Piet',
          familyName: 'Peil',
          affiliation: [{ name: 'Water Board' }],
        },
      ],
      titles: [{ title: 'Waterstanden' }, { title: 'Levels', titleType: 'AlternativeTitle' }],
      publisher: [{ name: 'Map Shop' }],
      publicationYear: ['2016'],
      subjects: [{ subject: 'Hydrografie', valueUri: 'http://inspire.ec.europa.eu/theme/hy' }],
      contributors: [
        {
          contributorType: 'DataManager',
          name: 'Peil, Piet',
          nameType: 'Personal',
          givenName: 'Piet',
          familyName: 'Peil',
          affiliation: [{ name: 'Water Board' }],
        },
        { contributorType: 'Distributor', name: 'Map Shop', nameType: 'Organizational' },
      ],
      dates: [
        { date: '2016', dateType: 'Created' },
        { date: '2018-05-01', dateType: 'Updated' },
        { date: '1990-01-01/2010-12-31', dateType: 'Coverage' },
      ],
      language: ['nl'],
      alternateIdentifiers: [
        { alternateIdentifier: 'urn:uuid:5b1c', alternateIdentifierType: 'URN' },
        { alternateIdentifier: 'levels', alternateIdentifierType: 'Local' },
      ],
      version: ['3'],
      rightsList: [
        {
          rights: 'http://creativecommons.org/publicdomain/mark/1.0/deed.nl',
          rightsUri: 'http://creativecommons.org/publicdomain/mark/1.0/deed.nl',
        },
        { rights: 'Geen gebruiksbeperkingen' },
      ],
      descriptions: [{ description: 'Standen van het water.', descriptionType: 'Abstract' }],
      geoLocations: [{ geoLocationPlace: 'Gelderland' }],
    },
  },
  {
    title:
      'ISO 19139 of a cruise: investigators, a DOI, two boxes in an extent, an instant, a licence as a limit of use',
    schema: 'ISO 19139',
    document: `<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco" xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xlink="http://www.w3.org/1999/xlink">
  <gmd:fileIdentifier><gco:CharacterString>cruise-3</gco:CharacterString></gmd:fileIdentifier>
  <gmd:hierarchyLevel><gmd:MD_ScopeCode codeList="x" codeListValue="series"/></gmd:hierarchyLevel>
  <gmd:contact gco:nilReason="missing"/><gmd:dateStamp><gco:DateTime>2015-01-01T00:00:00</gco:DateTime></gmd:dateStamp>
  <gmd:identificationInfo><gmd:MD_DataIdentification>
    <gmd:citation><gmd:CI_Citation><gmd:title><gco:CharacterString>Cruise 3</gco:CharacterString></gmd:title>
      <gmd:date><gmd:CI_Date><gmd:date><gco:Date>2014-11-30</gco:Date></gmd:date><gmd:dateType><gmd:CI_DateTypeCode codeList="x" codeListValue="publication"/></gmd:dateType></gmd:CI_Date></gmd:date>
      <gmd:identifier><gmd:MD_Identifier><gmd:code><gco:CharacterString>doi:10.5072/cruise</gco:CharacterString></gmd:code></gmd:MD_Identifier></gmd:identifier>
      <gmd:citedResponsibleParty><gmd:CI_ResponsibleParty><gmd:individualName><gco:CharacterString>Welle, Wim</gco:CharacterString></gmd:individualName><gmd:organisationName><gco:CharacterString>Sea Institute</gco:CharacterString></gmd:organisationName><gmd:role><gmd:CI_RoleCode codeList="x" codeListValue="principalInvestigator"/></gmd:role></gmd:CI_ResponsibleParty></gmd:citedResponsibleParty>
      <gmd:citedResponsibleParty><gmd:CI_ResponsibleParty><gmd:organisationName><gco:CharacterString>Cruise Crew</gco:CharacterString></gmd:organisationName><gmd:role><gmd:CI_RoleCode codeList="x" codeListValue="originator"/></gmd:role></gmd:CI_ResponsibleParty></gmd:citedResponsibleParty>
      <gmd:citedResponsibleParty><gmd:CI_ResponsibleParty><gmd:individualName><gco:CharacterString>Flut, Fee</gco:CharacterString></gmd:individualName><gmd:role><gmd:CI_RoleCode codeList="x" codeListValue="processor"/></gmd:role></gmd:CI_ResponsibleParty></gmd:citedResponsibleParty></gmd:CI_Citation></gmd:citation>
    <gmd:abstract><gco:CharacterString>Salt and heat.</gco:CharacterString></gmd:abstract>
    <gmd:descriptiveKeywords><gmd:MD_Keywords><gmd:keyword><gco:CharacterString>salt</gco:CharacterString></gmd:keyword><gmd:keyword><gco:CharacterString>heat</gco:CharacterString></gmd:keyword><gmd:type><gmd:MD_KeywordTypeCode codeList="x" codeListValue="theme"/></gmd:type></gmd:MD_Keywords></gmd:descriptiveKeywords>
    <gmd:resourceConstraints><gmd:MD_LegalConstraints><gmd:useLimitation><gmx:Anchor xlink:href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</gmx:Anchor></gmd:useLimitation><gmd:useConstraints><gmd:MD_RestrictionCode codeList="x" codeListValue="license"/></gmd:useConstraints></gmd:MD_LegalConstraints></gmd:resourceConstraints>
    <gmd:language><gmd:LanguageCode codeList="x" codeListValue="eng"/></gmd:language>
    <gmd:extent><gmd:EX_Extent><gmd:geographicElement><gmd:EX_GeographicBoundingBox><gmd:westBoundLongitude><gco:Decimal>-10</gco:Decimal></gmd:westBoundLongitude><gmd:eastBoundLongitude><gco:Decimal>-5</gco:Decimal></gmd:eastBoundLongitude><gmd:southBoundLatitude><gco:Decimal>60</gco:Decimal></gmd:southBoundLatitude><gmd:northBoundLatitude><gco:Decimal>65</gco:Decimal></gmd:northBoundLatitude></gmd:EX_GeographicBoundingBox></gmd:geographicElement><gmd:geographicElement><gmd:EX_GeographicBoundingBox><gmd:westBoundLongitude><gco:Decimal>1.5</gco:Decimal></gmd:westBoundLongitude><gmd:eastBoundLongitude><gco:Decimal>2.5</gco:Decimal></gmd:eastBoundLongitude><gmd:southBoundLatitude><gco:Decimal>70</gco:Decimal></gmd:southBoundLatitude><gmd:northBoundLatitude><gco:Decimal>71</gco:Decimal></gmd:northBoundLatitude></gmd:EX_GeographicBoundingBox></gmd:geographicElement><gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent><gml:TimeInstant gml:id="i1"><gml:timePosition>2013-07-08</gml:timePosition></gml:TimeInstant></gmd:extent></gmd:EX_TemporalExtent></gmd:temporalElement></gmd:EX_Extent></gmd:extent>
  </gmd:MD_DataIdentification></gmd:identificationInfo>
  <gmd:distributionInfo><gmd:MD_Distribution><gmd:distributionFormat><gmd:MD_Format><gmd:name><gco:CharacterString>NetCDF</gco:CharacterString></gmd:name><gmd:version><gco:CharacterString>4</gco:CharacterString></gmd:version></gmd:MD_Format></gmd:distributionFormat></gmd:MD_Distribution></gmd:distributionInfo></gmd:MD_Metadata>`,
    described: {
      identifier: [{ identifier: '10.5072/cruise', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'series' }],
      creators: [
        {
          name: 'Welle, Wim',
          nameType: 'Personal',
          givenName: 'Wim',
          familyName: 'Welle',
          affiliation: [{ name: 'Sea Institute' }],
        },
        { name: 'Cruise Crew', nameType: 'Organizational' },
      ],
      titles: [{ title: 'Cruise 3' }],
      publicationYear: ['2014'],
      subjects: [{ subject: 'salt' }, { subject: 'heat' }],
      contributors: [
        {
          contributorType: 'DataCurator',
          name: 'Flut, Fee',
          nameType: 'Personal',
          givenName: 'Fee',
          familyName: 'Flut',
        },
      ],
      dates: [
        { date: '2014-11-30', dateType: 'Issued' },
        { date: '2013-07-08', dateType: 'Coverage' },
      ],
      language: ['en'],
      alternateIdentifiers: [{ alternateIdentifier: 'cruise-3', alternateIdentifierType: 'Local' }],
      formats: ['NetCDF'],
      rightsList: [
        {
          rights: 'CC BY 4.0',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Salt and heat.', descriptionType: 'Abstract' }],
      geoLocations: [
        {
          geoLocationBox: {
            westBoundLongitude: -10,
            eastBoundLongitude: -5,
            southBoundLatitude: 60,
            northBoundLatitude: 65,
          },
        },
        {
          geoLocationBox: {
            westBoundLongitude: 1.5,
            eastBoundLongitude: 2.5,
            southBoundLatitude: 70,
            northBoundLatitude: 71,
          },
        },
      ],
    },
  },
  {
    title:
      'ISO 19115-3 of a data set: a DOI as an anchor, a translation, an open period, a licence as a citation, a format',
    schema: 'ISO 19115-3',
    document: `<mdb:MD_Metadata xmlns:mdb="http://standards.iso.org/iso/19115/-3/mdb/2.0" xmlns:mcc="http://standards.iso.org/iso/19115/-3/mcc/1.0" xmlns:cit="http://standards.iso.org/iso/19115/-3/cit/2.0" xmlns:mri="http://standards.iso.org/iso/19115/-3/mri/1.0" xmlns:lan="http://standards.iso.org/iso/19115/-3/lan/1.0" xmlns:gex="http://standards.iso.org/iso/19115/-3/gex/1.0" xmlns:mco="http://standards.iso.org/iso/19115/-3/mco/1.0" xmlns:mrd="http://standards.iso.org/iso/19115/-3/mrd/1.0" xmlns:gcx="http://standards.iso.org/iso/19115/-3/gcx/1.0" xmlns:gco="http://standards.iso.org/iso/19115/-3/gco/1.0" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xlink="http://www.w3.org/1999/xlink">
  <mdb:metadataIdentifier><mcc:MD_Identifier><mcc:code><gco:CharacterString>ice-1</gco:CharacterString></mcc:code><mcc:codeSpace><gco:CharacterString>urn:uuid</gco:CharacterString></mcc:codeSpace></mcc:MD_Identifier></mdb:metadataIdentifier>
  <mdb:defaultLocale><lan:PT_Locale id="EN"><lan:language><lan:LanguageCode codeList="x" codeListValue="eng"/></lan:language><lan:characterEncoding><lan:MD_CharacterSetCode codeList="x" codeListValue="utf8"/></lan:characterEncoding></lan:PT_Locale></mdb:defaultLocale>
  <mdb:metadataScope><mdb:MD_MetadataScope><mdb:resourceScope><mcc:MD_ScopeCode codeList="x" codeListValue="dataset"/></mdb:resourceScope></mdb:MD_MetadataScope></mdb:metadataScope>
  <mdb:contact gco:nilReason="missing"/>
  <mdb:dateInfo><cit:CI_Date><cit:date><gco:DateTime>2023-01-01T00:00:00</gco:DateTime></cit:date><cit:dateType><cit:CI_DateTypeCode codeList="x" codeListValue="creation"/></cit:dateType></cit:CI_Date></mdb:dateInfo>
  <mdb:identificationInfo><mri:MD_DataIdentification>
    <mri:citation><cit:CI_Citation><cit:title><gco:CharacterString>Ice on lakes</gco:CharacterString><lan:PT_FreeText><lan:textGroup><lan:LocalisedCharacterString locale="#FR">Glace sur les lacs</lan:LocalisedCharacterString></lan:textGroup></lan:PT_FreeText></cit:title>
      <cit:date><cit:CI_Date><cit:date><gco:Date>2022-12-01</gco:Date></cit:date><cit:dateType><cit:CI_DateTypeCode codeList="x" codeListValue="publication"/></cit:dateType></cit:CI_Date></cit:date>
      <cit:edition><gco:CharacterString>2</gco:CharacterString></cit:edition>
      <cit:identifier><mcc:MD_Identifier><mcc:code><gcx:Anchor xlink:href="https://doi.org/10.5072/ice">10.5072/ice</gcx:Anchor></mcc:code></mcc:MD_Identifier></cit:identifier>
      <cit:citedResponsibleParty><cit:CI_Responsibility><cit:role><cit:CI_RoleCode codeList="x" codeListValue="author"/></cit:role><cit:party><cit:CI_Organisation><cit:name><gco:CharacterString>Ice Institute</gco:CharacterString></cit:name><cit:individual><cit:CI_Individual><cit:name><gco:CharacterString>Eis, Eli</gco:CharacterString></cit:name></cit:CI_Individual></cit:individual></cit:CI_Organisation></cit:party></cit:CI_Responsibility></cit:citedResponsibleParty>
      <cit:citedResponsibleParty><cit:CI_Responsibility><cit:role><cit:CI_RoleCode codeList="x" codeListValue="publisher"/></cit:role><cit:party><cit:CI_Organisation><cit:name><gco:CharacterString>Ice Press</gco:CharacterString></cit:name></cit:CI_Organisation></cit:party></cit:CI_Responsibility></cit:citedResponsibleParty></cit:CI_Citation></mri:citation>
    <mri:abstract><gco:CharacterString>When lakes freeze.</gco:CharacterString></mri:abstract>
    <mri:pointOfContact><cit:CI_Responsibility><cit:role><cit:CI_RoleCode codeList="x" codeListValue="custodian"/></cit:role><cit:party><cit:CI_Organisation><cit:name><gco:CharacterString>Ice Archive</gco:CharacterString></cit:name></cit:CI_Organisation></cit:party></cit:CI_Responsibility></mri:pointOfContact>
    <mri:extent><gex:EX_Extent><gex:description><gco:CharacterString>The lakes</gco:CharacterString></gex:description><gex:geographicElement><gex:EX_GeographicBoundingBox><gex:westBoundLongitude><gco:Decimal>6</gco:Decimal></gex:westBoundLongitude><gex:eastBoundLongitude><gco:Decimal>7</gco:Decimal></gex:eastBoundLongitude><gex:southBoundLatitude><gco:Decimal>46</gco:Decimal></gex:southBoundLatitude><gex:northBoundLatitude><gco:Decimal>47</gco:Decimal></gex:northBoundLatitude></gex:EX_GeographicBoundingBox></gex:geographicElement><gex:temporalElement><gex:EX_TemporalExtent><gex:extent><gml:TimePeriod gml:id="p"><gml:beginPosition>1900-01-01</gml:beginPosition><gml:endPosition indeterminatePosition="now"/></gml:TimePeriod></gex:extent></gex:EX_TemporalExtent></gex:temporalElement></gex:EX_Extent></mri:extent>
    <mri:descriptiveKeywords><mri:MD_Keywords><mri:keyword><gco:CharacterString>ice</gco:CharacterString></mri:keyword><mri:keyword><gcx:Anchor xlink:href="https://words.example.org/lake">lake</gcx:Anchor></mri:keyword></mri:MD_Keywords></mri:descriptiveKeywords>
    <mri:resourceConstraints><mco:MD_LegalConstraints><mco:reference><cit:CI_Citation><cit:title><gco:CharacterString>Creative Commons Attribution 4.0 International</gco:CharacterString></cit:title><cit:onlineResource><cit:CI_OnlineResource><cit:linkage><gco:CharacterString>https://creativecommons.org/licenses/by/4.0/</gco:CharacterString></cit:linkage></cit:CI_OnlineResource></cit:onlineResource></cit:CI_Citation></mco:reference><mco:useConstraints><mco:MD_RestrictionCode codeList="x" codeListValue="licence"/></mco:useConstraints></mco:MD_LegalConstraints></mri:resourceConstraints>
    <mri:defaultLocale><lan:PT_Locale id="EN2"><lan:language><lan:LanguageCode codeList="x" codeListValue="eng"/></lan:language><lan:characterEncoding><lan:MD_CharacterSetCode codeList="x" codeListValue="utf8"/></lan:characterEncoding></lan:PT_Locale></mri:defaultLocale>
  </mri:MD_DataIdentification></mdb:identificationInfo>
  <mdb:distributionInfo><mrd:MD_Distribution><mrd:distributionFormat><mrd:MD_Format><mrd:formatSpecificationCitation><cit:CI_Citation><cit:title><gco:CharacterString>GeoTIFF</gco:CharacterString></cit:title></cit:CI_Citation></mrd:formatSpecificationCitation></mrd:MD_Format></mrd:distributionFormat></mrd:MD_Distribution></mdb:distributionInfo>
</mdb:MD_Metadata>`,
    described: {
      identifier: [{ identifier: '10.5072/ice', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'dataset' }],
      creators: [
        {
          name: 'Eis, Eli',
          nameType: 'Personal',
          givenName: 'Eli',
          familyName: 'Eis',
          affiliation: [{ name: 'Ice Institute' }],
        },
      ],
      titles: [{ title: 'Ice on lakes' }, { title: 'Glace sur les lacs', lang: 'fr' }],
      publisher: [{ name: 'Ice Press' }],
      publicationYear: ['2022'],
      subjects: [{ subject: 'ice' }, { subject: 'lake', valueUri: 'https://words.example.org/lake' }],
      contributors: [{ contributorType: 'DataManager', name: 'Ice Archive', nameType: 'Organizational' }],
      dates: [
        { date: '2022-12-01', dateType: 'Issued' },
        { date: '1900-01-01/', dateType: 'Coverage' },
      ],
      language: ['en'],
      alternateIdentifiers: [{ alternateIdentifier: 'ice-1', alternateIdentifierType: 'Local' }],
      formats: ['GeoTIFF'],
      version: ['2'],
      rightsList: [
        {
          rights: 'Creative Commons Attribution 4.0 International',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'When lakes freeze.', descriptionType: 'Abstract' }],
      geoLocations: [
        {
          geoLocationPlace: 'The lakes',
          geoLocationBox: {
            westBoundLongitude: 6,
            eastBoundLongitude: 7,
            southBoundLatitude: 46,
            northBoundLatitude: 47,
          },
        },
      ],
    },
  },
  {
    title:
      'ISO 19115-3 of a service: a person of an organisation without a name, limits of use in plain constraints',
    schema: 'ISO 19115-3',
    document: `<mdb:MD_Metadata xmlns:mdb="http://standards.iso.org/iso/19115/-3/mdb/2.0" xmlns:mcc="http://standards.iso.org/iso/19115/-3/mcc/1.0" xmlns:cit="http://standards.iso.org/iso/19115/-3/cit/2.0" xmlns:mri="http://standards.iso.org/iso/19115/-3/mri/1.0" xmlns:lan="http://standards.iso.org/iso/19115/-3/lan/1.0" xmlns:gex="http://standards.iso.org/iso/19115/-3/gex/1.0" xmlns:mco="http://standards.iso.org/iso/19115/-3/mco/1.0" xmlns:mrd="http://standards.iso.org/iso/19115/-3/mrd/1.0" xmlns:gcx="http://standards.iso.org/iso/19115/-3/gcx/1.0" xmlns:gco="http://standards.iso.org/iso/19115/-3/gco/1.0" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:srv="http://standards.iso.org/iso/19115/-3/srv/2.0">
  <mdb:metadataIdentifier><mcc:MD_Identifier><mcc:code><gco:CharacterString>https://maps.example.org/wfs/meta</gco:CharacterString></mcc:code></mcc:MD_Identifier></mdb:metadataIdentifier>
  <mdb:defaultLocale><lan:PT_Locale><lan:language><lan:LanguageCode codeList="x" codeListValue="spa"/></lan:language><lan:characterEncoding gco:nilReason="unknown"/></lan:PT_Locale></mdb:defaultLocale>
  <mdb:metadataScope><mdb:MD_MetadataScope><mdb:resourceScope><mcc:MD_ScopeCode codeList="x" codeListValue="service"/></mdb:resourceScope><mdb:name><gco:CharacterString>Servicio</gco:CharacterString></mdb:name></mdb:MD_MetadataScope></mdb:metadataScope>
  <mdb:contact gco:nilReason="missing"/>
  <mdb:dateInfo><cit:CI_Date><cit:date><gco:Date>2019-01-01</gco:Date></cit:date><cit:dateType><cit:CI_DateTypeCode codeList="x" codeListValue="revision"/></cit:dateType></cit:CI_Date></mdb:dateInfo>
  <mdb:identificationInfo><srv:SV_ServiceIdentification>
    <mri:citation><cit:CI_Citation><cit:title><gco:CharacterString>Carreteras</gco:CharacterString></cit:title><cit:date><cit:CI_Date><cit:date><gco:Date>2017-06</gco:Date></cit:date><cit:dateType><cit:CI_DateTypeCode codeList="x" codeListValue="creation"/></cit:dateType></cit:CI_Date></cit:date></cit:CI_Citation></mri:citation>
    <mri:abstract><gco:CharacterString>Un servicio de carreteras.</gco:CharacterString></mri:abstract>
    <mri:pointOfContact><cit:CI_Responsibility><cit:role><cit:CI_RoleCode codeList="x" codeListValue="pointOfContact"/></cit:role><cit:party><cit:CI_Organisation><cit:individual><cit:CI_Individual><cit:name><gco:CharacterString>Vía, Vera</gco:CharacterString></cit:name><cit:partyIdentifier><mcc:MD_Identifier><mcc:code><gco:CharacterString>https://orcid.org/0000-0001-5727-2427</gco:CharacterString></mcc:code></mcc:MD_Identifier></cit:partyIdentifier></cit:CI_Individual></cit:individual></cit:CI_Organisation></cit:party></cit:CI_Responsibility></mri:pointOfContact>
    <mri:pointOfContact><cit:CI_Responsibility><cit:role><cit:CI_RoleCode codeList="x" codeListValue="distributor"/></cit:role><cit:party><cit:CI_Organisation><cit:name><gco:CharacterString>Oficina de Mapas</gco:CharacterString></cit:name></cit:CI_Organisation></cit:party></cit:CI_Responsibility></mri:pointOfContact>
    <mri:descriptiveKeywords><mri:MD_Keywords><mri:keyword><gco:CharacterString>carreteras</gco:CharacterString></mri:keyword><mri:thesaurusName><cit:CI_Citation><cit:title><gco:CharacterString>Palabras</gco:CharacterString></cit:title></cit:CI_Citation></mri:thesaurusName></mri:MD_Keywords></mri:descriptiveKeywords>
    <mri:resourceConstraints><mco:MD_Constraints><mco:useLimitation><gco:CharacterString>CC BY 4.0</gco:CharacterString></mco:useLimitation></mco:MD_Constraints></mri:resourceConstraints>
    <srv:serviceType><gco:ScopedName>WFS</gco:ScopedName></srv:serviceType>
  </srv:SV_ServiceIdentification></mdb:identificationInfo>
</mdb:MD_Metadata>`,
    described: {
      identifier: [{ identifier: 'https://maps.example.org/wfs/meta', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Service', resourceType: 'service' }],
      creators: [
        {
          name: 'Vía, Vera',
          nameType: 'Personal',
          givenName: 'Vera',
          familyName: 'Vía',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
        },
      ],
      titles: [{ title: 'Carreteras' }],
      publisher: [{ name: 'Oficina de Mapas' }],
      publicationYear: ['2017'],
      subjects: [{ subject: 'carreteras', subjectScheme: 'Palabras' }],
      contributors: [
        {
          contributorType: 'ContactPerson',
          name: 'Vía, Vera',
          nameType: 'Personal',
          givenName: 'Vera',
          familyName: 'Vía',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
        },
        { contributorType: 'Distributor', name: 'Oficina de Mapas', nameType: 'Organizational' },
      ],
      dates: [{ date: '2017-06', dateType: 'Created' }],
      language: ['es'],
      rightsList: [
        {
          rights: 'CC BY 4.0',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Un servicio de carreteras.', descriptionType: 'Abstract' }],
    },
  },
]
