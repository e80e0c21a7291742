import { type KnownSchema, xmlRoot } from '../document-facts.js'
import { languageAt } from '../languages.js'
import { typeNames } from './dublin-core-crosswalk.js'

/*
 * DIM: the metadata of DSpace, in which each value has an element of Dublin Core and a qualifier.
 */

const constant = (text: string) => ({ constant: text })

const conditions = (element: string, qualifier: string | readonly string[] | false) => ({
  '@mdschema': ['dc', 'dcterms'],
  '@element': element,
  '@qualifier': qualifier,
})
const entries = (
  element: string,
  qualifier: string | readonly string[] | false,
  members: Readonly<Record<string, unknown>>,
) => ({ each: 'dim.field', where: conditions(element, qualifier), ...members })
const texts = (element: string, qualifier: string | false) => ({
  path: 'dim.field',
  where: conditions(element, qualifier),
})
const lang = languageAt('@lang')

const contributorTypes = { advisor: 'Supervisor', editor: 'Editor', illustrator: 'Other', other: 'Other' }
const dateTypes = { issued: 'Issued', available: 'Available', created: 'Created', submitted: 'Submitted' }
const relations = {
  ispartof: 'IsPartOf',
  haspart: 'HasPart',
  isbasedon: 'IsDerivedFrom',
  isreferencedby: 'IsReferencedBy',
  isversionof: 'IsVersionOf',
  replaces: 'Obsoletes',
  requires: 'Requires',
}

export const dim: KnownSchema = {
  name: 'DIM',
  source: 'https://wiki.lyrasis.org/display/DSDOC7x/Metadata+and+Bitstream+Format+Registries',
  matches: xmlRoot('http://www.dspace.org/xmlns/dspace/dim', 'dim'),
  crosswalk: {
    identifier: {
      first: [
        entries('identifier', 'doi', { identifier: '.', identifierType: constant('DOI') }),
        entries('identifier', ['uri', 'handle'], { identifier: '.', identifierType: constant('DOI') }),
        entries('identifier', ['uri', 'handle'], { identifier: '.' }),
      ],
    },
    types: {
      resourceTypeGeneral: { ...texts('type', false), values: typeNames },
      resourceType: texts('type', false),
    },
    creators: [entries('contributor', 'author', { name: '.' }), entries('creator', false, { name: '.' })],
    titles: [
      entries('title', false, { title: '.', lang }),
      entries('title', 'alternative', { title: '.', lang, titleType: constant('AlternativeTitle') }),
    ],
    publisher: entries('publisher', false, { name: '.' }),
    subjects: [
      entries('subject', false, { subject: '.', lang }),
      entries('subject', ['lcsh', 'ddc', 'lcc', 'mesh'], { subject: '.', lang, subjectScheme: '@qualifier' }),
      entries('subject', ['other', 'classification'], { subject: '.', lang }),
    ],
    contributors: Object.entries(contributorTypes).map(([qualifier, type]) =>
      entries('contributor', qualifier, { name: '.', contributorType: constant(type) }),
    ),
    dates: Object.entries(dateTypes).map(([qualifier, type]) =>
      entries('date', qualifier, { date: '.', dateType: constant(type) }),
    ),
    language: {
      first: ['iso', 'rfc3066', false as const].map(qualifier => ({
        ...languageAt('dim.field'),
        where: conditions('language', qualifier),
      })),
    },
    alternateIdentifiers: [
      ...Object.entries({ issn: 'ISSN', isbn: 'ISBN', other: 'Local' }).map(([qualifier, type]) =>
        entries('identifier', qualifier, {
          alternateIdentifier: '.',
          alternateIdentifierType: constant(type),
        }),
      ),
      entries('identifier', ['uri', 'handle'], { alternateIdentifier: '.' }),
    ],
    relatedIdentifiers: Object.entries(relations).map(([qualifier, type]) =>
      entries('relation', qualifier, { relatedIdentifier: '.', relationType: constant(type) }),
    ),
    sizes: texts('format', 'extent'),
    formats: [texts('format', 'mimetype'), texts('format', false)],
    // One licence has its name and its address in two values.
    rightsList: {
      each: 'dim',
      rights: {
        first: [false as const, 'uri'].map(qualifier => ({
          path: 'field',
          where: conditions('rights', qualifier),
        })),
      },
      rightsUri: { path: 'field', where: conditions('rights', 'uri') },
    },
    descriptions: [
      entries('description', 'abstract', { description: '.', lang }),
      entries('description', 'tableofcontents', {
        description: '.',
        lang,
        descriptionType: constant('TableOfContents'),
      }),
    ],
    geoLocations: entries('coverage', 'spatial', { geoLocationPlace: '.' }),
  },
}
