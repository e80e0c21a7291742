import { type KnownSchema, xmlRoot } from '../known-schema.js'

/*
 * TEI: the header of a text.
 */

const constant = (text: string) => ({ constant: text })

const file = 'TEI.teiHeader.fileDesc'
const profile = 'TEI.teiHeader.profileDesc'
const name = {
  name: {
    first: [
      { join: ['persName.surname', 'persName.forename'], with: ', ' },
      { join: ['surname', 'forename'], with: ', ' },
      'persName',
      'orgName',
      'name',
      '.',
    ],
  },
  nameIdentifiers: {
    first: ['persName.@ref', '@ref', 'idno'].map(each => ({ each, nameIdentifier: '.' })),
  },
}

const teiCrosswalk = {
  identifier: {
    first: [
      { each: `${file}.publicationStmt.idno`, where: { '@type': ['doi', 'handle', 'urn', 'uri', 'url'] } },
    ],
  },
  types: { resourceTypeGeneral: constant('Text'), resourceType: constant('TEI') },
  creators: { each: `${file}.titleStmt.author`, ...name },
  titles: [
    {
      each: `${file}.titleStmt.title`,
      where: { '@type': { not: ['sub', 'alt'] } },
      title: '.',
      lang: '@lang',
    },
    {
      each: `${file}.titleStmt.title`,
      where: { '@type': 'sub' },
      title: '.',
      titleType: constant('Subtitle'),
    },
    {
      each: `${file}.titleStmt.title`,
      where: { '@type': 'alt' },
      title: '.',
      titleType: constant('AlternativeTitle'),
    },
  ],
  publisher: {
    first: ['publisher.orgName', 'publisher', 'distributor', 'authority'].map(
      element => `${file}.publicationStmt.${element}`,
    ),
  },
  publicationYear: { first: [`${file}.publicationStmt.date.@when`, `${file}.publicationStmt.date`] },
  subjects: [
    { each: `${profile}.textClass.keywords.term`, subject: '.' },
    { each: `${profile}.textClass.keywords.list.item`, subject: '.' },
  ],
  contributors: [
    { each: `${file}.titleStmt.editor`, ...name, contributorType: constant('Editor') },
    {
      each: `${file}.titleStmt.respStmt`,
      ...name,
      name: { first: ['persName', 'name', 'orgName'] },
      contributorType: constant('Other'),
    },
    { each: `${file}.titleStmt.sponsor`, ...name, contributorType: constant('Sponsor') },
  ],
  dates: [
    {
      each: `${file}.publicationStmt.date`,
      date: { first: ['@when', '.'] },
      dateType: constant('Issued'),
    },
    { each: `${profile}.creation.date`, date: { first: ['@when', '.'] }, dateType: constant('Created') },
  ],
  language: { first: [`${profile}.langUsage.language.@ident`, 'TEI.@lang', 'TEI.teiHeader.@lang'] },
  alternateIdentifiers: {
    each: `${file}.publicationStmt.idno`,
    where: { '@type': { not: ['doi', 'handle', 'urn', 'uri', 'url'] } },
    alternateIdentifier: '.',
    alternateIdentifierType: { first: ['@type', { constant: 'idno' }] },
  },
  sizes: `${file}.extent`,
  version: { first: [`${file}.editionStmt.edition.@n`, `${file}.editionStmt.edition`] },
  rightsList: {
    each: `${file}.publicationStmt.availability`,
    rights: { first: ['licence', 'p'] },
    rightsUri: 'licence.@target',
  },
  descriptions: {
    each: `${profile}.abstract`,
    description: { first: ['p', '.'] },
    lang: '@lang',
    descriptionType: constant('Abstract'),
  },
  fundingReferences: { each: `${file}.titleStmt.funder`, funderName: { first: ['name', 'orgName', '.'] } },
}

export const teiSchemas: readonly KnownSchema[] = [
  {
    name: 'TEI',
    source: 'https://tei-c.org/release/doc/tei-p5-doc/en/html/HD.html',
    matches: xmlRoot('http://www.tei-c.org/ns/1.0', 'TEI'),
    crosswalk: teiCrosswalk,
  },
]
