import type { KnownSample } from './known-sample.js'

/*
 * Documents of libraries, journals and sciences that refer to their parts, and roles that are addresses.
 */

export const furtherFormsSamples: readonly KnownSample[] = [
  {
    title: 'METS whose structure says which of several descriptions is that of the whole object',
    schema: 'METS with MODS',
    document: `<mets xmlns="http://www.loc.gov/METS/" xmlns:mods="http://www.loc.gov/mods/v3"><dmdSec ID="part"><mdWrap MDTYPE="MODS"><xmlData><mods:mods><mods:titleInfo><mods:title>A chapter</mods:title></mods:titleInfo></mods:mods></xmlData></mdWrap></dmdSec><dmdSec ID="whole"><mdWrap MDTYPE="MODS"><xmlData><mods:mods><mods:titleInfo><mods:title>The book</mods:title></mods:titleInfo></mods:mods></xmlData></mdWrap></dmdSec><structMap TYPE="LOGICAL"><div DMDID="whole" TYPE="monograph"><div DMDID="part" TYPE="chapter"/></div></structMap></mets>`,
    described: { titles: [{ title: 'The book' }] },
  },
  {
    title: 'MODS with roles that are addresses, and vocabularies of whole subjects',
    schema: 'MODS 3',
    document: `<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Sport</title></titleInfo><name type="personal"><namePart type="given">Ada</namePart><namePart type="family">Example</namePart><role><roleTerm valueURI="http://id.loc.gov/vocabulary/relators/cre"/></role></name><name type="personal"><namePart>Roe, Max</namePart><role><roleTerm valueURI="http://id.loc.gov/vocabulary/relators/aut"/></role></name><name type="personal"><namePart>Doe, Jane</namePart><role><roleTerm valueURI="http://id.loc.gov/vocabulary/relators/trl"/></role></name><name type="corporate"><namePart>Example University</namePart><role><roleTerm type="text">degree grantor</roleTerm></role></name><subject authority="lcsh"><topic>Games</topic><topic>History</topic></subject><subject authority="fast"><topic authority="fast" valueURI="http://id.worldcat.org/fast/1">Races</topic></subject></mods>`,
    described: {
      creators: [
        { name: 'Example, Ada', nameType: 'Personal', givenName: 'Ada', familyName: 'Example' },
        { name: 'Roe, Max', nameType: 'Personal', givenName: 'Max', familyName: 'Roe' },
      ],
      titles: [{ title: 'Sport' }],
      subjects: [
        { subject: 'Games', subjectScheme: 'lcsh' },
        { subject: 'History', subjectScheme: 'lcsh' },
        { subject: 'Races', subjectScheme: 'fast', valueUri: 'http://id.worldcat.org/fast/1' },
      ],
      contributors: [
        {
          contributorType: 'Translator',
          name: 'Doe, Jane',
          nameType: 'Personal',
          givenName: 'Jane',
          familyName: 'Doe',
        },
        { contributorType: 'Other', name: 'Example University', nameType: 'Organizational' },
      ],
    },
  },
  {
    title: 'JATS whose authors refer to their affiliations',
    schema: 'JATS',
    document: `<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article"><front><journal-meta><publisher><publisher-name>Example Press</publisher-name></publisher></journal-meta><article-meta><title-group><article-title>Growth</article-title></title-group><contrib-group><contrib contrib-type="author"><name><surname>Example</surname><given-names>Ada</given-names></name><xref ref-type="aff" rid="a1"><sup>1</sup></xref><xref ref-type="aff" rid="a2"/><xref ref-type="corresp" rid="c1">*</xref></contrib><contrib contrib-type="author"><name><surname>Roe</surname><given-names>Max</given-names></name><xref ref-type="aff" rid="a3"/><xref ref-type="aff" rid="none"/></contrib></contrib-group><aff id="a1"><label>1</label><institution content-type="dept">Department of Growth</institution><institution-wrap><institution-id institution-id-type="ror">https://ror.org/04wxnsj81</institution-id><institution>Example Institute</institution></institution-wrap></aff><aff id="a2"><label>2</label><addr-line>Example University, Example City</addr-line></aff><aff id="a3"><label>3</label>Example Academy</aff><author-notes><corresp id="c1">ada@example.org</corresp></author-notes><pub-date pub-type="epub"><year>2013</year></pub-date></article-meta></front></article>`,
    described: {
      types: [{ resourceTypeGeneral: 'JournalArticle', resourceType: 'research-article' }],
      creators: [
        {
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
          affiliation: [
            {
              name: 'Example Institute',
              affiliationIdentifier: 'https://ror.org/04wxnsj81',
              affiliationIdentifierScheme: 'ROR',
              schemeUri: 'https://ror.org',
            },
            { name: 'Example University, Example City' },
          ],
        },
        {
          name: 'Roe, Max',
          nameType: 'Personal',
          givenName: 'Max',
          familyName: 'Roe',
          affiliation: [{ name: 'Example Academy' }],
        },
      ],
      titles: [{ title: 'Growth' }],
      publisher: [{ name: 'Example Press' }],
      dates: [{ date: '2013', dateType: 'Issued' }],
    },
  },
  {
    title: 'EML that refers to its agents',
    schema: 'EML, also with Darwin Core',
    document: `<eml:eml xmlns:eml="https://eml.ecoinformatics.org/eml-2.2.0" packageId="plants.1"><dataset><title>Plants</title><creator id="ada"><individualName><givenName>Ada</givenName><surName>Example</surName></individualName><userId directory="https://orcid.org">https://orcid.org/0000-0001-5727-2427</userId></creator><associatedParty><references>group</references><role>editor</role></associatedParty><contact><references>ada</references></contact><project><title>P</title><personnel id="group"><organizationName>Plant Group</organizationName><role>owner</role></personnel></project></dataset></eml:eml>`,
    described: {
      alternateIdentifiers: [{ alternateIdentifier: 'plants.1', alternateIdentifierType: 'Local' }],
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
        },
      ],
      titles: [{ title: 'Plants' }],
      contributors: [
        {
          contributorType: 'ContactPerson',
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
        { contributorType: 'Editor', name: 'Plant Group', nameType: 'Organizational' },
        { contributorType: 'ProjectMember', name: 'Plant Group', nameType: 'Organizational' },
      ],
    },
  },
  {
    title: 'TEI with identifiers inside of one for all of them, and a translator',
    schema: 'TEI',
    document: `<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>A play</title><editor role="translator"><persName><forename>Ada</forename><surname>Example</surname></persName></editor></titleStmt><publicationStmt><publisher>Example Press</publisher><idno><idno type="URLWeb">https://texts.example.org/play</idno><idno type="URN">urn:nbn:de:example-1</idno></idno></publicationStmt></fileDesc></teiHeader></TEI>`,
    described: {
      identifier: [{ identifier: 'urn:nbn:de:example-1', identifierType: 'URN' }],
      types: [{ resourceTypeGeneral: 'Text', resourceType: 'TEI' }],
      titles: [{ title: 'A play' }],
      publisher: [{ name: 'Example Press' }],
      contributors: [
        {
          contributorType: 'Translator',
          name: 'Example, Ada',
          nameType: 'Personal',
          givenName: 'Ada',
          familyName: 'Example',
        },
      ],
      alternateIdentifiers: [
        { alternateIdentifier: 'https://texts.example.org/play', alternateIdentifierType: 'URLWeb' },
      ],
    },
  },
  {
    title: 'oai_dc with a type that says nothing before one that does',
    schema: 'oai_dc',
    document: `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A deposit</dc:title><dc:type>info:eu-repo/semantics/other</dc:type><dc:type>dataset</dc:type></oai_dc:dc>`,
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'info:eu-repo/semantics/other' }],
      titles: [{ title: 'A deposit' }],
    },
  },
  {
    title: 'Citation File Format with a paper to cite in place of the software',
    schema: 'Citation File Format',
    document: {
      'cff-version': '1.2.0',
      message: 'Cite both.',
      title: 'Creep tools',
      authors: [{ name: 'Alloy Group' }],
      'preferred-citation': {
        type: 'article',
        title: 'Creep',
        doi: '10.5072/paper',
        authors: [{ 'family-names': 'Example', 'given-names': 'Ada' }],
      },
      references: [{ type: 'book', title: 'Metals', url: 'https://books.example.org/metals' }],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Software', resourceType: 'software' }],
      creators: [{ name: 'Alloy Group', nameType: 'Organizational' }],
      titles: [{ title: 'Creep tools' }],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5072/paper', relatedIdentifierType: 'DOI', relationType: 'IsDescribedBy' },
        {
          relatedIdentifier: 'https://books.example.org/metals',
          relatedIdentifierType: 'URL',
          relationType: 'References',
        },
      ],
    },
  },
  {
    title: 'qualified Dublin Core with a box, a point and a period of DCMI',
    schema: 'Dublin Core (metadata)',
    document: `<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>Sites</dc:title><dcterms:spatial xsi:type="dcterms:Box">name=West; northlimit=71.0; westlimit=-32.5; eastlimit=16; southlimit=35;</dcterms:spatial><dcterms:spatial xsi:type="dcterms:Point">east=8.4; north=49; name=Camp</dcterms:spatial><dcterms:spatial xsi:type="dcterms:Box">northlimit=712345; westlimit=1; eastlimit=2; southlimit=3; projection=UTM zone 32</dcterms:spatial><dcterms:spatial>a = b; c</dcterms:spatial><dcterms:temporal xsi:type="dcterms:Period">name=Survey; start=1999-01-01; end=2000-06; scheme=W3C-DTF;</dcterms:temporal></metadata>`,
    described: {
      titles: [{ title: 'Sites' }],
      dates: [{ date: '1999-01-01/2000-06', dateType: 'Coverage' }],
      geoLocations: [
        {
          geoLocationPlace: 'West',
          geoLocationBox: {
            westBoundLongitude: -32.5,
            eastBoundLongitude: 16,
            southBoundLatitude: 35,
            northBoundLatitude: 71,
          },
        },
        { geoLocationPlace: 'Camp', geoLocationPoint: { pointLongitude: 8.4, pointLatitude: 49 } },
        { geoLocationPlace: 'a = b; c' },
      ],
    },
  },
  {
    title:
      'ISO 19139 of an INSPIRE catalogue: a limit of access is no licence, a licence is JSON, an organization has an address',
    schema: 'ISO 19139',
    document: `<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco" xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:xlink="http://www.w3.org/1999/xlink"><gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation><gmd:title><gco:CharacterString>Rivers</gco:CharacterString></gmd:title></gmd:CI_Citation></gmd:citation><gmd:pointOfContact><gmd:CI_ResponsibleParty><gmd:organisationName><gmx:Anchor xlink:href="https://ror.org/04wxnsj81">River Agency</gmx:Anchor></gmd:organisationName><gmd:role><gmd:CI_RoleCode codeListValue="author"/></gmd:role></gmd:CI_ResponsibleParty></gmd:pointOfContact><gmd:resourceConstraints><gmd:MD_LegalConstraints><gmd:accessConstraints><gmd:MD_RestrictionCode codeListValue="otherRestrictions"/></gmd:accessConstraints><gmd:otherConstraints><gmx:Anchor xlink:href="http://inspire.ec.europa.eu/metadata-codelist/LimitationsOnPublicAccess/noLimitations">No limitations</gmx:Anchor></gmd:otherConstraints></gmd:MD_LegalConstraints></gmd:resourceConstraints><gmd:resourceConstraints><gmd:MD_LegalConstraints><gmd:useConstraints><gmd:MD_RestrictionCode codeListValue="otherRestrictions"/></gmd:useConstraints><gmd:otherConstraints><gco:CharacterString>{"id": "cc-by/4.0", "name": "CC BY 4.0", "url": "https://creativecommons.org/licenses/by/4.0/"}</gco:CharacterString></gmd:otherConstraints></gmd:MD_LegalConstraints></gmd:resourceConstraints></gmd:MD_DataIdentification></gmd:identificationInfo></gmd:MD_Metadata>`,
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'dataset' }],
      creators: [
        {
          name: 'River Agency',
          nameType: 'Organizational',
          nameIdentifiers: [
            {
              nameIdentifier: 'https://ror.org/04wxnsj81',
              nameIdentifierScheme: 'ROR',
              schemeUri: 'https://ror.org',
            },
          ],
        },
      ],
      titles: [{ title: 'Rivers' }],
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
  {
    title: 'schema.org with a period that has no end',
    schema: 'schema.org and Bioschemas',
    document: {
      '@context': 'https://schema.org',
      '@type': 'Dataset',
      name: 'Tides',
      temporalCoverage: '2015-11/..',
    },
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      titles: [{ title: 'Tides' }],
      dates: [{ date: '2015-11/', dateType: 'Coverage' }],
    },
  },
  {
    title: 'LIDO 1.1 whose actor is a person by the terminology of LIDO',
    schema: 'LIDO',
    document: `<lido:lido xmlns:lido="http://www.lido-schema.org" xmlns:skos="http://www.w3.org/2004/02/skos/core#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><lido:descriptiveMetadata xml:lang="en"><lido:objectIdentificationWrap><lido:titleWrap><lido:titleSet><lido:appellationValue>The sea</lido:appellationValue></lido:titleSet></lido:titleWrap></lido:objectIdentificationWrap><lido:eventWrap><lido:eventSet><lido:event><lido:eventType><skos:Concept rdf:about="http://terminology.lido-schema.org/lido00007"/></lido:eventType><lido:eventActor><lido:actorInRole><lido:actor lido:type="http://terminology.lido-schema.org/lido00163"><lido:nameActorSet><lido:appellationValue>Doe, Jane</lido:appellationValue></lido:nameActorSet></lido:actor></lido:actorInRole></lido:eventActor></lido:event></lido:eventSet></lido:eventWrap></lido:descriptiveMetadata></lido:lido>`,
    described: {
      types: [{ resourceTypeGeneral: 'PhysicalObject' }],
      creators: [{ name: 'Doe, Jane', nameType: 'Personal', givenName: 'Jane', familyName: 'Doe' }],
      titles: [{ title: 'The sea', lang: 'en' }],
      language: ['en'],
    },
  },
]

