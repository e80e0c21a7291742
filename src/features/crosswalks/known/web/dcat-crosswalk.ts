import { languageMap } from '../../crosswalk/described-tree.js'
import type { KnownSchema } from '../document-facts.js'
import { languageAt, languageOrAddressAt } from '../languages.js'

/*
 * DCAT and DCAT-AP as JSON-LD and RDF in XML, also with the terms of the context of DCAT-AP 3.
 * @see https://semiceu.github.io/DCAT-AP/releases/3.0.0/context/dcat-ap.jsonld
 */

/** Vocabularies with the prefixes of their terms, of which the first one stands in the paths of this crosswalk. */
const vocabularies: readonly (readonly [address: string, ...prefixes: string[]])[] = [
  ['http://purl.org/dc/terms/', 'dct', 'dcterms'],
  ['http://www.w3.org/ns/dcat#', 'dcat'],
  ['http://xmlns.com/foaf/0.1/', 'foaf'],
  ['http://www.w3.org/2004/02/skos/core#', 'skos'],
  ['http://www.w3.org/2006/vcard/ns#', 'vcard', 'v'],
  ['http://www.w3.org/2000/01/rdf-schema#', 'rdfs'],
  ['http://www.w3.org/ns/adms#', 'adms'],
  ['http://www.w3.org/ns/locn#', 'locn'],
  ['http://www.w3.org/2002/07/owl#', 'owl'],
]

/** Terms that the context of DCAT-AP 3 names otherwise than their vocabularies do. */
const contextTerms: Readonly<Record<string, string>> = {
  'dct:issued': 'releaseDate',
  'dct:modified': 'modificationDate',
  'dct:license': 'licence',
  'dct:temporal': 'temporalCoverage',
  'dct:spatial': 'geographicalCoverage',
  'dcat:distribution': 'datasetDistribution',
  'foaf:page': 'documentation',
  'skos:prefLabel': 'preferredLabel',
  'adms:identifier': 'otherIdentifier',
}

/** The other ways in which JSON-LD documents write a term such as `dct:title`. */
function writtenAs(term: string): readonly string[] {
  const [first, name = ''] = term.split(':')
  const vocabulary = vocabularies.find(([, prefix]) => prefix === first)
  if (!vocabulary) return []
  const [address, , ...prefixes] = vocabulary
  const inContext = contextTerms[term]
  return [
    ...prefixes.map(prefix => `${prefix}:${name}`),
    name,
    ...(inContext === undefined ? [] : [inContext]),
    address + name,
  ]
}

const constant = (text: string) => ({ constant: text })
/** A text with its language, or the texts of a map of languages. */
const texts = (term: string, member: string, more: object = {}) =>
  [term, `${term}.${languageMap}`].map(each => ({
    each,
    [member]: '.',
    lang: languageAt('@language'),
    ...more,
  }))

/** A table of the classes of a vocabulary. */
const classes = (prefixes: readonly string[], values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => prefixes.map(prefix => [prefix + name, value])),
  )

const agentWith = (...names: readonly string[]) => ({
  name: { first: [...names, 'rdfs:label'] },
  nameType: {
    path: '@type',
    only: true,
    values: {
      ...classes(['foaf:', 'prov:', 'http://xmlns.com/foaf/0.1/', 'http://www.w3.org/ns/prov#'], {
        Person: 'Personal',
        Organization: 'Organizational',
      }),
      ...classes(['vcard:', 'v:', 'http://www.w3.org/2006/vcard/ns#'], {
        Individual: 'Personal',
        Organization: 'Organizational',
      }),
    },
  },
  givenName: { first: ['foaf:givenName', 'vcard:given-name'] },
  familyName: { first: ['foaf:familyName', 'vcard:family-name'] },
  nameIdentifiers: { each: '@id', nameIdentifier: '.' },
})
const names = ['foaf:name', `foaf:name.${languageMap}`]
const agent = agentWith(...names, 'vcard:fn')
const contact = agentWith('vcard:fn', 'vcard:organization-name', ...names)

const date = (each: string, dateType: string) => ({ each, date: '.', dateType: constant(dateType) })

const relation = (each: string, relationType: string) => ({
  each,
  relatedIdentifier: { first: ['@id', '.'] },
  relationType: constant(relationType),
})

const licence = (each: string) => ({
  each,
  rights: { first: ['dct:title', 'rdfs:label', '@id', '.'] },
  rightsUri: '@id',
})

/** Labels of the data themes of the EU. @see http://publications.europa.eu/resource/authority/data-theme */
const dataThemes = classes(['http://publications.europa.eu/resource/authority/data-theme/'], {
  AGRI: 'Agriculture, fisheries, forestry and food',
  ECON: 'Economy and finance',
  EDUC: 'Education, culture and sport',
  ENER: 'Energy',
  ENVI: 'Environment',
  GOVE: 'Government and public sector',
  HEAL: 'Health',
  INTR: 'International issues',
  JUST: 'Justice, legal system and public safety',
  REGI: 'Regions and cities',
  SOCI: 'Population and society',
  TECH: 'Science and technology',
  TRAN: 'Transport',
})

