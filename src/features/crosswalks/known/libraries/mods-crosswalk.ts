import { type KnownSchema, xmlRoot } from '../known-schema.js'
import { dublinCoreBelow } from './dublin-core-crosswalk.js'

/*
 * MODS, alone and inside METS.
 */

const constant = (text: string) => ({ constant: text })

const modsTypes = {
  text: 'Text',
  cartographic: 'Image',
  'notated music': 'Other',
  'sound recording': 'Sound',
  'sound recording-musical': 'Sound',
  'sound recording-nonmusical': 'Sound',
  'still image': 'Image',
  'moving image': 'Audiovisual',
  'three dimensional object': 'PhysicalObject',
  'software, multimedia': 'Software',
  'mixed material': 'Collection',
  dataset: 'Dataset',
}

const modsName = {
  name: { first: ['displayForm', { path: 'namePart', where: { '@type': null } }] },
  nameType: {
    path: '@type',
    only: true,
    values: { personal: 'Personal', corporate: 'Organizational', conference: 'Organizational' },
  },
  givenName: { path: 'namePart', where: { '@type': 'given' } },
  familyName: { path: 'namePart', where: { '@type': 'family' } },
  nameIdentifiers: [
    { each: 'nameIdentifier', nameIdentifier: '.', nameIdentifierScheme: '@type' },
    { each: '@valueURI', nameIdentifier: '.' },
  ],
  affiliation: 'affiliation',
}

/** The crosswalk of MODS. @param at the path of the element `mods` */
function modsBelow(at: string): Readonly<Record<string, unknown>> {
  const agents = (where: object, more: object) => [{ each: `${at}.name`, where, ...modsName, ...more }]
  const creatorRoles = [
    'creator',
    'author',
    'aut',
    'cre',
    'artist',
    'art',
    'composer',
    'cmp',
    'photographer',
    'pht',
  ]
  const date = (element: string, dateType: string) => ({
    each: `${at}.originInfo.${element}`,
    where: { '@point': { not: 'end' } },
    date: '.',
    dateType: constant(dateType),
  })
  return {
    identifier: {
      each: `${at}.identifier`,
      where: { '@type': ['doi', 'hdl', 'handle', 'uri', 'urn', 'ark'] },
      identifier: '.',
    },
    types: {
      resourceTypeGeneral: { path: `${at}.typeOfResource`, values: modsTypes, only: true },
      resourceType: { first: [`${at}.genre`, `${at}.typeOfResource`] },
    },
    creators: {
      first: [
        agents({ 'role.roleTerm': creatorRoles }, {}),
        agents({ '@usage': 'primary' }, {}),
        agents({ role: null }, {}),
      ],
    },
    titles: [
      {
        each: `${at}.titleInfo`,
        where: { '@type': null },
        title: { join: ['nonSort', 'title'], with: ' ' },
        lang: '@lang',
      },
      { each: `${at}.titleInfo.subTitle`, title: '.', titleType: constant('Subtitle') },
      ...['alternative', 'abbreviated', 'uniform'].map(type => ({
        each: `${at}.titleInfo`,
        where: { '@type': type },
        title: { join: ['nonSort', 'title'], with: ' ' },
        lang: '@lang',
        titleType: constant('AlternativeTitle'),
      })),
      {
        each: `${at}.titleInfo`,
        where: { '@type': 'translated' },
        title: { join: ['nonSort', 'title'], with: ' ' },
        lang: '@lang',
        titleType: constant('TranslatedTitle'),
      },
    ],
    publisher: { first: [`${at}.originInfo.publisher`, `${at}.originInfo.agent.namePart`] },
    publicationYear: {
      first: ['dateIssued', 'copyrightDate', 'dateCreated'].map(name => `${at}.originInfo.${name}`),
    },
    subjects: ['topic', 'geographic', 'temporal', 'titleInfo.title', 'genre'].map(name => ({
      each: `${at}.subject.${name}`,
      subject: '.',
      subjectScheme: '@authority',
      valueUri: '@valueURI',
    })),
    contributors: [
      ...agents({ 'role.roleTerm': ['editor', 'edt'] }, { contributorType: constant('Editor') }),
      ...agents({ 'role.roleTerm': ['translator', 'trl'] }, { contributorType: constant('Translator') }),
      ...agents(
        { 'role.roleTerm': ['contributor', 'ctb', 'thesis advisor', 'ths', 'degree supervisor', 'dgs'] },
        { contributorType: constant('Other') },
      ),
    ],
    dates: [
      date('dateIssued', 'Issued'),
      date('dateCreated', 'Created'),
      date('copyrightDate', 'Copyrighted'),
      date('dateCaptured', 'Collected'),
      date('dateValid', 'Valid'),
      date('dateModified', 'Updated'),
    ],
    language: {
      first: [{ path: `${at}.language.languageTerm`, where: { '@type': 'code' } }],
    },
    alternateIdentifiers: {
      each: `${at}.identifier`,
      where: { '@type': { not: ['doi', 'hdl', 'handle', 'uri', 'urn', 'ark'] } },
      alternateIdentifier: '.',
      alternateIdentifierType: '@type',
    },
    relatedIdentifiers: [
      ...Object.entries({
        host: 'IsPartOf',
        series: 'IsPartOf',
        constituent: 'HasPart',
        original: 'IsVariantFormOf',
        otherVersion: 'IsVersionOf',
        otherFormat: 'IsVariantFormOf',
        isReferencedBy: 'IsReferencedBy',
        references: 'References',
        reviewOf: 'Reviews',
        preceding: 'Continues',
        succeeding: 'IsContinuedBy',
      }).flatMap(([type, relationType]) =>
        ['identifier', 'location.url', '@href'].map(path => ({
          each: `${at}.relatedItem`,
          where: { '@type': type },
          relatedIdentifier: path,
          relationType: constant(relationType),
        })),
      ),
    ],
    sizes: `${at}.physicalDescription.extent`,
    formats: [`${at}.physicalDescription.internetMediaType`, `${at}.physicalDescription.form`],
    version: `${at}.originInfo.edition`,
    rightsList: {
      each: `${at}.accessCondition`,
      where: { '@type': { not: 'restriction on access' } },
      rights: { first: ['.', '@href'] },
      rightsUri: { first: ['@href', '.'] },
    },
    descriptions: [
      {
        each: `${at}.abstract`,
        description: '.',
        lang: '@lang',
        descriptionType: constant('Abstract'),
      },
      {
        each: `${at}.tableOfContents`,
        description: '.',
        lang: '@lang',
        descriptionType: constant('TableOfContents'),
      },
      { each: `${at}.note`, description: '.', lang: '@lang', descriptionType: constant('Other') },
    ],
    geoLocations: [
      { each: `${at}.subject.geographic`, geoLocationPlace: '.' },
      {
        each: `${at}.subject.hierarchicalGeographic`,
        geoLocationPlace: { first: ['city', 'region', 'country'] },
      },
    ],
  }
}

