import type { KnownSchema } from '../known-schema.js'

/*
 * DCAT and DCAT-AP as JSON-LD.
 */

/** Writes a term of a vocabulary in the ways in which JSON-LD documents write it. */
const term = (prefixes: readonly string[], namespace: string) => (name: string) => [
  ...prefixes.map(prefix => `${prefix}:${name}`),
  name,
  namespace + name,
]
const dct = term(['dct', 'dcterms'], 'http://purl.org/dc/terms/')
const dcat = term(['dcat'], 'http://www.w3.org/ns/dcat#')
const foaf = term(['foaf'], 'http://xmlns.com/foaf/0.1/')
const skos = term(['skos'], 'http://www.w3.org/2004/02/skos/core#')
const vcard = term(['vcard'], 'http://www.w3.org/2006/vcard/ns#')

const dcatAgent = {
  name: { first: [...foaf('name'), ...vcard('fn'), ...dct('title'), '.'] },
  nameType: {
    path: '@type',
    only: true,
    values: {
      'foaf:Person': 'Personal',
      'foaf:Organization': 'Organizational',
      'http://xmlns.com/foaf/0.1/Person': 'Personal',
      'http://xmlns.com/foaf/0.1/Organization': 'Organizational',
    },
  },
  nameIdentifiers: { each: '@id', nameIdentifier: '.' },
}

const each = (names: readonly string[], rule: object) => names.map(name => ({ each: name, ...rule }))

const dcatCrosswalk = {
  identifier: { first: [...dct('identifier'), '@id'] },
  types: {
    resourceTypeGeneral: { constant: 'Dataset' },
    resourceType: { constant: 'Dataset' },
  },
  titles: each(dct('title'), { title: '.', lang: '@language' }),
  creators: each(dct('creator'), dcatAgent),
  publisher: {
    first: dct('publisher').flatMap(member => foaf('name').map(name => `${member}.${name}`)),
  },
  publicationYear: { first: [...dct('issued'), ...dct('modified'), ...dct('created')] },
  subjects: [
    ...each(dcat('keyword'), { subject: '.', lang: '@language' }),
    ...each(dcat('theme'), {
      subject: { first: [...skos('prefLabel'), '@id', '.'] },
      valueUri: { first: ['@id', '.'] },
    }),
  ],
  contributors: each(dcat('contactPoint'), { ...dcatAgent, contributorType: { constant: 'ContactPerson' } }),
  dates: [
    ...each(dct('issued'), { date: '.', dateType: { constant: 'Issued' } }),
    ...each(dct('created'), { date: '.', dateType: { constant: 'Created' } }),
    ...each(dct('modified'), { date: '.', dateType: { constant: 'Updated' } }),
  ],
  relatedIdentifiers: [
    ...each(dct('isPartOf'), {
      relatedIdentifier: { first: ['@id', '.'] },
      relationType: { constant: 'IsPartOf' },
    }),
    ...each(dct('source'), {
      relatedIdentifier: { first: ['@id', '.'] },
      relationType: { constant: 'IsDerivedFrom' },
    }),
    ...each(dct('isReferencedBy'), {
      relatedIdentifier: { first: ['@id', '.'] },
      relationType: { constant: 'IsReferencedBy' },
    }),
  ],
  language: {
    first: dct('language').map(member => ({ path: member })),
  },
  version: { first: [...dcat('version'), 'owl:versionInfo', 'versionInfo'] },
  rightsList: {
    first: [
      each(dct('license'), { rights: { first: ['@id', '.'] } }),
      dcat('distribution').flatMap(member =>
        each(
          dct('license').map(licence => `${member}.${licence}`),
          { rights: { first: ['@id', '.'] } },
        ),
      ),
    ],
  },
  descriptions: each(dct('description'), {
    description: '.',
    lang: '@language',
    descriptionType: { constant: 'Abstract' },
  }),
  geoLocations: each(dct('spatial'), {
    geoLocationPlace: { first: [...skos('prefLabel'), 'rdfs:label', 'name'] },
  }),
}

export const dcatSchema: KnownSchema = {
  name: 'DCAT-AP',
  source: 'https://ec-jrc.github.io/datacite-to-dcat-ap/',
  matches: facts =>
    facts.has('@type') &&
    facts.texts('@type').some(type => /^(?:dcat:|http:\/\/www\.w3\.org\/ns\/dcat#)/.test(type)),
  crosswalk: dcatCrosswalk,
}
