import { type KnownSchema, xmlRoot } from '../known-schema.js'

/*
 * DDI Codebook: studies of the social sciences.
 */

const constant = (text: string) => ({ constant: text })

const study = 'codeBook.stdyDscr'
const cite = `${study}.citation`

const ddiCrosswalk = {
  identifier: { first: [`${cite}.titlStmt.IDNo`, `${cite}.holdings.@URI`] },
  types: {
    resourceTypeGeneral: constant('Dataset'),
    resourceType: { first: [`${study}.stdyInfo.sumDscr.dataKind`, { constant: 'Study' }] },
  },
  creators: { each: `${cite}.rspStmt.AuthEnty`, name: '.', affiliation: '@affiliation' },
  titles: [
    { each: `${cite}.titlStmt.titl`, title: '.', lang: '@lang' },
    { each: `${cite}.titlStmt.subTitl`, title: '.', lang: '@lang', titleType: constant('Subtitle') },
    {
      each: `${cite}.titlStmt.altTitl`,
      title: '.',
      lang: '@lang',
      titleType: constant('AlternativeTitle'),
    },
    {
      each: `${cite}.titlStmt.parTitl`,
      title: '.',
      lang: '@lang',
      titleType: constant('TranslatedTitle'),
    },
  ],
  publisher: { first: [`${cite}.distStmt.distrbtr`, `${cite}.prodStmt.producer`] },
  publicationYear: {
    first: [
      `${cite}.distStmt.distDate.@date`,
      `${cite}.distStmt.distDate`,
      `${cite}.prodStmt.prodDate.@date`,
      `${cite}.prodStmt.prodDate`,
      `${cite}.verStmt.version.@date`,
    ],
  },
  subjects: ['keyword', 'topcClas'].map(name => ({
    each: `${study}.stdyInfo.subject.${name}`,
    subject: '.',
    subjectScheme: '@vocab',
    schemeUri: '@vocabURI',
    lang: '@lang',
  })),
  contributors: [
    {
      each: `${cite}.rspStmt.othId`,
      name: '.',
      affiliation: '@affiliation',
      contributorType: constant('Other'),
    },
    {
      each: `${cite}.prodStmt.producer`,
      name: '.',
      affiliation: '@affiliation',
      contributorType: constant('Producer'),
    },
    {
      each: `${cite}.distStmt.contact`,
      name: '.',
      affiliation: '@affiliation',
      contributorType: constant('ContactPerson'),
    },
    {
      each: `${study}.method.dataColl.dataCollector`,
      name: '.',
      affiliation: '@affiliation',
      contributorType: constant('DataCollector'),
    },
  ],
  dates: [
    {
      each: `${cite}.distStmt.distDate`,
      date: { first: ['@date', '.'] },
      dateType: constant('Issued'),
    },
    {
      each: `${cite}.distStmt.depDate`,
      date: { first: ['@date', '.'] },
      dateType: constant('Submitted'),
    },
    {
      each: `${cite}.prodStmt.prodDate`,
      date: { first: ['@date', '.'] },
      dateType: constant('Created'),
    },
    {
      each: `${study}.stdyInfo.sumDscr`,
      date: {
        join: ['collDate[0].@date', 'collDate[1].@date'],
        with: '/',
      },
      dateType: constant('Collected'),
    },
    {
      each: `${study}.stdyInfo.sumDscr`,
      date: { join: ['timePrd[0].@date', 'timePrd[1].@date'], with: '/' },
      dateType: constant('Coverage'),
    },
  ],
  language: { first: ['codeBook.@lang', `${cite}.titlStmt.titl.@lang`] },
  alternateIdentifiers: {
    each: `${cite}.titlStmt.IDNo`,
    alternateIdentifier: '.',
    alternateIdentifierType: { first: ['@agency', { constant: 'IDNo' }] },
  },
  version: `${cite}.verStmt.version`,
  rightsList: [
    { each: `${cite}.prodStmt.copyright`, rights: '.' },
    { each: `${study}.dataAccs.useStmt.conditions`, rights: '.' },
    { each: `${study}.dataAccs.useStmt.restrctn`, rights: '.' },
  ],
  descriptions: [
    {
      each: `${study}.stdyInfo.abstract`,
      description: '.',
      lang: '@lang',
      descriptionType: constant('Abstract'),
    },
    { each: `${cite}.serStmt.serInfo`, description: '.', descriptionType: constant('SeriesInformation') },
    {
      each: `${study}.method.dataColl.collMode`,
      description: '.',
      descriptionType: constant('Methods'),
    },
  ],
  geoLocations: [
    { each: `${study}.stdyInfo.sumDscr.nation`, geoLocationPlace: '.' },
    { each: `${study}.stdyInfo.sumDscr.geogCover`, geoLocationPlace: '.' },
    {
      each: `${study}.stdyInfo.sumDscr.geoBndBox`,
      geoLocationBox: {
        westBoundLongitude: 'westBL',
        eastBoundLongitude: 'eastBL',
        southBoundLatitude: 'southBL',
        northBoundLatitude: 'northBL',
      },
    },
  ],
  fundingReferences: {
    each: `${cite}.prodStmt.fundAg`,
    funderName: '.',
  },
}

export const ddiSchemas: readonly KnownSchema[] = [
  {
    name: 'DDI Codebook',
    source: 'https://ddialliance.org/Specification/DDI-Codebook/2.5/',
    matches: xmlRoot(/^(?:ddi:codebook:2_\d|http:\/\/www\.icpsr\.umich\.edu\/DDI)$/, 'codeBook'),
    crosswalk: ddiCrosswalk,
  },
]
