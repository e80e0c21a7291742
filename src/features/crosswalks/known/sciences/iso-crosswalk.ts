import { type KnownSchema, xmlRoot } from '../known-schema.js'

/*
 * ISO 19139 and ISO 19115-3: geographic data sets and services.
 */

const constant = (text: string) => ({ constant: text })

/** Texts of ISO 19139 and 19115-3 are in an element that says their type. */
const text = (path: string) => {
  const at = path === '.' ? '' : `${path}.`
  return { first: [`${at}CharacterString`, `${at}Anchor`, path] }
}

/** The roles of those who made a resource. */
const makers = ['author', 'originator', 'principalInvestigator']

/** What ISO 19139 and ISO 19115-3 share; names of responsible parties differ. */
function isoCrosswalk(parts: {
  /** Rules for the responsible parties of the resource whose role is one of these. */
  readonly parties: (at: string, roles: readonly string[] | undefined, more: object) => readonly object[]
  readonly names: (at: string, role: string) => readonly unknown[]
  readonly identifier: Readonly<Record<string, unknown>>
  readonly language: readonly string[]
}): Readonly<Record<string, unknown>> {
  const kinds = ['MD_DataIdentification', 'SV_ServiceIdentification']
  const at = (path: string) => kinds.map(kind => `MD_Metadata.identificationInfo.${kind}.${path}`)
  const citation = at('citation.CI_Citation')
  const cited = citation.flatMap(path => [`${path}.citedResponsibleParty`])
  const contact = at('pointOfContact')
  const roles: readonly (readonly [role: string, type: string])[] = [
    ['pointOfContact', 'ContactPerson'],
    ['custodian', 'DataManager'],
    ['distributor', 'Distributor'],
    ['owner', 'RightsHolder'],
    ['processor', 'DataCurator'],
    ['editor', 'Editor'],
    ['sponsor', 'Sponsor'],
    ['rightsHolder', 'RightsHolder'],
  ]
  const date = (type: string, dateType: string) =>
    citation.map(path => ({
      each: `${path}.date.CI_Date`,
      where: { 'dateType.CI_DateTypeCode.@codeListValue': type },
      date: { first: ['date.Date', 'date.DateTime'] },
      dateType: constant(dateType),
    }))
  return {
    identifier: parts.identifier,
    types: {
      resourceTypeGeneral: {
        path: 'MD_Metadata.hierarchyLevel.MD_ScopeCode.@codeListValue',
        only: true,
        values: {
          dataset: 'Dataset',
          series: 'Collection',
          service: 'Service',
          software: 'Software',
          model: 'Model',
        },
      },
      resourceType: {
        first: [
          'MD_Metadata.hierarchyLevel.MD_ScopeCode.@codeListValue',
          'MD_Metadata.metadataScope.MD_MetadataScope.resourceScope.MD_ScopeCode.@codeListValue',
        ],
      },
    },
    creators: {
      first: [
        [...cited, ...contact].flatMap(path => parts.parties(path, makers, {})),
        cited.flatMap(path => parts.parties(path, undefined, {})),
        contact.flatMap(path => parts.parties(path, undefined, {})),
      ],
    },
    titles: [
      ...citation.map(path => ({ each: `${path}.title`, title: text('.') })),
      ...citation.map(path => ({
        each: `${path}.alternateTitle`,
        title: text('.'),
        titleType: constant('AlternativeTitle'),
      })),
    ],
    publisher: { first: [...cited, ...contact].flatMap(path => parts.names(path, 'publisher')) },
    subjects: at('descriptiveKeywords.MD_Keywords').flatMap(path => [
      { each: `${path}.keyword`, subject: text('.') },
    ]),
    contributors: roles.flatMap(([role, contributorType]) =>
      [...cited, ...contact].flatMap(path =>
        parts.parties(path, [role], { contributorType: constant(contributorType) }),
      ),
    ),
    dates: [
      ...date('publication', 'Issued'),
      ...date('creation', 'Created'),
      ...date('revision', 'Updated'),
      ...at('extent.EX_Extent.temporalElement.EX_TemporalExtent.extent.TimePeriod').map(each => ({
        each,
        date: {
          join: [
            { first: ['beginPosition', 'begin.TimeInstant.timePosition'] },
            { first: ['endPosition', 'end.TimeInstant.timePosition'] },
          ],
          with: '/',
        },
        dateType: constant('Coverage'),
      })),
    ],
    language: { first: [...at('language.LanguageCode.@codeListValue'), ...parts.language] },
    formats: 'MD_Metadata.distributionInfo.MD_Distribution.distributionFormat.MD_Format.name.CharacterString',
    rightsList: at('resourceConstraints.MD_LegalConstraints').flatMap(path => [
      {
        each: `${path}.otherConstraints`,
        rights: text('.'),
        rightsUri: { first: ['Anchor.@href', 'CharacterString'] },
      },
      { each: `${path}.useLimitation`, rights: text('.') },
    ]),
    descriptions: [
      ...at('abstract').map(each => ({
        each,
        description: text('.'),
        descriptionType: constant('Abstract'),
      })),
      {
        each: 'MD_Metadata.dataQualityInfo.DQ_DataQuality.lineage.LI_Lineage.statement',
        description: text('.'),
        descriptionType: constant('Methods'),
      },
      {
        each: 'MD_Metadata.resourceLineage.LI_Lineage.statement',
        description: text('.'),
        descriptionType: constant('Methods'),
      },
    ],
    geoLocations: at('extent.EX_Extent').map(each => ({
      each,
      geoLocationPlace: {
        first: [
          'description.CharacterString',
          'geographicElement.EX_GeographicDescription.geographicIdentifier.MD_Identifier.code.CharacterString',
        ],
      },
      geoLocationBox: {
        each: 'geographicElement.EX_GeographicBoundingBox',
        westBoundLongitude: 'westBoundLongitude.Decimal',
        eastBoundLongitude: 'eastBoundLongitude.Decimal',
        southBoundLatitude: 'southBoundLatitude.Decimal',
        northBoundLatitude: 'northBoundLatitude.Decimal',
      },
    })),
  }
}

