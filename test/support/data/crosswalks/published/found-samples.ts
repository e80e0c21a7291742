import type { KnownSample } from '../known-sample.js'

/*
 * What published documents had that was read wrongly, each in a document of its own.
 */

export const foundSamples: readonly KnownSample[] = [
  {
    title:
      'ISO 19115-3 without a scope and with a date of no kind, an author and a funder with an identifier',
    schema: 'ISO 19115-3',
    document: `<mdb:MD_Metadata xmlns:mdb="http://standards.iso.org/iso/19115/-3/mdb/2.0" xmlns:cit="http://standards.iso.org/iso/19115/-3/cit/2.0" xmlns:mri="http://standards.iso.org/iso/19115/-3/mri/1.0" xmlns:mcc="http://standards.iso.org/iso/19115/-3/mcc/1.0" xmlns:gco="http://standards.iso.org/iso/19115/-3/gco/1.0">
<mdb:identificationInfo><mri:MD_DataIdentification><mri:citation><cit:CI_Citation>
<cit:title><gco:CharacterString>Model of a basin</gco:CharacterString></cit:title>
<cit:date><cit:CI_Date><cit:date><gco:Date>2011-02-03</gco:Date></cit:date></cit:CI_Date></cit:date>
<cit:citedResponsibleParty><cit:CI_Responsibility><cit:role><cit:CI_RoleCode codeListValue="funder"/></cit:role><cit:party><cit:CI_Organisation><cit:name><gco:CharacterString>Earth Fund</gco:CharacterString></cit:name><cit:partyIdentifier><mcc:MD_Identifier><mcc:code><gco:CharacterString>https://ror.org/04t3en479</gco:CharacterString></mcc:code></mcc:MD_Identifier></cit:partyIdentifier></cit:CI_Organisation></cit:party></cit:CI_Responsibility></cit:citedResponsibleParty>
</cit:CI_Citation></mri:citation></mri:MD_DataIdentification></mdb:identificationInfo>
</mdb:MD_Metadata>`,
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'dataset' }],
      titles: [{ title: 'Model of a basin' }],
      publicationYear: ['2011'],
      contributors: [
        {
          contributorType: 'Sponsor',
          name: 'Earth Fund',
          nameType: 'Organizational',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://ror.org/04t3en479',
              nameIdentifierScheme: 'ROR',
              schemeUri: 'https://ror.org',
            },
          ],
        },
      ],
    },
  },
  {
    title: 'ISO 19115-3 of a service with a distributor, and a format with an address',
    schema: 'ISO 19115-3',
    document: `<mdb:MD_Metadata xmlns:mdb="http://standards.iso.org/iso/19115/-3/mdb/2.0" xmlns:cit="http://standards.iso.org/iso/19115/-3/cit/2.0" xmlns:mri="http://standards.iso.org/iso/19115/-3/mri/1.0" xmlns:mrd="http://standards.iso.org/iso/19115/-3/mrd/1.0" xmlns:srv="http://standards.iso.org/iso/19115/-3/srv/2.0" xmlns:gco="http://standards.iso.org/iso/19115/-3/gco/1.0" xmlns:gcx="http://standards.iso.org/iso/19115/-3/gcx/1.0" xmlns:xlink="http://www.w3.org/1999/xlink">
<mdb:identificationInfo><srv:SV_ServiceIdentification><mri:citation><cit:CI_Citation><cit:title><gco:CharacterString>Wells</gco:CharacterString></cit:title></cit:CI_Citation></mri:citation></srv:SV_ServiceIdentification></mdb:identificationInfo>
<mdb:distributionInfo><mrd:MD_Distribution>
<mrd:distributionFormat><mrd:MD_Format><mrd:formatSpecificationCitation><cit:CI_Citation><cit:title><gcx:Anchor xlink:href="http://inspire.ec.europa.eu/media-types/application/x-shapefile">Shapefile</gcx:Anchor></cit:title></cit:CI_Citation></mrd:formatSpecificationCitation></mrd:MD_Format></mrd:distributionFormat>
<mrd:distributor><mrd:MD_Distributor><mrd:distributorContact><cit:CI_Responsibility><cit:role><cit:CI_RoleCode codeListValue="distributor"/></cit:role><cit:party><cit:CI_Organisation><cit:name><gco:CharacterString>Water Office</gco:CharacterString></cit:name></cit:CI_Organisation></cit:party></cit:CI_Responsibility></mrd:distributorContact></mrd:MD_Distributor></mrd:distributor>
</mrd:MD_Distribution></mdb:distributionInfo>
</mdb:MD_Metadata>`,
    described: {
      types: [{ resourceTypeGeneral: 'Service', resourceType: 'service' }],
      titles: [{ title: 'Wells' }],
      publisher: [{ name: 'Water Office' }],
      formats: ['Shapefile'],
    },
  },
  {
    title:
      'LIDO in two languages with a part, terms for a search alone, a code of Iconclass and a holder of rights',
    schema: 'LIDO',
    document: `<lido:lido xmlns:lido="http://www.lido-schema.org">
<lido:lidoRecID lido:type="local">f1</lido:lidoRecID>
${['en', 'de']
  .map(
    lang => `<lido:descriptiveMetadata xml:lang="${lang}">
<lido:objectClassificationWrap><lido:objectWorkTypeWrap><lido:objectWorkType><lido:term>${lang === 'en' ? 'fountain' : 'Brunnen'}</lido:term></lido:objectWorkType></lido:objectWorkTypeWrap></lido:objectClassificationWrap>
<lido:objectIdentificationWrap><lido:titleWrap><lido:titleSet><lido:appellationValue lido:pref="preferred">${lang === 'en' ? 'Fountain' : 'Springbrunnen'}</lido:appellationValue></lido:titleSet></lido:titleWrap></lido:objectIdentificationWrap>
<lido:objectRelationWrap>
<lido:subjectWrap><lido:subjectSet><lido:subject><lido:subjectConcept><lido:conceptID lido:source="Iconclass" lido:type="local">92 H 39 1</lido:conceptID><lido:term>92 H 39 1</lido:term><lido:term lido:addedSearchTerm="yes">gods</lido:term></lido:subjectConcept></lido:subject></lido:subjectSet></lido:subjectWrap>
<lido:relatedWorksWrap><lido:relatedWorkSet><lido:relatedWork><lido:object><lido:objectWebResource>https://museum.example.org/f1/basin</lido:objectWebResource></lido:object></lido:relatedWork><lido:relatedWorkRelType><lido:term>${lang === 'en' ? 'has part' : 'hat Teil'}</lido:term></lido:relatedWorkRelType></lido:relatedWorkSet></lido:relatedWorksWrap>
</lido:objectRelationWrap>
</lido:descriptiveMetadata>`,
  )
  .join('')}
<lido:administrativeMetadata><lido:resourceWrap><lido:resourceSet><lido:rightsResource><lido:rightsHolder><lido:legalBodyName><lido:appellationValue>Museum of Water</lido:appellationValue></lido:legalBodyName></lido:rightsHolder></lido:rightsResource></lido:resourceSet></lido:resourceWrap></lido:administrativeMetadata>
</lido:lido>`,
    described: {
      types: [{ resourceTypeGeneral: 'PhysicalObject', resourceType: 'fountain' }],
      titles: [
        { title: 'Fountain', lang: 'en' },
        { title: 'Springbrunnen', lang: 'de' },
      ],
      subjects: [{ subject: '92 H 39 1', subjectScheme: 'Iconclass' }],
      contributors: [{ contributorType: 'RightsHolder', name: 'Museum of Water' }],
      language: ['en'],
      alternateIdentifiers: [{ alternateIdentifier: 'f1', alternateIdentifierType: 'lidoRecID' }],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://museum.example.org/f1/basin',
          relatedIdentifierType: 'URL',
          relationType: 'HasPart',
        },
      ],
    },
  },
  {
    title: 'DCAT-AP.de whose landing page is the data set, with licences of the vocabulary of DCAT-AP.de',
    schema: 'DCAT-AP',
    document: {
      '@context': { dcat: 'http://www.w3.org/ns/dcat#', dct: 'http://purl.org/dc/terms/' },
      '@id': 'https://data.example.org/dataset/1',
      '@type': 'dcat:Dataset',
      'dct:title': 'Kitchens',
      'dcat:landingPage': { '@id': 'https://data.example.org/dataset/1' },
      'dcat:distribution': [
        {
          '@type': 'dcat:Distribution',
          'dct:license': { '@id': 'http://dcat-ap.de/def/licenses/cc-zero' },
        },
        {
          '@type': 'dcat:Distribution',
          'dct:license': { '@id': 'http://dcat-ap.de/def/licenses/cc-by/4.0' },
        },
      ],
    },
    described: {
      identifier: [{ identifier: 'https://data.example.org/dataset/1', identifierType: 'URL' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      titles: [{ title: 'Kitchens' }],
      rightsList: [
        {
          rights: 'http://dcat-ap.de/def/licenses/cc-zero',
          rightsUri: 'http://dcat-ap.de/def/licenses/cc-zero',
          rightsIdentifier: 'CC0-1.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
        {
          rights: 'http://dcat-ap.de/def/licenses/cc-by/4.0',
          rightsUri: 'http://dcat-ap.de/def/licenses/cc-by/4.0',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
          schemeUri: 'https://spdx.org/licenses/',
        },
      ],
    },
  },
  {
    title: 'Bioschemas of a data set with a name of its own, in a catalogue',
    schema: 'schema.org and Bioschemas',
    document: {
      '@context': 'https://schema.org',
      '@type': 'Dataset',
      identifier: 'MT234',
      url: 'https://metabolites.example.org/MT234',
      name: 'Plasma',
      includedInDataCatalog: {
        '@type': 'DataCatalog',
        name: 'Metabolites',
        url: 'https://metabolites.example.org',
      },
    },
    described: {
      identifier: [{ identifier: 'https://metabolites.example.org/MT234', identifierType: 'URL' }],
      alternateIdentifiers: [{ alternateIdentifier: 'MT234', alternateIdentifierType: 'Local' }],
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      titles: [{ title: 'Plasma' }],
      publisher: [{ name: 'Metabolites' }],
    },
  },
  {
    title:
      'EML with an organization before a person, roles as people write them, a source, a subject and a format',
    schema: 'EML, also with Darwin Core',
    document: `<eml:eml xmlns:eml="https://eml.ecoinformatics.org/eml-2.2.0" packageId="p.1.1" system="x"><dataset>
<title>Pitchers</title>
<creator><organizationName>Forest Station</organizationName></creator>
<creator><individualName><givenName>Ada</givenName><surName>Ellis</surName></individualName></creator>
<associatedParty><individualName><surName>Bay</surName></individualName><role>Researcher</role></associatedParty>
<associatedParty><individualName><surName>Rem</surName></individualName><role>Metadata Provider</role></associatedParty>
<annotation><propertyURI label="is about">http://purl.obolibrary.org/obo/IAO_0000136</propertyURI><valueURI label="lagoon">http://purl.obolibrary.org/obo/ENVO_00000038</valueURI></annotation>
<methods><methodStep><description><para>Taken over.</para></description><dataSource><title>Wells</title><distribution><online><url>https://data.example.org/wells</url></online></distribution></dataSource></methodStep></methods>
<project><title>Tips</title><personnel><individualName><surName>Gott</surName></individualName><role>Co-Principal Investigator</role></personnel></project>
<otherEntity><entityName>model</entityName><physical><objectName>m.nb</objectName><dataFormat><externallyDefinedFormat><formatName>Mathematica notebook</formatName></externallyDefinedFormat></dataFormat></physical><entityType>code</entityType></otherEntity>
</dataset></eml:eml>`,
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      creators: [
        { name: 'Forest Station', nameType: 'Organizational' },
        { name: 'Ellis, Ada', nameType: 'Personal', givenName: 'Ada', familyName: 'Ellis' },
      ],
      titles: [{ title: 'Pitchers' }],
      subjects: [{ subject: 'lagoon', valueUri: 'http://purl.obolibrary.org/obo/ENVO_00000038' }],
      contributors: [
        { contributorType: 'Researcher', name: 'Bay', nameType: 'Personal', familyName: 'Bay' },
        { contributorType: 'DataCurator', name: 'Rem', nameType: 'Personal', familyName: 'Rem' },
        { contributorType: 'ProjectLeader', name: 'Gott', nameType: 'Personal', familyName: 'Gott' },
      ],
      alternateIdentifiers: [{ alternateIdentifier: 'p.1.1', alternateIdentifierType: 'Local' }],
      relatedIdentifiers: [
        {
          relatedIdentifier: 'https://data.example.org/wells',
          relatedIdentifierType: 'URL',
          relationType: 'IsDerivedFrom',
        },
      ],
      descriptions: [{ description: 'Taken over.', descriptionType: 'Methods' }],
      formats: ['Mathematica notebook'],
    },
  },
  {
    title:
      'MODS of papers with an originator and the dates of the life in brackets, a URN and an element of rights',
    schema: 'MODS 3',
    document: `<mods xmlns="http://www.loc.gov/mods/v3">
<identifier type="purl">http://purl.example.org/id1</identifier><identifier type="urn">urn:nbn:de:example-1</identifier>
<name type="personal"><namePart>Korn, Hanna (1907-1946)</namePart><role><roleTerm type="code" authority="marcrelator">org</roleTerm></role></name>
<titleInfo><title>Papers of Hanna Korn</title></titleInfo><genre>thesis</genre>
<accessCondition type="x"><r:rights xmlns:r="https://rights.example.org"><r:status>publicdomain</r:status></r:rights></accessCondition>
</mods>`,
    described: {
      identifier: [{ identifier: 'http://purl.example.org/id1', identifierType: 'URL' }],
      alternateIdentifiers: [{ alternateIdentifier: 'urn:nbn:de:example-1', alternateIdentifierType: 'URN' }],
      types: [{ resourceTypeGeneral: 'Dissertation', resourceType: 'thesis' }],
      creators: [{ name: 'Korn, Hanna', nameType: 'Personal', givenName: 'Hanna', familyName: 'Korn' }],
      titles: [{ title: 'Papers of Hanna Korn' }],
    },
  },
  {
    title: 'EAD 2002 whose origin is a text',
    schema: 'EAD 2002',
    document: `<ead xmlns="urn:isbn:1-931666-22-9"><eadheader><eadid>p1</eadid></eadheader><archdesc level="collection"><did>
<origination label="Creator: ">
Wayland, Prue

</origination><unittitle>Papers</unittitle></did></archdesc></ead>`,
    described: {
      types: [{ resourceTypeGeneral: 'Collection', resourceType: 'collection' }],
      creators: [{ name: 'Wayland, Prue' }],
      titles: [{ title: 'Papers' }],
      alternateIdentifiers: [{ alternateIdentifier: 'p1', alternateIdentifierType: 'eadid' }],
    },
  },
  {
    title:
      'DDI Codebook of Dataverse with compact dates, and the year in the description of the document alone',
    schema: 'DDI Codebook',
    document: `<codeBook xmlns="ddi:codebook:2_5" version="2.5">
<docDscr><citation><titlStmt><titl>Finches</titl></titlStmt><verStmt source="archive"><version date="2015-09-24" type="RELEASED">1</version></verStmt></citation></docDscr>
<stdyDscr><citation><titlStmt><titl>Finches</titl></titlStmt><serStmt><serName>Birds</serName></serStmt></citation>
<stdyInfo><sumDscr><timePrd cycle="P1" event="start" date="20020816">20020816</timePrd><timePrd cycle="P1" event="end" date="20160630">20160630</timePrd></sumDscr></stdyInfo></stdyDscr>
</codeBook>`,
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Study' }],
      titles: [{ title: 'Finches' }],
      publicationYear: ['2015'],
      dates: [{ date: '2002-08-16/2016-06-30', dateType: 'Coverage' }],
      relatedItems: [
        { titles: [{ title: 'Birds' }], relatedItemType: 'Collection', relationType: 'IsPartOf' },
      ],
    },
  },
]
