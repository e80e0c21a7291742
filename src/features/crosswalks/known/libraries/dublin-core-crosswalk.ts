import { eachText, type KnownSchema, xmlRoot } from '../document-facts.js'
import { languageAt } from '../languages.js'

/*
 * Dublin Core, simple and qualified, as XML below a root element of its user.
 */

/** Collections of libraries write several values in one element, or a semicolon behind each. */
const parts = (path: string) => ({ path, split: ';' })

/**
 * The crosswalk of Dublin Core elements.
 * @param at the path of the element that contains them
 */
export function dublinCoreBelow(at: string): Readonly<Record<string, unknown>> {
  const first = (...names: readonly string[]) => ({ first: names.map(name => `${at}.${name}`) })
  const all = (...names: readonly string[]) => names.map(name => `${at}.${name}`)
  const relation = (relationType: string, ...names: readonly string[]) =>
    all(...names).map(each => ({ each, relatedIdentifier: '.', relationType: { constant: relationType } }))
  const date = (dateType: string, ...names: readonly string[]) =>
    all(...names).map(each => ({ each, date: '.', dateType: { constant: dateType } }))
  return {
    // Of several identifiers a DOI counts, in whatever place it is.
    identifier: {
      first: [{ identifierType: { constant: 'DOI' } }, {}].map(doi => ({
        each: `${at}.identifier`,
        identifier: '.',
        ...doi,
      })),
    },
    types: {
      // A type that says nothing counts if there is no other one.
      resourceTypeGeneral: {
        first: [
          { ...parts(`${at}.type`), values: typeNames, where: { '.': { not: noTypes } } },
          { ...parts(`${at}.type`), values: typeNames },
        ],
      },
      resourceType: parts(`${at}.type`),
    },
    creators: { each: `${at}.creator`, name: parts('.') },
    titles: [
      { each: `${at}.title`, title: '.', lang: languageAt('@lang') },
      {
        each: `${at}.alternative`,
        title: '.',
        lang: languageAt('@lang'),
        titleType: { constant: 'AlternativeTitle' },
      },
    ],
    publisher: { name: parts(`${at}.publisher`) },
    // Of several dates without a meaning, repositories write that of the publication last.
    publicationYear: first(
      ...['issued', 'date[4]', 'date[3]', 'date[2]', 'date[1]', 'date[0]'],
      ...['available', 'created', 'dateCopyrighted'],
    ),
    // A single subject may be a list. Among several ones, a text with semicolons may be one heading.
    subjects: {
      first: [
        {
          where: { [`${at}.subject[1]`]: false },
          subject: parts(`${at}.subject`),
          lang: languageAt(`${at}.subject.@lang`),
        },
        { each: `${at}.subject`, subject: '.', lang: languageAt('@lang') },
      ],
    },
    contributors: Object.entries({ contributor: 'Other', rightsHolder: 'RightsHolder' }).map(
      ([name, type]) => ({
        each: `${at}.${name}`,
        name: parts('.'),
        contributorType: { constant: type },
      }),
    ),
    dates: [
      ...date('Issued', 'issued'),
      {
        where: { [`${at}.date[1]`]: false, [`${at}.issued`]: false },
        date: `${at}.date`,
        dateType: { constant: 'Issued' },
      },
      { where: { [`${at}.date[1]`]: true }, date: eachText(`${at}.date`), dateType: { constant: 'Other' } },
      ...date('Created', 'created'),
      ...date('Available', 'available'),
      ...date('Updated', 'modified'),
      ...date('Valid', 'valid'),
      ...date('Accepted', 'dateAccepted'),
      ...date('Copyrighted', 'dateCopyrighted'),
      ...date('Submitted', 'dateSubmitted'),
      ...date('Coverage', 'temporal', 'coverage'),
    ],
    language: languageAt(`${at}.language`),
    alternateIdentifiers: `${at}.identifier`,
    relatedIdentifiers: [
      ...relation('References', 'references'),
      ...relation('IsDerivedFrom', 'source'),
      ...relation('IsPartOf', 'isPartOf'),
      ...relation('HasPart', 'hasPart'),
      ...relation('IsVersionOf', 'isVersionOf'),
      ...relation('HasVersion', 'hasVersion'),
      ...relation('IsReferencedBy', 'isReferencedBy'),
      ...relation('Requires', 'requires'),
      ...relation('IsRequiredBy', 'isRequiredBy'),
      ...relation('Obsoletes', 'replaces'),
      ...relation('IsObsoletedBy', 'isReplacedBy'),
      ...relation('IsVariantFormOf', 'isFormatOf'),
    ],
    sizes: all('extent'),
    formats: all('format', 'medium'),
    rightsList: [
      ...all('license', 'rights').map(each => ({ each, rights: '.' })),
      { where: { [`${at}.license`]: false, [`${at}.rights`]: false }, rights: `${at}.accessRights` },
    ],
    descriptions: Object.entries({
      description: 'Abstract',
      abstract: 'Abstract',
      tableOfContents: 'TableOfContents',
    }).map(([name, type]) => ({
      each: `${at}.${name}`,
      description: '.',
      lang: languageAt('@lang'),
      descriptionType: { constant: type },
    })),
    geoLocations: all('coverage', 'spatial'),
  }
}