/** One crosswalk of several: for each property the first that gives a value. */
function firstOf(
  crosswalks: readonly Readonly<Record<string, unknown>>[],
): Readonly<Record<string, unknown>> {
  const names = new Set(crosswalks.flatMap(crosswalk => Object.keys(crosswalk)))
  return Object.fromEntries(
    [...names].map(name => [
      name,
      { first: crosswalks.flatMap(({ [name]: rule }) => (rule === undefined ? [] : [rule])) },
    ]),
  )
}

const mods = /^http:\/\/www\.loc\.gov\/mods\/v3$/

export const modsSchemas: readonly KnownSchema[] = [
  {
    name: 'MODS 3',
    source: 'https://www.loc.gov/standards/mods/mods-outline-3-8.html',
    matches: xmlRoot(mods, 'mods'),
    crosswalk: modsBelow('mods'),
  },
  {
    name: 'MODS 3 (collection)',
    source: 'https://www.loc.gov/standards/mods/mods-outline-3-8.html',
    matches: xmlRoot(mods, 'modsCollection'),
    crosswalk: modsBelow('modsCollection.mods[0]'),
  },
  {
    name: 'METS',
    source: 'https://www.loc.gov/standards/mets/METSOverview.v2.html',
    matches: xmlRoot('http://www.loc.gov/METS/', 'mets'),
    crosswalk: firstOf([
      modsBelow('mets.dmdSec[0].mdWrap.xmlData.mods'),
      dublinCoreBelow('mets.dmdSec[0].mdWrap.xmlData.dc'),
      dublinCoreBelow('mets.dmdSec[0].mdWrap.xmlData'),
    ]),
  },
]