const role = 'role.CI_RoleCode.@codeListValue'
const whereRole = (roles: readonly string[] | undefined) => (roles ? { [role]: roles } : {})

const iso19139: KnownSchema = {
  name: 'ISO 19139',
  source: 'https://ec-jrc.github.io/datacite-to-dcat-ap/',
  matches: xmlRoot('http://www.isotc211.org/2005/gmd', 'MD_Metadata'),
  crosswalk: isoCrosswalk({
    parties: (at, roles, more) => [
      {
        each: `${at}.CI_ResponsibleParty`,
        where: { ...whereRole(roles), individualName: true },
        name: text('individualName'),
        nameType: constant('Personal'),
        affiliation: { each: 'organisationName', name: text('.') },
        ...more,
      },
      {
        each: `${at}.CI_ResponsibleParty`,
        where: { ...whereRole(roles), individualName: null },
        name: text('organisationName'),
        nameType: constant('Organizational'),
        ...more,
      },
    ],
    names: (at, name) => [
      {
        each: `${at}.CI_ResponsibleParty`,
        where: { [role]: name },
        name: { first: [text('organisationName'), text('individualName')] },
      },
    ],
    identifier: {
      first: [
        ...['MD_Identifier', 'RS_Identifier'].map(element => ({
          path: `MD_Metadata.identificationInfo.MD_DataIdentification.citation.CI_Citation.identifier.${element}.code`,
        })),
        'MD_Metadata.dataSetURI',
      ],
    },
    language: ['MD_Metadata.language.LanguageCode.@codeListValue', 'MD_Metadata.language.CharacterString'],
  }),
}

const iso19115: KnownSchema = {
  name: 'ISO 19115-3',
  source: 'https://schemas.isotc211.org/19115/-3/',
  matches: xmlRoot(
    /^https?:\/\/(?:standards\.iso\.org\/iso|schemas\.isotc211\.org)\/19115\/-3\/mdb\//,
    'MD_Metadata',
  ),
  crosswalk: isoCrosswalk({
    parties: (at, roles, more) => [
      {
        each: `${at}.CI_Responsibility`,
        where: { ...whereRole(roles), 'party.CI_Individual': true },
        name: text('party.CI_Individual.name'),
        nameType: constant('Personal'),
        ...more,
      },
      {
        each: `${at}.CI_Responsibility`,
        where: { ...whereRole(roles), 'party.CI_Organisation.individual': true },
        name: text('party.CI_Organisation.individual.CI_Individual.name'),
        nameType: constant('Personal'),
        affiliation: { each: 'party.CI_Organisation.name', name: text('.') },
        ...more,
      },
      {
        each: `${at}.CI_Responsibility`,
        where: { ...whereRole(roles), 'party.CI_Individual': null, 'party.CI_Organisation.individual': null },
        name: text('party.CI_Organisation.name'),
        nameType: constant('Organizational'),
        ...more,
      },
    ],
    names: (at, name) => [
      {
        each: `${at}.CI_Responsibility`,
        where: { [role]: name },
        name: { first: [text('party.CI_Organisation.name'), text('party.CI_Individual.name')] },
      },
    ],
    identifier: {
      first: [
        'MD_Metadata.identificationInfo.MD_DataIdentification.citation.CI_Citation.identifier.MD_Identifier.code',
        'MD_Metadata.metadataIdentifier.MD_Identifier.code',
      ],
    },
    language: [
      'MD_Metadata.identificationInfo.MD_DataIdentification.defaultLocale.PT_Locale.language.LanguageCode.@codeListValue',
      'MD_Metadata.defaultLocale.PT_Locale.language.LanguageCode.@codeListValue',
    ],
  }),
}

export const isoSchemas: readonly KnownSchema[] = [iso19139, iso19115]
