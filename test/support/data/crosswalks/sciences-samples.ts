import type { KnownSample } from './known-sample.js'

/*
 * Documents of known schemas with what they say about themselves: research data of the sciences.
 */

export const sciencesSamples: readonly KnownSample[] = [
  {
    title: 'EML 2.2',
    schema: 'EML, also with Darwin Core',
    document: `<eml:eml xmlns:eml="https://eml.ecoinformatics.org/eml-2.2.0" packageId="doi:10.5072/kelp" system="https://example.org" xml:lang="en">
  <dataset>
    <alternateIdentifier>kelp-1</alternateIdentifier><shortName>kelp</shortName>
    <title xml:lang="spa">Algas <value xml:lang="eng">Kelp</value></title>
    <creator><individualName><givenName>Ada</givenName><surName>Example</surName></individualName><organizationName>Example Institute</organizationName><userId directory="https://orcid.org">https://orcid.org/0000-0001-5727-2427</userId></creator>
    <creator><organizationName>Kelp Group</organizationName></creator>
    <metadataProvider><individualName><givenName>Eve</givenName><surName>Sample</surName></individualName></metadataProvider>
    <associatedParty><individualName><givenName>Max</givenName><surName>Muster</surName></individualName><role>principalInvestigator</role></associatedParty>
    <pubDate>2018-05-06</pubDate><language>eng</language>
    <abstract><section><title>Aim</title><para>To count kelp.</para></section><para>Counted.</para></abstract>
    <keywordSet><keyword>kelp</keyword><keyword>sea</keyword><keywordThesaurus>Sea Words</keywordThesaurus></keywordSet>
    <keywordSet><keyword>coast</keyword><keywordThesaurus>None</keywordThesaurus></keywordSet>
    <licensed><licenseName>Creative Commons Attribution 4.0 International</licenseName><url>https://spdx.org/licenses/CC-BY-4.0.html</url><identifier>CC-BY-4.0</identifier></licensed>
    <coverage>
      <geographicCoverage><geographicDescription>A coast</geographicDescription><boundingCoordinates><westBoundingCoordinate>-122.44</westBoundingCoordinate><eastBoundingCoordinate>-117.15</eastBoundingCoordinate><northBoundingCoordinate>37.38</northBoundingCoordinate><southBoundingCoordinate>30.00</southBoundingCoordinate></boundingCoordinates></geographicCoverage>
      <temporalCoverage><rangeOfDates><beginDate><calendarDate>1957-08-13</calendarDate></beginDate><endDate><calendarDate>2006-02-18</calendarDate></endDate></rangeOfDates></temporalCoverage>
      <temporalCoverage><singleDateTime><calendarDate>2010</calendarDate></singleDateTime></temporalCoverage>
    </coverage>
    <contact><positionName>Data Manager</positionName></contact>
    <publisher><organizationName>Example Repository</organizationName></publisher>
    <methods><methodStep><description><para>Counting.</para></description></methodStep></methods>
    <project><title>Kelp</title><personnel><individualName><surName>Tilman</surName></individualName><role>owner</role></personnel>
      <award><funderName>Example Funder</funderName><funderIdentifier>https://doi.org/10.13039/100000001</funderIdentifier><awardNumber>1546024</awardNumber><title>An award</title><awardUrl>https://example.org/award/1546024</awardUrl></award></project>
  </dataset>
</eml:eml>`,
    described: {
      identifier: [{ identifier: '10.5072/kelp', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
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
        { name: 'Kelp Group', nameType: 'Organizational' },
      ],
      titles: [
        { title: 'Algas', lang: 'es' },
        { title: 'Kelp', lang: 'en' },
        { title: 'kelp', titleType: 'AlternativeTitle' },
      ],
      publisher: [{ name: 'Example Repository' }],
      publicationYear: ['2018'],
      subjects: [
        { subject: 'kelp', subjectScheme: 'Sea Words' },
        { subject: 'sea', subjectScheme: 'Sea Words' },
        { subject: 'coast' },
      ],
      contributors: [
        { contributorType: 'ContactPerson', name: 'Data Manager', nameType: 'Organizational' },
        {
          contributorType: 'DataCurator',
          name: 'Sample, Eve',
          nameType: 'Personal',
          givenName: 'Eve',
          familyName: 'Sample',
        },
        {
          contributorType: 'ProjectLeader',
          name: 'Muster, Max',
          nameType: 'Personal',
          givenName: 'Max',
          familyName: 'Muster',
        },
        { contributorType: 'ProjectMember', name: 'Tilman', nameType: 'Personal', familyName: 'Tilman' },
      ],
      dates: [
        { date: '2018-05-06', dateType: 'Issued' },
        { date: '1957-08-13/2006-02-18', dateType: 'Collected' },
        { date: '2010', dateType: 'Collected' },
      ],
      language: ['en'],
      alternateIdentifiers: [{ alternateIdentifier: 'kelp-1', alternateIdentifierType: 'Local' }],
      rightsList: [
        {
          rights: 'Creative Commons Attribution 4.0 International',
          rightsUri: 'https://spdx.org/licenses/CC-BY-4.0.html',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [
        { description: 'Aim\n\nTo count kelp.\n\nCounted.', descriptionType: 'Abstract' },
        { description: 'Counting.', descriptionType: 'Methods' },
      ],
      geoLocations: [
        {
          geoLocationPlace: 'A coast',
          geoLocationBox: {
            westBoundLongitude: -122.44,
            eastBoundLongitude: -117.15,
            southBoundLatitude: 30,
            northBoundLatitude: 37.38,
          },
        },
      ],
      fundingReferences: [
        {
          funderName: 'Example Funder',
          funderIdentifier: 'https://doi.org/10.13039/100000001',
          funderIdentifierType: 'Crossref Funder ID',
          awardNumber: '1546024',
          awardUri: 'https://example.org/award/1546024',
          awardTitle: 'An award',
        },
      ],
    },
  },
  {
    title: 'EML 2.1 of a data set of Darwin Core',
    schema: 'EML, also with Darwin Core',
    document: `<eml:eml xmlns:eml="eml://ecoinformatics.org/eml-2.1.1" packageId="cb643105/v10.2" system="http://gbif.org" xml:lang="eng">
  <dataset>
    <alternateIdentifier>cb643105</alternateIdentifier><alternateIdentifier>https://doi.org/10.5072/frogs</alternateIdentifier>
    <title xml:lang="eng">Frogs</title>
    <creator><individualName><givenName>Ada</givenName><surName>Example</surName></individualName></creator>
    <pubDate>
      2017-05-05
    </pubDate>
    <abstract><para>Frogs.</para></abstract>
    <intellectualRights><para>This work is licensed under a <ulink url="http://creativecommons.org/licenses/by-nc/4.0/legalcode"><citetitle>Creative Commons Attribution Non Commercial (CC-BY-NC) 4.0 License</citetitle></ulink>.</para></intellectualRights>
  </dataset>
</eml:eml>`,
    described: {
      identifier: [{ identifier: '10.5072/frogs', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [{ name: 'Example, Ada', nameType: 'Personal', givenName: 'Ada', familyName: 'Example' }],
      titles: [{ title: 'Frogs', lang: 'en' }],
      publicationYear: ['2017'],
      dates: [{ date: '2017-05-05', dateType: 'Issued' }],
      language: ['en'],
      alternateIdentifiers: [
        { alternateIdentifier: 'cb643105/v10.2', alternateIdentifierType: 'Local' },
        { alternateIdentifier: 'cb643105', alternateIdentifierType: 'Local' },
      ],
      rightsList: [
        {
          rights: 'Creative Commons Attribution Non Commercial (CC-BY-NC) 4.0 License',
          rightsUri: 'http://creativecommons.org/licenses/by-nc/4.0/legalcode',
          rightsIdentifier: 'CC-BY-NC-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'Frogs.', descriptionType: 'Abstract' }],
    },
  },
  {
    title: 'ISO 19139',
    schema: 'ISO 19139',
    document: `<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco" xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:gml="http://www.opengis.net/gml" xmlns:xlink="http://www.w3.org/1999/xlink">
  <gmd:fileIdentifier><gco:CharacterString>707a02ac</gco:CharacterString></gmd:fileIdentifier>
  <gmd:hierarchyLevel><gmd:MD_ScopeCode codeList="#" codeListValue="dataset">dataset</gmd:MD_ScopeCode></gmd:hierarchyLevel>
  <gmd:identificationInfo><gmd:MD_DataIdentification>
    <gmd:citation><gmd:CI_Citation>
      <gmd:title><gco:CharacterString>Soil</gco:CharacterString><gmd:PT_FreeText><gmd:textGroup><gmd:LocalisedCharacterString locale="#DE">Boden</gmd:LocalisedCharacterString></gmd:textGroup></gmd:PT_FreeText></gmd:title>
      <gmd:date><gmd:CI_Date><gmd:date><gco:Date>2019-08-31</gco:Date></gmd:date><gmd:dateType><gmd:CI_DateTypeCode codeListValue="creation">creation</gmd:CI_DateTypeCode></gmd:dateType></gmd:CI_Date></gmd:date>
      <gmd:date><gmd:CI_Date><gmd:date><gco:DateTime>2020-10-09T00:00:00</gco:DateTime></gmd:date><gmd:dateType><gmd:CI_DateTypeCode codeListValue="publication">publication</gmd:CI_DateTypeCode></gmd:dateType></gmd:CI_Date></gmd:date>
      <gmd:identifier><gmd:MD_Identifier><gmd:code><gco:CharacterString>soil-1</gco:CharacterString></gmd:code></gmd:MD_Identifier></gmd:identifier>
      <gmd:identifier><gmd:MD_Identifier><gmd:code><gco:CharacterString>https://doi.org/10.5072/soil</gco:CharacterString></gmd:code></gmd:MD_Identifier></gmd:identifier>
      <gmd:citedResponsibleParty><gmd:CI_ResponsibleParty><gmd:individualName><gco:CharacterString>Example, Ada</gco:CharacterString></gmd:individualName><gmd:organisationName><gco:CharacterString>Example Institute</gco:CharacterString></gmd:organisationName><gmd:role><gmd:CI_RoleCode codeListValue="author"/></gmd:role></gmd:CI_ResponsibleParty></gmd:citedResponsibleParty>
      <gmd:citedResponsibleParty><gmd:CI_ResponsibleParty><gmd:individualName><gmx:Anchor xlink:href="https://orcid.org/0000-0001-5727-2427">Max Muster</gmx:Anchor></gmd:individualName><gmd:role><gmd:CI_RoleCode codeListValue="author"/></gmd:role></gmd:CI_ResponsibleParty></gmd:citedResponsibleParty>
    </gmd:CI_Citation></gmd:citation>
    <gmd:abstract><gco:CharacterString>About soil.</gco:CharacterString></gmd:abstract>
    <gmd:pointOfContact><gmd:CI_ResponsibleParty><gmd:individualName gco:nilReason="missing"><gco:CharacterString/></gmd:individualName><gmd:organisationName><gco:CharacterString>Example Repository</gco:CharacterString></gmd:organisationName><gmd:role><gmd:CI_RoleCode codeListValue="publisher"/></gmd:role></gmd:CI_ResponsibleParty></gmd:pointOfContact>
    <gmd:pointOfContact><gmd:CI_ResponsibleParty><gmd:organisationName><gco:CharacterString>Help desk</gco:CharacterString></gmd:organisationName><gmd:role><gmd:CI_RoleCode codeListValue="pointOfContact"/></gmd:role></gmd:CI_ResponsibleParty></gmd:pointOfContact>
    <gmd:descriptiveKeywords><gmd:MD_Keywords><gmd:keyword><gco:CharacterString>Boden</gco:CharacterString></gmd:keyword><gmd:keyword><gmx:Anchor xlink:href="http://aims.fao.org/aos/agrovoc/c_7156">soil</gmx:Anchor></gmd:keyword><gmd:thesaurusName><gmd:CI_Citation><gmd:title><gco:CharacterString>GEMET</gco:CharacterString></gmd:title></gmd:CI_Citation></gmd:thesaurusName></gmd:MD_Keywords></gmd:descriptiveKeywords>
    <gmd:resourceConstraints><gmd:MD_LegalConstraints><gmd:otherConstraints><gmx:Anchor xlink:href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</gmx:Anchor></gmd:otherConstraints></gmd:MD_LegalConstraints></gmd:resourceConstraints>
    <gmd:language><gmd:LanguageCode codeList="#" codeListValue="ger"/></gmd:language>
    <gmd:extent><gmd:EX_Extent><gmd:description><gco:CharacterString>Asendorf</gco:CharacterString></gmd:description><gmd:geographicElement><gmd:EX_GeographicBoundingBox><gmd:westBoundLongitude><gco:Decimal>9.02</gco:Decimal></gmd:westBoundLongitude><gmd:eastBoundLongitude><gco:Decimal>9.03</gco:Decimal></gmd:eastBoundLongitude><gmd:southBoundLatitude><gco:Decimal>52.76</gco:Decimal></gmd:southBoundLatitude><gmd:northBoundLatitude><gco:Decimal>52.77</gco:Decimal></gmd:northBoundLatitude></gmd:EX_GeographicBoundingBox></gmd:geographicElement></gmd:EX_Extent></gmd:extent>
    <gmd:extent><gmd:EX_Extent><gmd:description><gco:CharacterString>The time of the tests</gco:CharacterString></gmd:description><gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent><gml:TimePeriod><gml:beginPosition>2015-05-01</gml:beginPosition><gml:endPosition/></gml:TimePeriod></gmd:extent></gmd:EX_TemporalExtent></gmd:temporalElement></gmd:EX_Extent></gmd:extent>
  </gmd:MD_DataIdentification></gmd:identificationInfo>
  <gmd:distributionInfo><gmd:MD_Distribution><gmd:distributionFormat><gmd:MD_Format><gmd:name><gco:CharacterString>CSV</gco:CharacterString></gmd:name></gmd:MD_Format></gmd:distributionFormat></gmd:MD_Distribution></gmd:distributionInfo>
  <gmd:dataQualityInfo><gmd:DQ_DataQuality><gmd:lineage><gmd:LI_Lineage><gmd:statement><gco:CharacterString>Measured by hand.</gco:CharacterString></gmd:statement></gmd:LI_Lineage></gmd:lineage></gmd:DQ_DataQuality></gmd:dataQualityInfo>
</gmd:MD_Metadata>`,
    described: {
      identifier: [{ identifier: '10.5072/soil', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'dataset' }],
      creators: [
        {
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          affiliation: [{ name: 'Example Institute' }],
        },
        {
          name: 'Max Muster',
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
      titles: [{ title: 'Soil' }, { title: 'Boden', lang: 'de' }],
      publisher: [{ name: 'Example Repository' }],
      publicationYear: ['2020'],
      subjects: [
        { subject: 'Boden', subjectScheme: 'GEMET' },
        { subject: 'soil', valueUri: 'http://aims.fao.org/aos/agrovoc/c_7156' },
      ],
      contributors: [{ contributorType: 'ContactPerson', name: 'Help desk', nameType: 'Organizational' }],
      dates: [
        { date: '2020-10-09T00:00:00', dateType: 'Issued' },
        { date: '2019-08-31', dateType: 'Created' },
        { date: '2015-05-01/', dateType: 'Coverage' },
      ],
      language: ['de'],
      alternateIdentifiers: [
        { alternateIdentifier: '707a02ac', alternateIdentifierType: 'Local' },
        { alternateIdentifier: 'soil-1', alternateIdentifierType: 'Local' },
      ],
      formats: ['CSV'],
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
        { description: 'About soil.', descriptionType: 'Abstract' },
        { description: 'Measured by hand.', descriptionType: 'Methods' },
      ],
      geoLocations: [
        {
          geoLocationPlace: 'Asendorf',
          geoLocationBox: {
            westBoundLongitude: 9.02,
            eastBoundLongitude: 9.03,
            southBoundLatitude: 52.76,
            northBoundLatitude: 52.77,
          },
        },
      ],
    },
  },
  {
    title: 'ISO 19139 of a service, with the extension of ISO 19115-2',
    schema: 'ISO 19139 with ISO 19115-2',
    document: `<gmi:MI_Metadata xmlns:gmi="http://www.isotc211.org/2005/gmi" xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco" xmlns:srv="http://www.isotc211.org/2005/srv">
  <gmd:hierarchyLevel><gmd:MD_ScopeCode codeListValue="service"/></gmd:hierarchyLevel>
  <gmd:dataSetURI><gco:CharacterString>https://example.org/wms</gco:CharacterString></gmd:dataSetURI>
  <gmd:identificationInfo><srv:SV_ServiceIdentification>
    <gmd:citation><gmd:CI_Citation><gmd:title><gco:CharacterString>A map service</gco:CharacterString></gmd:title></gmd:CI_Citation></gmd:citation>
    <gmd:pointOfContact><gmd:CI_ResponsibleParty><gmd:organisationName><gco:CharacterString>Land Office</gco:CharacterString></gmd:organisationName><gmd:role><gmd:CI_RoleCode codeListValue="pointOfContact"/></gmd:role></gmd:CI_ResponsibleParty></gmd:pointOfContact>
  </srv:SV_ServiceIdentification></gmd:identificationInfo>
</gmi:MI_Metadata>`,
    described: {
      identifier: [{ identifier: 'https://example.org/wms', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Service', resourceType: 'service' }],
      creators: [{ name: 'Land Office', nameType: 'Organizational' }],
      titles: [{ title: 'A map service' }],
      contributors: [{ contributorType: 'ContactPerson', name: 'Land Office', nameType: 'Organizational' }],
    },
  },
  {
    title: 'ISO 19115-3',
    schema: 'ISO 19115-3',
    document: `<mdb:MD_Metadata xmlns:mdb="http://standards.iso.org/iso/19115/-3/mdb/2.0" xmlns:mcc="http://standards.iso.org/iso/19115/-3/mcc/1.0" xmlns:cit="http://standards.iso.org/iso/19115/-3/cit/2.0" xmlns:mri="http://standards.iso.org/iso/19115/-3/mri/1.0" xmlns:lan="http://standards.iso.org/iso/19115/-3/lan/1.0" xmlns:mrl="http://standards.iso.org/iso/19115/-3/mrl/2.0" xmlns:gco="http://standards.iso.org/iso/19115/-3/gco/1.0">
  <mdb:metadataIdentifier><mcc:MD_Identifier><mcc:code><gco:CharacterString>f641aff2</gco:CharacterString></mcc:code></mcc:MD_Identifier></mdb:metadataIdentifier>
  <mdb:metadataScope><mdb:MD_MetadataScope><mdb:resourceScope><mcc:MD_ScopeCode codeListValue="series"/></mdb:resourceScope></mdb:MD_MetadataScope></mdb:metadataScope>
  <mdb:identificationInfo><mri:MD_DataIdentification>
    <mri:citation><cit:CI_Citation><cit:title><gco:CharacterString>Roadsides</gco:CharacterString></cit:title><cit:alternateTitle><gco:CharacterString>RS</gco:CharacterString></cit:alternateTitle>
      <cit:date><cit:CI_Date><cit:date><gco:DateTime>2000-09-03T12:00:00</gco:DateTime></cit:date><cit:dateType><cit:CI_DateTypeCode codeListValue="released"/></cit:dateType></cit:CI_Date></cit:date></cit:CI_Citation></mri:citation>
    <mri:abstract><gco:CharacterString>Plants.</gco:CharacterString></mri:abstract>
    <mri:pointOfContact><cit:CI_Responsibility><cit:role><cit:CI_RoleCode codeListValue="author"/></cit:role><cit:party><cit:CI_Individual><cit:name><gco:CharacterString>Example, Ada</gco:CharacterString></cit:name><cit:partyIdentifier><mcc:MD_Identifier><mcc:code><gco:CharacterString>https://orcid.org/0000-0001-5727-2427</gco:CharacterString></mcc:code></mcc:MD_Identifier></cit:partyIdentifier></cit:CI_Individual></cit:party></cit:CI_Responsibility></mri:pointOfContact>
    <mri:pointOfContact><cit:CI_Responsibility><cit:role><cit:CI_RoleCode codeListValue="author"/></cit:role><cit:party><cit:CI_Organisation><cit:name><gco:CharacterString>Nature Office</gco:CharacterString></cit:name><cit:individual><cit:CI_Individual><cit:name><gco:CharacterString>Max Muster</gco:CharacterString></cit:name></cit:CI_Individual></cit:individual></cit:CI_Organisation></cit:party></cit:CI_Responsibility></mri:pointOfContact>
    <mri:pointOfContact><cit:CI_Responsibility><cit:role><cit:CI_RoleCode codeListValue="owner"/></cit:role><cit:party><cit:CI_Organisation><cit:name><gco:CharacterString>The Region</gco:CharacterString></cit:name></cit:CI_Organisation></cit:party></cit:CI_Responsibility></mri:pointOfContact>
    <mri:defaultLocale><lan:PT_Locale><lan:language><lan:LanguageCode codeListValue="fre"/></lan:language></lan:PT_Locale></mri:defaultLocale>
  </mri:MD_DataIdentification></mdb:identificationInfo>
  <mdb:resourceLineage><mrl:LI_Lineage><mrl:statement><gco:CharacterString>Drawn on paper.</gco:CharacterString></mrl:statement></mrl:LI_Lineage></mdb:resourceLineage>
</mdb:MD_Metadata>`,
    described: {
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'series' }],
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
        { name: 'Max Muster', nameType: 'Personal', affiliation: [{ name: 'Nature Office' }] },
      ],
      titles: [{ title: 'Roadsides' }, { title: 'RS', titleType: 'AlternativeTitle' }],
      publicationYear: ['2000'],
      contributors: [{ contributorType: 'RightsHolder', name: 'The Region', nameType: 'Organizational' }],
      dates: [{ date: '2000-09-03T12:00:00', dateType: 'Issued' }],
      language: ['fr'],
      alternateIdentifiers: [{ alternateIdentifier: 'f641aff2', alternateIdentifierType: 'Local' }],
      descriptions: [
        { description: 'Plants.', descriptionType: 'Abstract' },
        { description: 'Drawn on paper.', descriptionType: 'Methods' },
      ],
    },
  },
  {
    title: 'DDI Codebook 2.5',
    schema: 'DDI Codebook',
    document: `<codeBook xmlns="ddi:codebook:2_5" xml:lang="en" version="2.5">
  <docDscr><citation><titlStmt><titl>The description</titl></titlStmt></citation></docDscr>
  <stdyDscr>
    <citation>
      <titlStmt><titl>Survey of Habits</titl><subTitl>Wave 2</subTitl><altTitl>Habits</altTitl><parTitl xml:lang="de">Umfrage</parTitl><IDNo agency="DOI">doi:10.5072/habits</IDNo><IDNo agency="Archive">ZA12</IDNo></titlStmt>
      <rspStmt><AuthEnty affiliation="Example Institute">Example, Ada<ExtLink URI="https://orcid.org/0000-0001-5727-2427" title="ORCID">0000-0001-5727-2427</ExtLink></AuthEnty><othId role="Data Curator">Max Muster</othId></rspStmt>
      <prodStmt><producer>Survey Ltd<ExtLink URI="https://survey.example.org"/></producer><prodDate date="2001-02-03">3 February 2001</prodDate><fundAg>Example Funder</fundAg><grantNo agency="Example Funder">AB 12</grantNo></prodStmt>
      <distStmt><distrbtr>Example Archive</distrbtr><contact affiliation="Example Archive">Desk</contact><depDate date="2002">2002</depDate><distDate date="2003-04-05">5 April 2003</distDate></distStmt>
      <serStmt><serName>Habits</serName><serInfo>Each ten years.</serInfo></serStmt>
      <verStmt><version date="2004-01-01">2</version></verStmt>
    </citation>
    <stdyInfo>
      <subject><keyword vocab="ELSST" vocabURI="https://elsst.example.org">habits</keyword><topcClas xml:lang="eng">society</topcClas></subject>
      <abstract>About habits.</abstract>
      <sumDscr><timePrd event="single" date="2000">2000</timePrd><collDate event="start" date="2000-01" cycle="P1">January</collDate><collDate event="end" date="2000-03" cycle="P1">March</collDate><collDate event="start" date="2001-01" cycle="P2"/><collDate event="end" date="2001-03" cycle="P2"/>
        <nation>Germany</nation><geogCover>Karlsruhe</geogCover><geoBndBox><westBL>8.3</westBL><eastBL>8.5</eastBL><southBL>48.9</southBL><northBL>49.1</northBL></geoBndBox><dataKind>survey data</dataKind></sumDscr>
    </stdyInfo>
    <method><dataColl><dataCollector>Eve Sample</dataCollector><collMode>Interview</collMode></dataColl></method>
    <dataAccs><useStmt><conditions>Ask first.</conditions></useStmt><notes type="DVN:TOU" URI="http://creativecommons.org/publicdomain/zero/1.0">CC0 1.0</notes></dataAccs>
    <othrStdyMat><relPubl><citation><titlStmt><titl>A paper</titl><IDNo>https://doi.org/10.5072/paper</IDNo></titlStmt></citation></relPubl></othrStdyMat>
  </stdyDscr>
</codeBook>`,
    described: {
      identifier: [{ identifier: '10.5072/habits', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'survey data' }],
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
      ],
      titles: [
        { title: 'Survey of Habits' },
        { title: 'Wave 2', titleType: 'Subtitle' },
        { title: 'Habits', titleType: 'AlternativeTitle' },
        { title: 'Umfrage', titleType: 'TranslatedTitle', lang: 'de' },
      ],
      publisher: [{ name: 'Example Archive' }],
      publicationYear: ['2003'],
      subjects: [
        { subject: 'habits', subjectScheme: 'ELSST', schemeUri: 'https://elsst.example.org' },
        { subject: 'society', lang: 'en' },
      ],
      contributors: [
        { contributorType: 'DataCurator', name: 'Max Muster' },
        { contributorType: 'Producer', name: 'Survey Ltd' },
        { contributorType: 'ContactPerson', name: 'Desk', affiliation: [{ name: 'Example Archive' }] },
        { contributorType: 'DataCollector', name: 'Eve Sample' },
      ],
      dates: [
        { date: '2003-04-05', dateType: 'Issued' },
        { date: '2002', dateType: 'Submitted' },
        { date: '2001-02-03', dateType: 'Created' },
        { date: '2000-01/2000-03', dateType: 'Collected' },
        { date: '2001-01/2001-03', dateType: 'Collected' },
        { date: '2000', dateType: 'Coverage' },
      ],
      language: ['en'],
      alternateIdentifiers: [{ alternateIdentifier: 'ZA12', alternateIdentifierType: 'Archive' }],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/paper', relatedIdentifierType: 'DOI', relationType: 'IsReferencedBy' },
      ],
      relatedItems: [
        { titles: [{ title: 'Habits' }], relatedItemType: 'Collection', relationType: 'IsPartOf' },
      ],
      version: ['2'],
      rightsList: [
        {
          rights: 'CC0 1.0',
          rightsUri: 'http://creativecommons.org/publicdomain/zero/1.0',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
        { rights: 'Ask first.' },
      ],
      descriptions: [
        { description: 'About habits.', descriptionType: 'Abstract' },
        { description: 'Each ten years.', descriptionType: 'SeriesInformation' },
        { description: 'Interview', descriptionType: 'Methods' },
      ],
      geoLocations: [
        { geoLocationPlace: 'Germany' },
        { geoLocationPlace: 'Karlsruhe' },
        {
          geoLocationBox: {
            westBoundLongitude: 8.3,
            eastBoundLongitude: 8.5,
            southBoundLatitude: 48.9,
            northBoundLatitude: 49.1,
          },
        },
      ],
      fundingReferences: [{ funderName: 'Example Funder', awardNumber: 'AB 12' }],
    },
  },
  {
    title: 'DDI Codebook of an older version',
    schema: 'DDI Codebook',
    document: `<codeBook xmlns="http://www.icpsr.umich.edu/DDI"><stdyDscr><citation><titlStmt><titl>Old survey</titl><IDNo agency="handle">hdl:1902.1/00012</IDNo></titlStmt><rspStmt><AuthEnty>Ada Example</AuthEnty></rspStmt><distStmt><distDate>1983-02</distDate></distStmt></citation></stdyDscr></codeBook>`,
    described: {
      identifier: [{ identifier: 'hdl:1902.1/00012', identifierType: 'Handle' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Study' }],
      creators: [{ name: 'Ada Example' }],
      titles: [{ title: 'Old survey' }],
      publicationYear: ['1983'],
      dates: [{ date: '1983-02', dateType: 'Issued' }],
    },
  },
  {
    title: 'DataCite as JSON',
    schema: 'DataCite (JSON)',
    document: {
      doi: '10.5072/json',
      identifiers: [
        { identifier: '10.5072/json', identifierType: 'DOI' },
        { identifier: 'set-9', identifierType: 'local' },
      ],
      types: { resourceTypeGeneral: 'Dataset', resourceType: 'Tests' },
      titles: [
        { title: 'Tests', lang: 'en' },
        { title: 'T', titleType: 'AlternativeTitle' },
      ],
      creators: [
        {
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          affiliation: ['Example Institute'],
          nameIdentifiers: [
            {
              nameIdentifier: 'https://orcid.org/0000-0001-5727-2427',
              nameIdentifierScheme: 'ORCID',
              schemeUri: 'https://orcid.org',
            },
          ],
        },
        {
          name: 'Group',
          affiliation: [{ name: 'Example Institute', affiliationIdentifier: 'https://ror.org/04wxnsj81' }],
        },
      ],
      publisher: { name: 'Example Repository', publisherIdentifier: 'https://ror.org/04wxnsj81' },
      publicationYear: 2020,
      subjects: [{ subject: 'creep' }],
      dates: [{ date: '2019', dateType: 'Collected', dateInformation: 'by hand' }],
      contributors: [{ name: 'Muster, Max', contributorType: 'Editor' }],
      language: 'en',
      sizes: ['1 MB'],
      formats: ['text/csv'],
      version: '1',
      rightsList: [{ rights: 'CC BY 4.0', rightsUri: 'https://creativecommons.org/licenses/by/4.0/' }],
      descriptions: [{ description: 'About.', descriptionType: 'Abstract' }],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/paper', relatedIdentifierType: 'DOI', relationType: 'IsCitedBy' },
      ],
      geoLocations: [
        { geoLocationPlace: 'Field', geoLocationPoint: { pointLongitude: 8.4, pointLatitude: 49 } },
      ],
      fundingReferences: [{ funderName: 'Example Funder', awardNumber: 'AB 1' }],
      schemaVersion: 'http://datacite.org/schema/kernel-4',
    },
    described: {
      identifier: [{ identifier: '10.5072/json', identifierType: 'DOI' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Tests' }],
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
        {
          name: 'Group',
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
      titles: [
        { title: 'Tests', lang: 'en' },
        { title: 'T', titleType: 'AlternativeTitle' },
      ],
      publisher: [
        {
          name: 'Example Repository',
          publisherIdentifier: 'https://ror.org/04wxnsj81',
          publisherIdentifierScheme: 'ROR',
          schemeUri: 'https://ror.org',
        },
      ],
      publicationYear: ['2020'],
      subjects: [{ subject: 'creep' }],
      contributors: [{ contributorType: 'Editor', name: 'Muster, Max' }],
      dates: [{ date: '2019', dateType: 'Collected', dateInformation: 'by hand' }],
      language: ['en'],
      alternateIdentifiers: [{ alternateIdentifier: 'set-9', alternateIdentifierType: 'local' }],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/paper', relatedIdentifierType: 'DOI', relationType: 'IsCitedBy' },
      ],
      sizes: ['1 MB'],
      formats: ['text/csv'],
      version: ['1'],
      rightsList: [
        {
          rights: 'CC BY 4.0',
          rightsUri: 'https://creativecommons.org/licenses/by/4.0/',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
      descriptions: [{ description: 'About.', descriptionType: 'Abstract' }],
      geoLocations: [
        { geoLocationPlace: 'Field', geoLocationPoint: { pointLongitude: 8.4, pointLatitude: 49 } },
      ],
      fundingReferences: [{ funderName: 'Example Funder', awardNumber: 'AB 1' }],
    },
  },
]