/*
 * Documents whose people have mixed kinds of roles, that have several dates of publication, or places with shapes.
 */

const person = (familyName: string, givenName: string) => ({
  name: `${familyName}, ${givenName}`,
  nameType: 'Personal',
  givenName,
  familyName,
})
const organization = (name: string) => ({ name, nameType: 'Organizational' })
const corner = (pointLatitude: number, pointLongitude: number) => ({
  polygonPoint: { pointLongitude, pointLatitude },
})

const iso = (parties: readonly string[]) =>
  `<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco"><gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation><gmd:title><gco:CharacterString>Parcels</gco:CharacterString></gmd:title></gmd:CI_Citation></gmd:citation>${parties.join('')}</gmd:MD_DataIdentification></gmd:identificationInfo></gmd:MD_Metadata>`
const isoParty = (role: string, names: string) =>
  `<gmd:pointOfContact><gmd:CI_ResponsibleParty>${names}<gmd:role><gmd:CI_RoleCode codeListValue="${role}" codeList=""/></gmd:role></gmd:CI_ResponsibleParty></gmd:pointOfContact>`
const isoName = (element: string, name: string) =>
  `<gmd:${element}><gco:CharacterString>${name}</gco:CharacterString></gmd:${element}>`

const jats = (pubDates: string) =>
  `<article article-type="research-article"><front><article-meta><title-group><article-title>Kelp</article-title></title-group>${pubDates}</article-meta></front></article>`
