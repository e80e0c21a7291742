import type { KnownSchema } from '../known-schema.js'

/*
 * STAC: catalogues of images of the earth.
 */

const constant = (text: string) => ({ constant: text })

/** Two numbers of the extent of space of a collection, or of the box of an item. */
const box = (at: string, is3d: boolean) => ({
  where: { [`${at}[4]`]: is3d ? true : null },
  geoLocationBox: {
    westBoundLongitude: `${at}[0]`,
    southBoundLatitude: `${at}[1]`,
    eastBoundLongitude: `${at}[${is3d ? 3 : 2}]`,
    northBoundLatitude: `${at}[${is3d ? 4 : 3}]`,
  },
})

export const stac: KnownSchema = {
  name: 'STAC',
  source: 'https://github.com/radiantearth/stac-spec/tree/master/best-practices.md',
  matches: ({ has }) => has('stac_version'),
  crosswalk: {
    identifier: { first: ['sci:doi', 'properties.sci:doi'] },
    types: {
      resourceTypeGeneral: {
        first: [
          { path: 'type', values: { Collection: 'Collection', Catalog: 'Collection', Feature: 'Dataset' } },
        ],
      },
      resourceType: {
        path: 'type',
        values: { Collection: 'STAC collection', Catalog: 'STAC catalog', Feature: 'STAC item' },
      },
    },
    creators: {
      first: [
        ['providers', 'properties.providers'].map(each => ({
          each,
          where: { roles: 'producer' },
          name: 'name',
          nameType: constant('Organizational'),
        })),
        ['providers', 'properties.providers'].map(each => ({
          each,
          name: 'name',
          nameType: constant('Organizational'),
        })),
      ],
    },
    titles: { title: { first: ['title', 'properties.title', 'id'] } },
    publisher: {
      first: ['providers', 'properties.providers'].flatMap(each => [
        { each, where: { roles: 'host' }, name: 'name' },
        { each, name: 'name' },
      ]),
    },
    publicationYear: { first: ['properties.published', 'properties.created', 'properties.datetime'] },
    subjects: ['keywords', 'properties.keywords'],
    dates: [
      { each: 'properties.created', date: '.', dateType: constant('Created') },
      { each: 'properties.updated', date: '.', dateType: constant('Updated') },
      { each: 'properties.published', date: '.', dateType: constant('Issued') },
      { each: 'properties.datetime', date: '.', dateType: constant('Collected') },
      {
        each: 'properties',
        where: { start_datetime: true },
        date: { join: ['start_datetime', 'end_datetime'], with: '/' },
        dateType: constant('Collected'),
      },
      {
        each: 'extent.temporal',
        where: { 'interval[2]': null },
        date: { join: ['interval[0]', 'interval[1]'], with: '/' },
        dateType: constant('Collected'),
      },
    ],
    alternateIdentifiers: {
      each: 'id',
      alternateIdentifier: '.',
      alternateIdentifierType: constant('STAC id'),
    },
    relatedIdentifiers: ['sci:publications.doi', 'properties.sci:publications.doi'].map(each => ({
      each,
      relatedIdentifier: '.',
      relationType: constant('IsReferencedBy'),
    })),
    formats: 'assets.data.type',
    version: { first: ['version', 'properties.version'] },
    rightsList: {
      first: ['license', 'properties.license'].map(each => ({
        each,
        where: { '.': { not: ['proprietary', 'various', 'other'] } },
        rights: '.',
      })),
    },
    descriptions: ['description', 'properties.description'],
    geoLocations: ['bbox', 'extent.spatial.bbox'].flatMap(at => [box(at, false), box(at, true)]),
  },
}