/** The DCMI type vocabulary and that of OpenAIRE. Terms of DataCite stand for themselves. */
const dcmiTypes = { MovingImage: 'Audiovisual', StillImage: 'Image' }
const openAireTypes = {
  article: 'JournalArticle',
  bachelorThesis: 'Dissertation',
  masterThesis: 'Dissertation',
  doctoralThesis: 'Dissertation',
  book: 'Book',
  bookPart: 'BookChapter',
  conferenceObject: 'ConferencePaper',
  report: 'Report',
  preprint: 'Preprint',
  other: 'Other',
}
const noTypes = ['other', 'info:eu-repo/semantics/other']
export const typeNames = {
  ...dcmiTypes,
  ...Object.fromEntries(
    ['Collection', 'Dataset', 'Event', 'Image', 'InteractiveResource', 'MovingImage', 'PhysicalObject']
      .concat(['Service', 'Software', 'Sound', 'StillImage', 'Text'])
      .map(type => [
        `http://purl.org/dc/dcmitype/${type}`,
        type in dcmiTypes ? dcmiTypes[type as keyof typeof dcmiTypes] : type,
      ]),
  ),
  ...Object.fromEntries(
    Object.entries(openAireTypes).map(([type, name]) => [`info:eu-repo/semantics/${type}`, name]),
  ),
  Article: 'JournalArticle',
  Thesis: 'Dissertation',
  'Doctoral Dissertation': 'Dissertation',
  'Doctoral Thesis': 'Dissertation',
  "Master's Thesis": 'Dissertation',
  'Journal article': 'JournalArticle',
  'Conference paper': 'ConferencePaper',
  'Book chapter': 'BookChapter',
  // The other terms that DSpace offers.
  Animation: 'Audiovisual',
  'Learning Object': 'InteractiveResource',
  Map: 'Image',
  'Recording, acoustical': 'Sound',
  'Recording, musical': 'Sound',
  'Recording, oral': 'Sound',
  'Technical Report': 'Report',
  Video: 'Audiovisual',
  'Working Paper': 'Text',
}

const source = 'https://datacite-metadata-schema.readthedocs.io/en/4.6/mappings/dublincore/'

/** The crosswalk of elements in two places. Of a single value, that of the first place counts. */
function inBoth(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>) {
  const single = ['identifier', 'types', 'publisher', 'publicationYear', 'language']
  return Object.fromEntries(
    Object.entries(a).map(([property, rule]) => {
      const rules = [rule, b[property]].flat()
      return [property, single.includes(property) ? { first: rules } : rules]
    }),
  )
}

export const dublinCoreSchemas: readonly KnownSchema[] = [
  {
    name: 'Dublin Core (DataONE)',
    source,
    matches: xmlRoot(/^http:\/\/ns\.dataone\.org\/metadata\/schema\/onedcx\//, 'metadata'),
    crosswalk: inBoth(dublinCoreBelow('metadata.simpleDc'), dublinCoreBelow('metadata.dcTerms')),
  },
  {
    name: 'oai_dc',
    source,
    matches: xmlRoot('http://www.openarchives.org/OAI/2.0/oai_dc/', 'dc'),
    crosswalk: dublinCoreBelow('dc'),
  },
  ...['qualifieddc', 'qualifiedDublinCore', 'metadata', 'record', 'Record', 'dc', 'dcterms', 'simpledc'].map(
    (root): KnownSchema => ({
      name: `Dublin Core (${root})`,
      source,
      matches: ({ element, hasChildIn }) =>
        element?.local === root &&
        (/dublincore\.org|purl\.org\/dc/.test(element.namespace) ||
          (/^(?:qualified|simple)d/.test(root) && element.namespace === '') ||
          hasChildIn(/^http:\/\/purl\.org\/dc\/(?:terms|elements\/1\.1)\/?$/)),
      crosswalk: dublinCoreBelow(root),
    }),
  ),
]
