import { type KnownSchema, xmlRoot } from '../known-schema.js'

/*
 * Dublin Core, simple and qualified, as XML below a root element of its user.
 */

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
    identifier: first('identifier'),
    types: {
      resourceTypeGeneral: { path: `${at}.type`, values: dcmiTypes },
      resourceType: `${at}.type`,
    },
    creators: all('creator'),
    titles: [
      { each: `${at}.title`, title: '.', lang: '@lang' },
      {
        each: `${at}.alternative`,
        title: '.',
        lang: '@lang',
        titleType: { constant: 'AlternativeTitle' },
      },
    ],
    publisher: first('publisher'),
    publicationYear: first('issued', 'available', 'date', 'created', 'dateCopyrighted'),
    subjects: { each: `${at}.subject`, subject: '.', lang: '@lang' },
    contributors: {
      each: `${at}.contributor`,
      name: '.',
      contributorType: { constant: 'Other' },
    },
    dates: [
      ...date('Issued', 'issued', 'date'),
      ...date('Created', 'created'),
      ...date('Available', 'available'),
      ...date('Updated', 'modified'),
      ...date('Valid', 'valid'),
      ...date('Accepted', 'dateAccepted'),
      ...date('Copyrighted', 'dateCopyrighted'),
      ...date('Submitted', 'dateSubmitted'),
      ...date('Coverage', 'temporal'),
    ],
    language: first('language'),
    relatedIdentifiers: [
      ...relation('References', 'relation', 'references'),
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
    rightsList: all('license', 'rights'),
    descriptions: [
      ...['description', 'abstract'].map(name => ({
        each: `${at}.${name}`,
        description: '.',
        lang: '@lang',
        descriptionType: { constant: 'Abstract' },
      })),
      {
        each: `${at}.tableOfContents`,
        description: '.',
        lang: '@lang',
        descriptionType: { constant: 'TableOfContents' },
      },
    ],
    geoLocations: all('coverage', 'spatial'),
  }
}

/** The DCMI type vocabulary. Terms of DataCite stand for themselves. */
const dcmiTypes = {
  Collection: 'Collection',
  Dataset: 'Dataset',
  Event: 'Event',
  Image: 'Image',
  InteractiveResource: 'InteractiveResource',
  MovingImage: 'Audiovisual',
  PhysicalObject: 'PhysicalObject',
  Service: 'Service',
  Software: 'Software',
  Sound: 'Sound',
  StillImage: 'Image',
  Text: 'Text',
}

const source = 'https://www.dublincore.org/specifications/dublin-core/dcmi-terms/'

export const dublinCoreSchemas: readonly KnownSchema[] = [
  {
    name: 'oai_dc',
    source,
    matches: xmlRoot('http://www.openarchives.org/OAI/2.0/oai_dc/', 'dc'),
    crosswalk: dublinCoreBelow('dc'),
  },
  ...['qualifieddc', 'metadata', 'record', 'dc', 'dcterms', 'simpledc'].map(
    (root): KnownSchema => ({
      name: `Dublin Core (${root})`,
      source,
      matches: ({ element, hasChildIn }) =>
        element?.local === root &&
        (/dublincore\.org|purl\.org\/dc/.test(element.namespace) ||
          hasChildIn(/^http:\/\/purl\.org\/dc\/(?:terms|elements\/1\.1)\/$/)),
      crosswalk: dublinCoreBelow(root),
    }),
  ),
]
