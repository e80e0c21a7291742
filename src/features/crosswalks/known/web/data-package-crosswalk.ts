import type { KnownSchema } from '../known-schema.js'

/*
 * Frictionless data packages.
 */

const constant = (text: string) => ({ constant: text })

export const dataPackage: KnownSchema = {
  name: 'Frictionless data package',
  source: 'https://datapackage.org/standard/data-package/',
  matches: ({ has, texts }) =>
    texts('$schema').some(text => /datapackage\.(?:json|org)/.test(text)) ||
    texts('profile').some(text => /data-package/.test(text)) ||
    (has('resources', 'name') && has('licenses')),
  crosswalk: {
    identifier: 'id',
    types: { resourceTypeGeneral: constant('Dataset'), resourceType: constant('Data package') },
    creators: {
      first: [
        [{ each: 'contributors', where: { role: ['author', 'creator'] }, ...contributor() }],
        [{ each: 'contributors', where: { roles: ['author', 'creator'] }, ...contributor() }],
        [{ each: 'contributors', where: { role: null, roles: null }, ...contributor() }],
      ],
    },
    titles: { title: { first: ['title', 'name'] } },
    publisher: {
      first: [{ each: 'contributors', where: { role: 'publisher' }, name: 'title' }],
    },
    publicationYear: 'created',
    subjects: 'keywords',
    contributors: [
      ...Object.entries({
        maintainer: 'ContactPerson',
        wrangler: 'DataCurator',
        contributor: 'Other',
      }).map(([role, type]) => ({
        each: 'contributors',
        where: { role },
        ...contributor(),
        contributorType: constant(type),
      })),
    ],
    dates: { each: 'created', date: '.', dateType: constant('Created') },
    relatedIdentifiers: [
      { each: 'homepage', relatedIdentifier: '.', relationType: constant('IsDescribedBy') },
      { each: 'sources.path', relatedIdentifier: '.', relationType: constant('IsDerivedFrom') },
    ],
    formats: ['resources.mediatype', 'resources.format'],
    version: 'version',
    rightsList: {
      each: 'licenses',
      rights: { first: ['title', 'name', 'path'] },
      rightsUri: 'path',
    },
    descriptions: 'description',
  },
}

function contributor() {
  return {
    name: { first: ['title', { join: ['familyName', 'givenName'], with: ', ' }] },
    givenName: 'givenName',
    familyName: 'familyName',
    nameIdentifiers: { each: 'path', nameIdentifier: '.' },
    affiliation: 'organization',
  }
}
