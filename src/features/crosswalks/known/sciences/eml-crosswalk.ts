import { eachText, type KnownSchema, xmlRoot } from '../document-facts.js'
import { languageAt } from '../languages.js'

/*
 * EML, which also describes data sets of Darwin Core.
 */

const constant = (text: string) => ({ constant: text })

/** A text that may have translations in elements `value` inside, before or behind its own. */
const text = (path: string) => {
  const at = path === '.' ? '' : `${path}.`
  return { first: [`${at}#text`, `${at}value`] }
}
const nameIdentifiers = (at: string) => ({ each: `${at}userId`, nameIdentifier: '.' })

/**
 * A person with the organization as affiliation, or the organization or position alone.
 * @param at the place of the agent below the element: empty, or behind a reference
 */
const agentsAt = (at: string, more: object) => {
  const surname = `${at}individualName.surName`
  const family = text(surname)
  const given = { join: [0, 1, 2].map(index => text(`${at}individualName.givenName[${index}]`)), with: ' ' }
  return [
    {
      each: '.',
      where: { [surname]: true },
      name: { join: [family, given], with: ', ' },
      nameType: constant('Personal'),
      givenName: given,
      familyName: family,
      nameIdentifiers: nameIdentifiers(at),
      affiliation: { each: `${at}organizationName`, name: text('.') },
      ...more,
    },
    {
      each: '.',
      where: { [surname]: false },
      name: {
        first: ['organizationName.#text', 'organizationName.value', 'positionName.#text'].map(
          path => at + path,
        ),
      },
      nameType: constant('Organizational'),
      nameIdentifiers: nameIdentifiers(at),
      ...more,
    },
  ]
}

/** Agents at the path in their order, and those to which an element there refers. */
const agents = (each: string, more: object = {}) => ({
  each,
  first: [...agentsAt('', more), ...agentsAt('references.#target.', more)],
})

