import { type KnownSchema, xmlRoot } from '../document-facts.js'
import { languageAt } from '../languages.js'

/*
 * DDI Codebook: studies of the social sciences.
 */

const constant = (text: string) => ({ constant: text })

/** Identifiers that are good for any resource. */
const persistent = ['doi', 'datacite', 'handle', 'hdl', 'urn', 'ark']

/** Periods, which are single dates, or pairs of a start and an end. */
const periods = (element: string, dateType: string) => [
  {
    each: `${sample}.${element}`,
    where: { '@event': { not: ['start', 'end'] } },
    date: { first: ['@date', '.'] },
    dateType: constant(dateType),
  },
  ...[0, 2, 4, 6].map(index => {
    const [start, end] = [`${element}[${index}]`, `${element}[${index + 1}]`]
    return {
      each: sample,
      where: { [`${start}.@event`]: 'start', [`${end}.@event`]: 'end' },
      date: {
        join: [{ first: [`${start}.@date`, start] }, { first: [`${end}.@date`, end] }],
        with: '/',
      },
      dateType: constant(dateType),
    }
  }),
]

const study = 'codeBook.stdyDscr'
const sample = `${study}.stdyInfo.sumDscr`
const citations = `${study}.citation`
/** An archive may repeat the citation in another language. */
const cite = `${citations}[0]`

const ddiCrosswalk = {
  identifier: {
    first: [
      { each: `${cite}.titlStmt.IDNo`, identifier: '.', identifierType: constant('DOI') },
      ...['titlStmt.IDNo', 'holdings.@URI'].map(path => ({ each: `${cite}.${path}`, identifier: '.' })),
    ],
  },
  types: {
    resourceTypeGeneral: constant('Dataset'),
    resourceType: { first: [`${study}.stdyInfo.sumDscr.dataKind`, { constant: 'Study' }] },
  },
  creators: {
    each: `${cite}.rspStmt.AuthEnty`,
    name: '#text',
    nameIdentifiers: [
      { each: 'ExtLink', nameIdentifier: '@URI' },
      { each: '@personalID', nameIdentifier: '.' },
    ],
    affiliation: '@affiliation',
  },
  titles: [
    { each: `${cite}.titlStmt.titl[0]`, title: '.', lang: languageAt('@lang') },
    ...[1, 2, 3].map(index => ({
      each: `${cite}.titlStmt.titl[${index}]`,
      title: '.',
      lang: languageAt('@lang'),
      titleType: constant('TranslatedTitle'),
    })),
    {
      each: `${citations}[1].titlStmt.titl`,
      title: '.',
      lang: languageAt('@lang'),
      titleType: constant('TranslatedTitle'),
    },
    {
      each: `${cite}.titlStmt.subTitl`,
      title: '.',
      lang: languageAt('@lang'),
      titleType: constant('Subtitle'),
    },
    {
      each: `${cite}.titlStmt.altTitl`,
      title: '.',
      lang: languageAt('@lang'),
      titleType: constant('AlternativeTitle'),
    },
    {
      each: `${cite}.titlStmt.parTitl`,
      title: '.',
      lang: languageAt('@lang'),
      titleType: constant('TranslatedTitle'),
    },
  ],
  publisher: { first: [`${cite}.distStmt.distrbtr.#text`, `${cite}.prodStmt.producer.#text`] },
  publicationYear: {
    first: [
      `${cite}.distStmt.distDate.@date`,
      `${cite}.distStmt.distDate`,
      `${cite}.prodStmt.prodDate.@date`,
      `${cite}.prodStmt.prodDate`,
      `${cite}.verStmt.version.@date`,
      // Dataverse says when it published a data set in the description of the document alone.
      'codeBook.docDscr.citation.distStmt.distDate',
      'codeBook.docDscr.citation.verStmt.version.@date',
    ],
  },
  subjects: ['keyword', 'topcClas'].map(name => ({
    each: `${study}.stdyInfo.subject.${name}`,
    subject: '.',
    subjectScheme: '@vocab',
    schemeUri: '@vocabURI',
    lang: languageAt('@lang'),
  })),
  contributors: [
    // A paragraph without the role of a contributor is an acknowledgement.
    {
      each: `${cite}.rspStmt.othId`,
      where: { '@role': true },
      name: { first: ['p', '#text'] },
      affiliation: '@affiliation',
      contributorType: { first: ['@role', constant('Other')] },
    },
    {
      each: `${cite}.rspStmt.othId`,
      where: { '@role': false },
      name: '#text',
      affiliation: '@affiliation',
      contributorType: { first: ['@type', constant('Other')] },
    },
    {
      each: `${cite}.prodStmt.producer`,
      name: '#text',
      affiliation: '@affiliation',
      contributorType: constant('Producer'),
    },
    {
      each: `${cite}.distStmt.contact`,
      name: '#text',
      affiliation: '@affiliation',
      contributorType: constant('ContactPerson'),
    },
    {
      each: `${study}.method.dataColl.dataCollector`,
      name: '#text',
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
    ...periods('collDate', 'Collected'),
    ...periods('timePrd', 'Coverage'),
  ],
  language: { first: ['codeBook.@lang', `${cite}.titlStmt.titl[0].@lang`].map(languageAt) },
  alternateIdentifiers: {
    each: `${cite}.titlStmt.IDNo`,
    where: { '@agency': { not: persistent } },
    alternateIdentifier: '.',
    alternateIdentifierType: { first: ['@agency', { constant: 'IDNo' }] },
  },
  relatedIdentifiers: ['titlStmt.IDNo', 'holdings.@URI'].map(path => ({
    each: `${study}.othrStdyMat.relPubl.citation.${path}`,
    relatedIdentifier: '.',
    relationType: constant('IsReferencedBy'),
  })),
  relatedItems: {
    each: `${cite}.serStmt`,
    where: { serName: true },
    titles: 'serName',
    relatedItemType: constant('Collection'),
    relationType: constant('IsPartOf'),
  },
  version: `${cite}.verStmt.version`,
  rightsList: [
    { each: `${study}.dataAccs.notes`, where: { '@type': 'DVN:TOU' }, rights: '.', rightsUri: '@URI' },
    { each: `${cite}.prodStmt.copyright`, rights: '.' },
    { each: `${study}.dataAccs.useStmt.conditions`, rights: '.' },
    { each: `${study}.dataAccs.useStmt.restrctn`, rights: '.' },
  ],
  descriptions: [
    {
      each: `${study}.stdyInfo.abstract`,
      description: '.',
      lang: languageAt('@lang'),
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
    first: [
      [
        {
          each: `${cite}.prodStmt.grantNo`,
          where: { '@agency': true },
          funderName: '@agency',
          awardNumber: '.',
        },
      ],
      [{ each: `${cite}.prodStmt.fundAg`, funderName: '.' }],
    ],
  },
}

export const ddiSchemas: readonly KnownSchema[] = [
  {
    name: 'DDI Codebook',
    source:
      'https://ddialliance.org/Specification/DDI-Codebook/2.5/XMLSchema/field_level_documentation_files/schemas/codebook_xsd/elements/citation.html',
    matches: xmlRoot(/^(?:ddi:codebook:2_\d|http:\/\/www\.icpsr\.umich\.edu\/DDI)?$/, 'codeBook'),
    crosswalk: ddiCrosswalk,
  },
]