const mediaTypes = classes(
  ['http', 'https'].map(scheme => `${scheme}://www.iana.org/assignments/media-types/`),
  Object.fromEntries(
    [
      ...[
        'text/csv',
        'text/html',
        'text/plain',
        'text/turtle',
        'text/xml',
        'image/tiff',
        'image/png',
        'image/jpeg',
      ],
      ...['json', 'ld+json', 'geo+json', 'rdf+xml', 'xml', 'gml+xml', 'pdf', 'zip', 'vnd.ms-excel'],
      ...['vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'vnd.geo+json', 'geopackage+sqlite3'],
    ].map(type => {
      const name = type.includes('/') ? type : `application/${type}`
      return [name, name]
    }),
  ),
)

const classPrefixes = ['dcat:', 'http://www.w3.org/ns/dcat#', '']

const dcatCrosswalk = {
  identifier: { first: ['dct:identifier', '@id'] },
  types: {
    resourceTypeGeneral: {
      path: '@type',
      only: true,
      values: classes(classPrefixes, {
        Dataset: 'Dataset',
        DatasetSeries: 'Collection',
        Catalog: 'Collection',
        Catalogue: 'Collection',
        DataService: 'Service',
      }),
    },
    resourceType: {
      path: '@type',
      only: true,
      values: classes(classPrefixes, {
        Dataset: 'Dataset',
        DatasetSeries: 'Dataset series',
        Catalog: 'Catalogue',
        Catalogue: 'Catalogue',
        DataService: 'Data service',
      }),
    },
  },
  titles: texts('dct:title', 'title'),
  creators: { each: 'dct:creator', ...agent },
  publisher: { first: [...names, 'vcard:fn'].map(name => `dct:publisher.${name}`) },
  publicationYear: { first: ['dct:issued', 'dct:created'] },
  subjects: [
    ...texts('dcat:keyword', 'subject'),
    { each: 'dcat:theme', where: { 'skos:prefLabel': true }, subject: 'skos:prefLabel', valueUri: '@id' },
    ...['@id', '.'].map(path => ({
      each: 'dcat:theme',
      where: { [path]: Object.keys(dataThemes) },
      subject: { path, values: dataThemes },
      valueUri: path,
    })),
  ],
  contributors: [
    { each: 'dcat:contactPoint', ...contact, contributorType: constant('ContactPerson') },
    { each: 'dct:contributor', ...agent, contributorType: constant('Other') },
    { each: 'dct:rightsHolder', ...agent, contributorType: constant('RightsHolder') },
  ],
  dates: [
    date('dct:issued', 'Issued'),
    date('dct:created', 'Created'),
    date('dct:modified', 'Updated'),
    {
      each: 'dct:temporal',
      date: {
        join: ['startDate', 'endDate'].map(end => ({ first: [`dcat:${end}`, `schema:${end}`] })),
        with: '/',
      },
      dateType: constant('Coverage'),
    },
  ],
  relatedIdentifiers: [
    ...['dct:isPartOf', 'dcat:inSeries'].map(term => relation(term, 'IsPartOf')),
    relation('dct:hasPart', 'HasPart'),
    relation('dct:source', 'IsDerivedFrom'),
    relation('dct:references', 'References'),
    relation('dct:isReferencedBy', 'IsReferencedBy'),
    relation('dct:isVersionOf', 'IsVersionOf'),
    relation('dct:replaces', 'Obsoletes'),
    relation('foaf:page', 'IsDocumentedBy'),
    relation('dcat:landingPage', 'IsDescribedBy'),
  ],
  alternateIdentifiers: 'adms:identifier.skos:notation',
  language: { first: ['dct:language.@id', 'dct:language'].map(languageOrAddressAt) },
  // A format is in the text of an element, or the address of a media type.
  formats: {
    first: [
      [
        { path: 'dcat:distribution.dcat:mediaType.@id', values: mediaTypes, only: true },
        { path: 'dcat:distribution.dcat:mediaType', values: mediaTypes },
      ],
      'dcat:distribution.dct:format',
    ],
  },
  version: { first: ['dcat:version', 'owl:versionInfo'] },
  rightsList: {
    first: ['dct:license', 'dcat:distribution.dct:license', 'dct:rights'].map(path => [licence(path)]),
  },
  descriptions: texts('dct:description', 'description', { descriptionType: constant('Abstract') }),
  geoLocations: {
    each: 'dct:spatial',
    geoLocationPlace: { first: ['skos:prefLabel', 'rdfs:label'] },
    geoLocationPoint: { pointLatitude: 'dcat:centroid' },
    // A place may have its geometry as GeoJSON, too.
    geoLocationBox: {
      first: ['dcat:bbox', 'locn:geometry'].map(each => ({ each, westBoundLongitude: '.' })),
    },
  },
}

export const dcatSchema: KnownSchema = {
  name: 'DCAT-AP',
  source: 'https://ec-jrc.github.io/datacite-to-dcat-ap/',
  schemaId: /\bdcat-ap\b|^https?:\/\/www\.w3\.org\/ns\/dcat\b/i,
  matches: ({ types, contexts }) =>
    types.some(type =>
      /^(?:dcat:|http:\/\/www\.w3\.org\/ns\/dcat#)(?:Dataset|DatasetSeries|Catalog|DataService)$/.test(type),
    ) ||
    (contexts.some(context => /\bdcat-ap\b/i.test(context)) &&
      types.some(type => /^(?:Dataset|DatasetSeries|Catalogue|DataService)$/.test(type))),
  crosswalk: dcatCrosswalk,
  writtenAs,
}