const article = {
  types: [{ resourceTypeGeneral: 'JournalArticle', resourceType: 'research-article' }],
  titles: [{ title: 'Kelp' }],
}

export const orderAndPlacesSamples: readonly KnownSample[] = [
  {
    title: 'MODS with roles as texts, codes and addresses, in the order of the document',
    schema: 'MODS 3',
    document: `<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Dunes</title></titleInfo>
<name type="personal"><namePart>Roe, Max</namePart><role><roleTerm authority="marcrelator" valueURI="http://id.loc.gov/vocabulary/relators/aut"/></role></name>
<name type="personal"><namePart type="family">Doe</namePart><namePart type="given">Jane</namePart><role><roleTerm type="text" authority="marcrelator">Author</roleTerm><roleTerm type="code" authority="marcrelator">aut</roleTerm></role></name>
<name type="personal"><namePart>Penn, Pia</namePart><role><roleTerm type="text" valueURI="http://id.loc.gov/vocabulary/relators/ill">Kuvittaja</roleTerm></role></name>
<name type="corporate"><namePart>Dune Society</namePart><role><roleTerm type="text" valueURI="http://id.loc.gov/vocabulary/relators/cre">Tekijä</roleTerm></role></name>
<name type="personal"><namePart>Linde, Ida</namePart><role><roleTerm type="text">translator</roleTerm></role></name>
<name type="personal"><namePart>Berg, Ola</namePart><role><roleTerm type="code">cre</roleTerm></role></name></mods>`,
    described: {
      creators: [
        person('Roe', 'Max'),
        person('Doe', 'Jane'),
        organization('Dune Society'),
        person('Berg', 'Ola'),
      ],
      titles: [{ title: 'Dunes' }],
      contributors: [
        { contributorType: 'Other', ...person('Penn', 'Pia') },
        { contributorType: 'Translator', ...person('Linde', 'Ida') },
      ],
    },
  },
  {
    title: 'ISO 19139 with an organisation before a person among its authors',
    schema: 'ISO 19139',
    document: iso([
      isoParty('author', isoName('organisationName', 'Land Survey')),
      isoParty(
        'author',
        isoName('individualName', 'Doe, Jane') + isoName('organisationName', 'Survey Office'),
      ),
      isoParty('originator', isoName('organisationName', 'Land Registry')),
    ]),
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'dataset' }],
      creators: [
        organization('Land Survey'),
        { ...person('Doe', 'Jane'), affiliation: [{ name: 'Survey Office' }] },
        organization('Land Registry'),
      ],
      titles: [{ title: 'Parcels' }],
    },
  },
  {
    title: 'ISO 19139 whose only parties are an owner and a provider',
    schema: 'ISO 19139',
    document: iso([
      isoParty('resourceProvider', isoName('organisationName', 'Map Desk')),
      isoParty('owner', isoName('organisationName', 'Town of Example')),
    ]),
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'dataset' }],
      creators: [organization('Town of Example')],
      titles: [{ title: 'Parcels' }],
      publisher: [{ name: 'Map Desk' }],
      contributors: [{ contributorType: 'RightsHolder', ...organization('Town of Example') }],
    },
  },
  {
    title: 'ISO 19115-3 whose only party is an owner',
    schema: 'ISO 19115-3',
    document: `<mdb:MD_Metadata xmlns:mdb="http://standards.iso.org/iso/19115/-3/mdb/2.0" xmlns:mri="http://standards.iso.org/iso/19115/-3/mri/1.0" xmlns:cit="http://standards.iso.org/iso/19115/-3/cit/2.0" xmlns:gco="http://standards.iso.org/iso/19115/-3/gco/1.0"><mdb:identificationInfo><mri:MD_DataIdentification><mri:citation><cit:CI_Citation><cit:title><gco:CharacterString>Soils</gco:CharacterString></cit:title><cit:citedResponsibleParty><cit:CI_Responsibility><cit:role><cit:CI_RoleCode codeList="" codeListValue="owner"/></cit:role><cit:party><cit:CI_Organisation><cit:name><gco:CharacterString>Soil Board</gco:CharacterString></cit:name></cit:CI_Organisation></cit:party></cit:CI_Responsibility></cit:citedResponsibleParty></cit:CI_Citation></mri:citation></mri:MD_DataIdentification></mdb:identificationInfo></mdb:MD_Metadata>`,
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'dataset' }],
      creators: [organization('Soil Board')],
      titles: [{ title: 'Soils' }],
      contributors: [{ contributorType: 'RightsHolder', ...organization('Soil Board') }],
    },
  },
  {
    title: 'JATS of an archive, whose release there is no publication, with dates before 1.2',
    schema: 'JATS',
    document: jats(
      '<pub-date pub-type="pmc-release"><day>1</day><month>7</month><year>2021</year></pub-date><pub-date pub-type="ppub"><month>Jan</month><year>2020</year></pub-date><pub-date pub-type="collection"><year>2020</year></pub-date><pub-date pub-type="epub"><day>30</day><month>12</month><year>2019</year></pub-date>',
    ),
    described: {
      ...article,
      dates: [
        { date: '2019-12-30', dateType: 'Issued' },
        { date: '2020', dateType: 'Issued' },
        { date: '2020-01', dateType: 'Issued' },
      ],
    },
  },
  {
    title: 'JATS with dates of 1.2, of which the printed one stands first',
    schema: 'JATS',
    document: jats(
      '<pub-date date-type="retracted" iso-8601-date="2022-05-01"><year>2022</year></pub-date><pub-date date-type="pub" publication-format="print" iso-8601-date="2018-03"><month>3</month><year>2018</year></pub-date><pub-date date-type="pub" publication-format="electronic" iso-8601-date="2017-11-20"><day>20</day><month>11</month><year>2017</year></pub-date>',
    ),
    described: {
      ...article,
      dates: [
        { date: '2017-11-20', dateType: 'Issued' },
        { date: '2018-03', dateType: 'Issued' },
      ],
    },
  },
  {
    title: 'JATS whose only date is the release of an archive',
    schema: 'JATS',
    document: jats('<pub-date pub-type="pmc-release"><year>2021</year></pub-date>'),
    described: { ...article, dates: [{ date: '2021', dateType: 'Issued' }] },
  },
  {
    title: 'JATS with a date of no type',
    schema: 'JATS',
    document: jats('<pub-date><month>June</month><year>1998</year></pub-date>'),
    described: {
      ...article,
      dates: [{ date: '1998-06', dateType: 'Issued' }],
    },
  },
  {
    title: 'JATS that was printed years before it was on the web',
    schema: 'JATS',
    document: jats(
      '<pub-date pub-type="epub"><year>2019</year></pub-date><pub-date pub-type="ppub"><year>2016</year></pub-date>',
    ),
    described: {
      ...article,
      dates: [
        { date: '2019', dateType: 'Issued' },
        { date: '2016', dateType: 'Issued' },
      ],
    },
  },
  {
    title: 'schema.org with polygons, boxes, a line and points as places',
    schema: 'schema.org and Bioschemas',
    document: {
      '@context': 'https://schema.org/',
      '@type': 'Dataset',
      name: 'Tidal flats',
      spatialCoverage: [
        {
          '@type': 'Place',
          name: 'The bay',
          geo: { '@type': 'GeoShape', polygon: '54.1 8.2 54.1 8.9 54.6 8.9 54.1 8.2' },
        },
        {
          '@type': 'Place',
          name: 'Two islands',
          geo: [
            { '@type': 'GeoShape', box: '54.5,8.3 54.7,8.6' },
            { '@type': 'GeoShape', box: '54.1 7.8 54.2 7.9' },
          ],
        },
        {
          '@type': 'Place',
          geo: { '@type': 'GeoShape', polygon: ['1,1 1,2 2,2', '5,5 5,6 6,6 5,5'] },
        },
        { '@type': 'GeoShape', line: '54.0 8.0 54.2 8.4 54.1 8.6' },
        { '@type': 'GeoCoordinates', latitude: 54.2, longitude: '8.1' },
        { '@type': 'Place', geo: { '@type': 'GeoCircle', geoMidpoint: { latitude: 54, longitude: 7 } } },
        'Wadden Sea',
        { '@type': 'Place', geo: { '@type': 'GeoShape', polygon: '54.1 8.2 54.1' } },
      ],
    },
    described: {
      types: [{ resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' }],
      titles: [{ title: 'Tidal flats' }],
      geoLocations: [
        {
          geoLocationPlace: 'The bay',
          geoLocationPolygon: [corner(54.1, 8.2), corner(54.1, 8.9), corner(54.6, 8.9), corner(54.1, 8.2)],
        },
        {
          geoLocationPlace: 'Two islands',
          geoLocationBox: {
            ...{ westBoundLongitude: 8.3, eastBoundLongitude: 8.6 },
            ...{ southBoundLatitude: 54.5, northBoundLatitude: 54.7 },
          },
        },
        { geoLocationPolygon: [corner(1, 1), corner(1, 2), corner(2, 2), corner(1, 1)] },
        {
          geoLocationBox: {
            ...{ westBoundLongitude: 8, eastBoundLongitude: 8.6 },
            ...{ southBoundLatitude: 54, northBoundLatitude: 54.2 },
          },
        },
        { geoLocationPoint: { pointLongitude: 8.1, pointLatitude: 54.2 } },
        { geoLocationPoint: { pointLongitude: 7, pointLatitude: 54 } },
        { geoLocationPlace: 'Wadden Sea' },
        {
          geoLocationBox: {
            ...{ westBoundLongitude: 7.8, eastBoundLongitude: 7.9 },
            ...{ southBoundLatitude: 54.1, northBoundLatitude: 54.2 },
          },
        },
      ],
    },
  },
]
