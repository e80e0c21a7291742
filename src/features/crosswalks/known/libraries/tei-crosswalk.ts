import { eachText, type KnownSchema, xmlRoot } from '../document-facts.js'
import { languageAt } from '../languages.js'

/*
 * TEI: the header of a text or a corpus.
 */

const constant = (text: string) => ({ constant: text })

/** A name with marked parts may be in an element for names. */
const parted = (part: string) => ({ first: [`persName.${part}`, `name.${part}`, part] })
const family = { join: [parted('nameLink'), parted('surname')], with: ' ' }
const nameSchemes = {
  ...{ gnd: 'GND', pnd: 'GND', viaf: 'VIAF', wikidata: 'Wikidata', orcid: 'ORCID', isni: 'ISNI' },
}
const names = {
  givenName: {
    join: ['forename[0]', 'forename[1]', 'forename[2]'].map(parted),
    with: ' ',
  },
  familyName: family,
  nameIdentifiers: {
    first: [
      ...['persName.@ref', 'orgName.@ref', 'name.@ref', '@ref'].map(each => ({ each, nameIdentifier: '.' })),
      ...['idno', 'persName.idno'].map(each => ({
        each,
        nameIdentifier: '.',
        nameIdentifierScheme: { path: '@type', values: nameSchemes, only: true },
      })),
    ],
  },
  affiliation: { each: 'affiliation', name: { first: ['orgName', '.'] } },
}
/** A person with a family name, or another name as it is written. */
const agents = (each: string, more: object = {}) =>
  ['persName.surname', 'name.surname', 'surname'].map(surname => ({
    each,
    where: { [surname]: true },
    ...names,
    ...more,
  }))
const written = (each: string, more: object = {}) => ({
  each,
  where: { 'persName.surname': false, 'name.surname': false, surname: false },
  name: { first: ['persName.#text', 'orgName.#text', 'name.#text', '#text'] },
  nameIdentifiers: names.nameIdentifiers,
  affiliation: names.affiliation,
  ...more,
})
const all = (each: string, more: object = {}) => [...agents(each, more), written(each, more)]

/** Identifiers may be inside of one for all of them, or of a paragraph. */
const identifiers = ['idno', 'idno.idno', 'p.idno']
const persistent = ['doi', 'handle', 'hdl', 'urn', 'ark', 'purl', 'pid']
const otherTitles = ['sub', 'alt', 'short', 'desc', 'gmd', 'filing', 'iso-date', 'collection', 'series', 's']
const authorResp = ['author', 'autor', 'auteur', 'verfasser']

function titleRules(statement: string): readonly object[] {
  const title = (types: object, more: object = {}) => ({
    each: `${statement}.title`,
    where: types,
    title: '.',
    lang: languageAt('@lang'),
    ...more,
  })
  return [
    // A title of the series stands for the text only if the text has none of its own.
    {
      first: [
        title({ '@type': { not: otherTitles }, '@level': { not: ['s', 'j'] } }),
        title({ '@type': { not: otherTitles } }),
      ],
    },
    title({ '@type': 'sub' }, { titleType: constant('Subtitle') }),
    title({ '@type': ['alt', 'short'] }, { titleType: constant('AlternativeTitle') }),
  ]
}

/** Numbers whose units are the types of their elements, or a text. */
const extents = (extent: string) => ({
  first: [
    ['images', 'pages', 'types', 'tokens', 'characters'].map(unit => ({
      join: [
        { path: `${extent}.measure`, where: { '@type': unit, '@unit': false } },
        { path: `${extent}.measure.@type`, values: { [unit]: unit }, only: true },
      ],
    })),
    extent,
  ],
})

