import { type KnownSchema, xmlRoot } from '../known-schema.js'

/*
 * EML, which also describes data sets of Darwin Core.
 */

const constant = (text: string) => ({ constant: text })

const person = {
  name: { first: ['organizationName', 'positionName'] },
  givenName: 'individualName.givenName',
  familyName: 'individualName.surName',
  nameIdentifiers: { each: 'userId', nameIdentifier: '.' },
  affiliation: { each: '.', where: { 'individualName.surName': true }, name: 'organizationName' },
}
/** A person with the organization as affiliation, or the organization alone. */
const agents = (each: string, more: object = {}) => [
  {
    each,
    where: { 'individualName.surName': true },
    ...person,
    name: {
      first: [
        { join: ['individualName.surName', 'individualName.givenName'], with: ', ' },
        'individualName.surName',
      ],
    },
    ...more,
  },
  {
    each,
    where: { 'individualName.surName': null },
    name: person.name,
    nameType: constant('Organizational'),
    nameIdentifiers: person.nameIdentifiers,
    ...more,
  },
]
const data = 'eml.dataset'

const emlCrosswalk = {
  identifier: { first: ['eml.@packageId', `${data}.alternateIdentifier`] },
  types: { resourceTypeGeneral: constant('Dataset'), resourceType: constant('Dataset') },
  creators: agents(`${data}.creator`),
  titles: [
    { each: `${data}.title`, title: { first: ['value', '.'] }, lang: '@lang' },
    { each: `${data}.shortName`, title: '.', titleType: constant('AlternativeTitle') },
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
  subjects: { each: `${data}.keywordSet.keyword`, subject: '.' },
  contributors: [
    ...agents(`${data}.contact`, { contributorType: constant('ContactPerson') }),
    ...agents(`${data}.metadataProvider`, { contributorType: constant('DataManager') }),
    ...agents(`${data}.associatedParty`, { contributorType: constant('Other') }),
    ...agents(`${data}.project.personnel`, { contributorType: constant('ProjectMember') }),
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
  language: { first: [`${data}.language`, 'eml.@lang'] },
  alternateIdentifiers: { each: `${data}.alternateIdentifier`, alternateIdentifier: '.' },
  rightsList: {
    first: [
      [
        {
          each: `${data}.licensed`,
          rights: 'licenseName',
          rightsUri: 'url',
          rightsIdentifier: 'identifier',
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
    { each: `${data}.abstract`, description: '.', descriptionType: constant('Abstract') },
    {
      each: `${data}.methods.methodStep.description`,
      description: '.',
      descriptionType: constant('Methods'),
    },
  ],
  geoLocations: {
    each: `${data}.coverage.geographicCoverage`,
    geoLocationPlace: 'geographicDescription',
    geoLocationBox: {
      each: 'boundingCoordinates',
      westBoundLongitude: 'westBoundingCoordinate',
      eastBoundLongitude: 'eastBoundingCoordinate',
      southBoundLatitude: 'southBoundingCoordinate',
      northBoundLatitude: 'northBoundingCoordinate',
    },
  },
  fundingReferences: [
    {
      each: `${data}.project.award`,
      funderName: 'funderName',
      funderIdentifier: 'funderIdentifier',
      awardNumber: 'awardNumber',
      awardTitle: 'title',
      awardUri: 'awardUrl',
    },
    { each: `${data}.project.funding`, where: { para: null }, funderName: '.' },
  ],
}

export const emlSchemas: readonly KnownSchema[] = [
  {
    name: 'EML, also with Darwin Core',
    source: 'https://eml.ecoinformatics.org/',
    matches: xmlRoot(
      /^(?:eml:\/\/ecoinformatics\.org\/eml-2|https:\/\/eml\.ecoinformatics\.org\/eml-2)/,
      'eml',
    ),
    crosswalk: emlCrosswalk,
  },
]