const roleTypes = {
  editor: 'Editor',
  publisher: 'Distributor',
  contentProvider: 'DataCollector',
  custodianSteward: 'DataManager',
  curator: 'DataCurator',
  metadataProvider: 'DataCurator',
  distributor: 'Distributor',
  owner: 'RightsHolder',
  pointOfContact: 'ContactPerson',
  principalInvestigator: 'ProjectLeader',
  coPrincipalInvestigator: 'ProjectLeader',
  processor: 'Producer',
  programmer: 'Producer',
  originator: 'DataCollector',
}
/** Roles in a project; people write them as they like. */
const projectRoleTypes = {
  principalInvestigator: 'ProjectLeader',
  coPrincipalInvestigator: 'ProjectLeader',
  'principal investigator': 'ProjectLeader',
  'co-principal investigator': 'ProjectLeader',
  'lead principal investigator': 'ProjectLeader',
  'co-lead principal investigator': 'ProjectLeader',
  'project manager': 'ProjectManager',
  'information manager': 'DataManager',
  researcher: 'Researcher',
  'data manager': 'DataManager',
}
/** Roles in words, such as `metadata provider`. */
const inWords = (types: object) =>
  Object.fromEntries(
    Object.entries(types).map(([role, type]) => [
      role.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`),
      type,
    ]),
  )
const typeOfRole = (values: object, other: string) => ({
  contributorType: { first: [{ path: 'role', values, only: true }, constant(other)] },
})

const data = 'eml.dataset'
const licensed = { each: `${data}.licensed`, rights: 'licenseName', rightsUri: 'url' }

const emlCrosswalk = {
  // Of several identifiers a DOI counts, in whatever place it is.
  identifier: {
    first: [{ identifierType: constant('DOI') }, {}].flatMap(doi =>
      ['eml.@packageId', `${data}.alternateIdentifier`].map(each => ({ each, identifier: '.', ...doi })),
    ),
  },
  types: { resourceTypeGeneral: constant('Dataset'), resourceType: constant('Dataset') },
  creators: agents(`${data}.creator`),
  titles: [
    { each: `${data}.title`, title: '#text', lang: languageAt('@lang') },
    { each: `${data}.title.value`, title: '.', lang: languageAt('@lang') },
    { each: `${data}.shortName`, title: text('.'), titleType: constant('AlternativeTitle') },
  ],
  publisher: {
    first: [
      `${data}.publisher.organizationName`,
      {
        join: [`${data}.publisher.individualName.givenName`, `${data}.publisher.individualName.surName`],
        with: ' ',
      },
    ],
  },
  publicationYear: `${data}.pubDate`,
  subjects: [
    {
      each: `${data}.keywordSet`,
      subject: eachText('keyword.#text'),
      subjectScheme: { path: 'keywordThesaurus', where: { '.': { not: ['none', 'n/a'] } } },
    },
    { each: `${data}.keywordSet.keyword.value`, subject: '.', lang: languageAt('@lang') },
    {
      each: `${data}.annotation`,
      where: { 'propertyURI.@label': ['is about', 'isAbout'] },
      subject: 'valueURI.@label',
      valueUri: 'valueURI',
    },
  ],
  contributors: [
    agents(`${data}.contact`, { contributorType: constant('ContactPerson') }),
    agents(`${data}.metadataProvider`, { contributorType: constant('DataCurator') }),
    agents(
      `${data}.associatedParty`,
      typeOfRole({ ...roleTypes, ...inWords(roleTypes), ...projectRoleTypes }, 'RelatedPerson'),
    ),
    agents(`${data}.project.personnel`, typeOfRole(projectRoleTypes, 'ProjectMember')),
  ],
  dates: [
    { each: `${data}.pubDate`, date: '.', dateType: constant('Issued') },
    {
      each: `${data}.coverage.temporalCoverage.rangeOfDates`,
      date: { join: ['beginDate.calendarDate', 'endDate.calendarDate'], with: '/' },
      dateType: constant('Collected'),
    },
    {
      each: `${data}.coverage.temporalCoverage.singleDateTime`,
      date: 'calendarDate',
      dateType: constant('Collected'),
    },
  ],
  language: { first: [languageAt(`${data}.language`), languageAt('eml.@lang')] },
  formats: ['dataTable', 'otherEntity', 'spatialRaster', 'spatialVector'].map(
    entity => `${data}.${entity}.physical.dataFormat.externallyDefinedFormat.formatName`,
  ),
  alternateIdentifiers: ['eml.@packageId', `${data}.alternateIdentifier`].map(each => ({
    each,
    alternateIdentifier: '.',
  })),
  relatedIdentifiers: {
    each: `${data}.methods.methodStep.dataSource.distribution.online.url`,
    relatedIdentifier: '.',
    relationType: constant('IsDerivedFrom'),
  },
  rightsList: {
    first: [
      [
        { ...licensed, where: { identifier: false } },
        {
          ...licensed,
          where: { identifier: true },
          rightsIdentifier: 'identifier',
          rightsIdentifierScheme: constant('SPDX'),
          schemeUri: constant('https://spdx.org/licenses/'),
        },
      ],
      [
        {
          each: `${data}.intellectualRights`,
          rights: { first: ['para.ulink.citetitle', '.'] },
          rightsUri: 'para.ulink.@url',
        },
      ],
    ],
  },
  descriptions: [
    // A paragraph may have its translations inside, in the middle of its own text.
    {
      each: `${data}.abstract`,
      where: { 'para.value': false },
      description: '.',
      descriptionType: constant('Abstract'),
    },
    {
      each: `${data}.methods.methodStep.description`,
      description: '.',
      descriptionType: constant('Methods'),
    },
  ],
  geoLocations: {
    each: `${data}.coverage.geographicCoverage`,
    geoLocationPlace: text('geographicDescription'),
    geoLocationBox: {
      each: 'boundingCoordinates',
      westBoundLongitude: 'westBoundingCoordinate',
      eastBoundLongitude: 'eastBoundingCoordinate',
      southBoundLatitude: 'southBoundingCoordinate',
      northBoundLatitude: 'northBoundingCoordinate',
    },
  },
  fundingReferences: {
    each: `${data}.project.award`,
    funderName: 'funderName',
    funderIdentifier: 'funderIdentifier',
    awardNumber: 'awardNumber',
    awardTitle: 'title',
    awardUri: 'awardUrl',
  },
}

export const emlSchemas: readonly KnownSchema[] = [
  {
    name: 'EML, also with Darwin Core',
    source:
      'https://github.com/gbif/ipt/blob/master/src/main/java/org/gbif/ipt/utils/DataCiteMetadataBuilder.java',
    matches: xmlRoot(
      /^(?:eml:\/\/ecoinformatics\.org\/eml-2|https:\/\/eml\.ecoinformatics\.org\/eml-2)/,
      'eml',
    ),
    crosswalk: emlCrosswalk,
  },
]
