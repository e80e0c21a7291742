import { languageMap } from '../../crosswalk/described-tree.js'
import type { KnownSchema } from '../known-schema.js'
import { languageAt, languageOrAddressAt } from '../languages.js'

/*
 * DCAT and DCAT-AP as JSON-LD, also with the terms of the context of DCAT-AP 3.
 * @see https://semiceu.github.io/DCAT-AP/releases/3.0.0/context/dcat-ap.jsonld
 */

/** Terms that the context of DCAT-AP 3 names otherwise than their vocabularies do. */
const contextTerms: Readonly<Record<string, string>> = {
  issued: 'releaseDate',
  modified: 'modificationDate',
  license: 'licence',
  temporal: 'temporalCoverage',
  spatial: 'geographicalCoverage',
  distribution: 'datasetDistribution',
  page: 'documentation',
  prefLabel: 'preferredLabel',
}

/** Writes a term of a vocabulary in the ways in which JSON-LD documents write it. */
const term = (prefixes: readonly string[], namespace: string) => (name: string) => [
  ...prefixes.map(prefix => `${prefix}:${name}`),
  name,
  ...(contextTerms[name] === undefined ? [] : [contextTerms[name]]),
  namespace + name,
]
const dct = term(['dct', 'dcterms'], 'http://purl.org/dc/terms/')
const dcatNamespace = 'http://www.w3.org/ns/dcat#'
const dcat = term(['dcat'], dcatNamespace)
const foaf = term(['foaf'], 'http://xmlns.com/foaf/0.1/')
const skos = term(['skos'], 'http://www.w3.org/2004/02/skos/core#')
const vcard = term(['vcard', 'v'], 'http://www.w3.org/2006/vcard/ns#')
const rdfs = term(['rdfs'], 'http://www.w3.org/2000/01/rdf-schema#')

const isAddress = (name: string) => name.startsWith('http:')
const constant = (text: string) => ({ constant: text })
/** A text with its language, or the texts of a map of languages. */
const texts = (names: readonly string[], member: string, more: object = {}) =>
  each(
    names.flatMap(name => (name.includes(':') ? [name] : [name, `${name}.${languageMap}`])),
    { [member]: '.', lang: languageAt('@language'), ...more },
  )
const each = (names: readonly string[], rule: object) => names.map(name => ({ each: name, ...rule }))

/** A table of the classes of a vocabulary. */
const classes = (prefixes: readonly string[], values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => prefixes.map(prefix => [prefix + name, value])),
  )

const agentWith = (names: readonly string[]) => ({
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
const agent = agentWith([...foaf('name'), 'vcard:fn'])
const contact = agentWith([
  ...vcard('fn'),
  ...['vcard:organization-name', 'v:organization-name', 'organization-name', 'foaf:name', 'name'],
])

const date = (member: string, dateType: string) =>
  each(dct(member), { date: '.', dateType: constant(dateType) })

/** Relations, which are left out where terms are written as whole addresses. */
const relation = (members: readonly string[], relationType: string) =>
  each(members.slice(0, -1), {
    relatedIdentifier: { first: ['@id', '.'] },
    relationType: constant(relationType),
  })

const licence = { rights: { first: [...dct('title'), ...rdfs('label'), '@id', '.'] }, rightsUri: '@id' }

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

const classPrefixes = ['dcat:', dcatNamespace, '']

const dcatCrosswalk = {
  identifier: { first: [...dct('identifier'), '@id'] },
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
  titles: texts(dct('title'), 'title'),
  creators: each(dct('creator'), agent),
  publisher: {
    first: dct('publisher').flatMap(member =>
      [...foaf('name'), ...vcard('fn')].map(name => `${member}.${name}`),
    ),
  },
  publicationYear: { first: [...dct('issued'), ...dct('created')] },
  subjects: [
    ...texts(dcat('keyword'), 'subject'),
    ...dcat('theme').flatMap(member => [
      ...skos('prefLabel').map(label => ({
        each: member,
        where: { [label]: true },
        subject: label,
        valueUri: '@id',
      })),
      ...['@id', '.'].map(path => ({
        each: member,
        where: { [path]: Object.keys(dataThemes) },
        subject: { path, values: dataThemes },
        valueUri: path,
      })),
    ]),
  ],
  contributors: [
    ...each(dcat('contactPoint'), { ...contact, contributorType: constant('ContactPerson') }),
    ...each(dct('contributor'), { ...agent, contributorType: constant('Other') }),
    ...each(dct('rightsHolder'), { ...agent, contributorType: constant('RightsHolder') }),
  ],
  dates: [
    ...date('issued', 'Issued'),
    ...date('created', 'Created'),
    ...date('modified', 'Updated'),
    ...each(dct('temporal'), {
      date: {
        join: [
          { first: [...dcat('startDate'), 'schema:startDate'] },
          { first: [...dcat('endDate'), 'schema:endDate'] },
        ],
        with: '/',
      },
      dateType: constant('Coverage'),
    }),
  ],
  relatedIdentifiers: [
    ...relation([...dct('isPartOf'), ...dcat('inSeries')], 'IsPartOf'),
    ...relation(dct('hasPart'), 'HasPart'),
    ...relation(dct('source'), 'IsDerivedFrom'),
    ...relation(dct('references'), 'References'),
    ...relation(dct('isReferencedBy'), 'IsReferencedBy'),
    ...relation(dct('isVersionOf'), 'IsVersionOf'),
    ...relation(dct('replaces'), 'Obsoletes'),
    ...relation(foaf('page'), 'IsDocumentedBy'),
    ...relation(dcat('landingPage'), 'IsDescribedBy'),
  ],
  alternateIdentifiers: ['adms:identifier', 'http://www.w3.org/ns/adms#identifier'].flatMap(member =>
    skos('notation').map(notation => `${member}.${notation}`),
  ),
  language: {
    first: dct('language').flatMap(member => [
      languageOrAddressAt(`${member}.@id`),
      languageOrAddressAt(member),
    ]),
  },
  version: { first: [...dcat('version'), 'owl:versionInfo', 'versionInfo'] },
  rightsList: {
    first: [
      each(dct('license'), licence),
      dcat('distribution').flatMap(member =>
        each(
          dct('license')
            .filter(name => isAddress(name) === isAddress(member))
            .map(name => `${member}.${name}`),
          { rights: { first: ['dct:title', 'rdfs:label', '@id', '.'] }, rightsUri: '@id' },
        ),
      ),
      each(dct('rights'), licence),
    ],
  },
  descriptions: texts(dct('description'), 'description', { descriptionType: constant('Abstract') }),
  geoLocations: each(dct('spatial'), {
    geoLocationPlace: { first: [...skos('prefLabel'), 'rdfs:label'] },
    geoLocationPoint: { pointLatitude: { first: ['dcat:centroid', 'centroid'] } },
    geoLocationBox: { westBoundLongitude: { first: ['dcat:bbox', 'bbox', 'locn:geometry', 'geometry'] } },
  }),
}

export const dcatSchema: KnownSchema = {
  name: 'DCAT-AP',
  source: 'https://ec-jrc.github.io/datacite-to-dcat-ap/',
  matches: ({ types, contexts }) =>
    types.some(type =>
      /^(?:dcat:|http:\/\/www\.w3\.org\/ns\/dcat#)(?:Dataset|DatasetSeries|Catalog|DataService)$/.test(type),
    ) ||
    (contexts.some(context => /\bdcat-ap\b/i.test(context)) &&
      types.some(type => /^(?:Dataset|DatasetSeries|Catalogue|DataService)$/.test(type))),
  crosswalk: dcatCrosswalk,
}
