import type { KnownSchema } from '../document-facts.js'

/*
 * STAC: catalogues of images of the earth. What items have in `properties`, collections have at the top.
 */

const constant = (text: string) => ({ constant: text })
const places = ['', 'properties.']
const at = (path: string) => places.map(place => place + path)

/** A box of four numbers, or of six with heights. The first box of several is the one around all. */
const box = (path: string, north: 3 | 4, beyond: Readonly<Record<string, unknown>>) => ({
  where: Object.fromEntries(Object.entries(beyond).map(([index, is]) => [`${path}[${index}]`, is])),
  geoLocationBox: {
    westBoundLongitude: `${path}[0]`,
    southBoundLatitude: `${path}[1]`,
    eastBoundLongitude: `${path}[${north - 1}]`,
    northBoundLatitude: `${path}[${north}]`,
  },
})
const boxes = (path: string) => [
  box(path, 3, { 4: false }),
  box(path, 4, { 5: true, 6: false }),
  box(path, 3, { 7: true, 8: false }),
]

const providers = (role: string, more: object = {}) =>
  at('providers').map(each => ({
    each,
    where: { roles: role },
    name: 'name',
    nameType: constant('Organizational'),
    ...more,
  }))

const date = (path: string, dateType: string) => ({ each: path, date: '.', dateType: constant(dateType) })

export const stac: KnownSchema = {
  name: 'STAC',
  source: 'https://github.com/radiantearth/stac-spec/blob/master/commons/common-metadata.md',
  schemaId: /^https?:\/\/schemas\.stacspec\.org\/(?:[\w.-]+\/)?(?:item|collection|catalog)-spec\//,
  matches: ({ has }) => has('stac_version'),
  crosswalk: {
    identifier: {
      first: [
        ...at('sci:doi').map(each => ({ each, identifier: '.', identifierType: constant('DOI') })),
        { each: 'links', where: { rel: 'cite-as' }, identifier: 'href' },
      ],
    },
    types: {
      first: [
        {
          resourceTypeGeneral: {
            path: 'type',
            values: { Collection: 'Collection', Catalog: 'Collection', Feature: 'Dataset' },
            only: true,
          },
          resourceType: {
            path: 'type',
            values: { Collection: 'STAC collection', Catalog: 'STAC catalog', Feature: 'STAC item' },
            only: true,
          },
        },
        // Before version 1.0 collections had no type.
        {
          where: { type: false, extent: true },
          resourceTypeGeneral: constant('Collection'),
          resourceType: constant('STAC collection'),
        },
      ],
    },
    creators: providers('producer'),
    titles: { title: { first: [...at('title'), 'id'] } },
    publisher: { first: at('providers').map(each => ({ each, where: { roles: 'host' }, name: 'name' })) },
    publicationYear: { first: [...at('published'), ...at('created')] },
    subjects: at('keywords'),
    contributors: [
      ...providers('processor', { contributorType: constant('DataCurator') }),
      ...providers('licensor', { contributorType: constant('RightsHolder') }),
      ...providers('host', { contributorType: constant('HostingInstitution') }),
    ],
    dates: [
      ...at('created').map(path => date(path, 'Created')),
      ...at('updated').map(path => date(path, 'Updated')),
      ...at('published').map(path => date(path, 'Issued')),
      {
        first: [
          {
            each: 'properties',
            where: { start_datetime: true },
            date: { join: ['start_datetime', 'end_datetime'], with: '/' },
            dateType: constant('Collected'),
          },
          date('properties.datetime', 'Collected'),
          // The first interval of several is the one around all.
          {
            each: 'extent.temporal',
            date: { join: ['interval[0]', 'interval[1]'], with: '/' },
            dateType: constant('Collected'),
          },
        ],
      },
    ],
    alternateIdentifiers: {
      each: 'id',
      alternateIdentifier: '.',
      alternateIdentifierType: constant('STAC id'),
    },
    relatedIdentifiers: [
      ...at('sci:publications.doi').map(each => ({
        each,
        relatedIdentifier: '.',
        relatedIdentifierType: constant('DOI'),
        relationType: constant('IsReferencedBy'),
      })),
      ...Object.entries({ derived_from: 'IsDerivedFrom', collection: 'IsPartOf' }).map(([rel, type]) => ({
        each: 'links',
        where: { rel },
        relatedIdentifier: 'href',
        relationType: constant(type),
      })),
    ],
    version: { first: at('version') },
    rightsList: {
      first: [
        ...at('license').map(each => ({
          each,
          where: { '.': { not: ['proprietary', 'various', 'other'] } },
          rights: '.',
        })),
        { each: 'links', where: { rel: 'license' }, rights: { first: ['title', 'href'] }, rightsUri: 'href' },
      ],
    },
    descriptions: at('description'),
    geoLocations: ['bbox', 'extent.spatial.bbox'].flatMap(boxes),
  },
}