function teiCrosswalk(root: 'TEI' | 'teiCorpus'): Readonly<Record<string, unknown>> {
  const header = `${root}.teiHeader`
  const statement = `${header}.fileDesc.titleStmt`
  const publication = `${header}.fileDesc.publicationStmt`
  const profile = `${header}.profileDesc`
  return {
    identifier: {
      first: [['doi'], persistent].flatMap(types =>
        identifiers.map(path => ({
          each: `${publication}.${path}`,
          where: { '@type': types },
          identifier: '.',
        })),
      ),
    },
    types: {
      resourceTypeGeneral: constant(root === 'TEI' ? 'Text' : 'Collection'),
      resourceType: constant('TEI'),
    },
    creators: [
      ...all(`${statement}.author`),
      ...['persName', 'name', 'orgName'].map(name => ({
        each: `${statement}.respStmt`,
        where: { resp: authorResp },
        name: eachText(name),
      })),
    ],
    titles: titleRules(statement),
    publisher: {
      first: ['publisher', 'distributor', 'authority'].flatMap(element => [
        { path: `${publication}.${element}.orgName`, where: { '@type': 'institution' } },
        `${publication}.${element}.orgName`,
        `${publication}.${element}.#text`,
      ]),
    },
    publicationYear: { first: [`${publication}.date.@when`, `${publication}.date`] },
    subjects: [
      ...['term', 'list.item'].map(path => ({
        each: `${profile}.textClass.keywords`,
        subject: eachText(path),
      })),
      { each: `${profile}.textClass.classCode`, subject: '.', schemeUri: '@scheme' },
    ],
    contributors: [
      ...all(`${statement}.editor`, {
        contributorType: {
          first: [{ path: '@role', values: { translator: 'Translator' }, only: true }, constant('Editor')],
        },
      }),
      ...['persName', 'name', 'orgName'].map(name => ({
        each: `${statement}.respStmt`,
        where: { resp: { not: authorResp } },
        name: eachText(name),
        ...(name === 'orgName' && { nameType: constant('Organizational') }),
        contributorType: constant('Other'),
      })),
      ...all(`${statement}.principal`, { contributorType: constant('ProjectLeader') }),
      ...all(`${statement}.sponsor`, { contributorType: constant('Sponsor') }),
    ],
    dates: [
      {
        each: `${profile}.correspDesc.correspAction`,
        where: { '@type': 'sent' },
        date: 'date.@when',
        dateType: constant('Created'),
      },
      { each: `${publication}.date`, date: { first: ['@when', '.'] }, dateType: constant('Issued') },
      {
        each: `${profile}.creation.date`,
        date: {
          first: [
            '@when',
            { join: [{ first: ['@from', '@notBefore'] }, { first: ['@to', '@notAfter'] }], with: '/' },
            '.',
          ],
        },
        dateType: constant('Created'),
      },
    ],
    language: {
      first: [`${profile}.langUsage.language.@ident`, `${root}.text.@lang`, `${root}.@lang`].map(languageAt),
    },
    alternateIdentifiers: identifiers.map(path => ({
      each: `${publication}.${path}`,
      where: { '@type': { not: [...persistent, 'url', 'uri'] }, idno: false },
      alternateIdentifier: '.',
      alternateIdentifierType: { first: ['@type', constant('idno')] },
    })),
    sizes: extents(`${header}.fileDesc.extent`),
    version: {
      first: [`${header}.fileDesc.editionStmt.edition.@n`, `${header}.fileDesc.editionStmt.edition`],
    },
    rightsList: {
      first: [
        {
          each: `${publication}.availability.licence`,
          rights: { first: ['.', '@target'] },
          rightsUri: '@target',
        },
        {
          each: `${publication}.availability.p.ref`,
          rights: { first: ['.', '@target'] },
          rightsUri: '@target',
        },
        { each: `${publication}.availability`, rights: { first: ['p', '.'] } },
      ],
    },
    descriptions: {
      each: `${profile}.abstract`,
      description: '.',
      lang: languageAt('@lang'),
      descriptionType: constant('Abstract'),
    },
    fundingReferences: {
      each: `${statement}.funder`,
      funderName: { first: ['orgName', 'name', '#text'] },
    },
  }
}

export const teiSchemas: readonly KnownSchema[] = (['TEI', 'teiCorpus'] as const).map(root => ({
  name: root === 'TEI' ? 'TEI' : 'TEI (corpus)',
  source: 'https://tei-c.org/release/doc/tei-p5-doc/en/html/HD.html',
  matches: xmlRoot('http://www.tei-c.org/ns/1.0', root),
  crosswalk: teiCrosswalk(root),
}))
