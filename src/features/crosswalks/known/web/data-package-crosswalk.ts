import type { KnownSchema } from '../document-facts.js'

/*
 * Frictionless data packages: version 1 with one role of a contributor, version 2 with several; and members of drafts
 * before version 1, and of Camtrap DP.
 */

const constant = (text: string) => ({ constant: text })

const contributor = {
  name: { first: ['title', { join: ['familyName', 'givenName'], with: ', ' }, 'name'] },
  givenName: { first: ['givenName', 'firstName'] },
  familyName: { first: ['familyName', 'lastName'] },
  nameIdentifiers: { each: 'path', nameIdentifier: '.' },
  affiliation: 'organization',
}

/** Contributors with one of these roles. */
const withRole = (roles: readonly string[], more: object) =>
  ['role', 'roles'].map(member => ({ each: 'contributors', where: { [member]: roles }, ...more }))

const roleTypes: readonly (readonly [roles: readonly string[], contributorType: string])[] = [
  [['contact', 'maintainer', 'contactPerson'], 'ContactPerson'],
  [['wrangler', 'dataCurator'], 'DataCurator'],
  [['rightsHolder'], 'RightsHolder'],
  [['principalInvestigator', 'projectLeader'], 'ProjectLeader'],
  [['distributor'], 'Distributor'],
  [['funder', 'sponsor'], 'Sponsor'],
  [['contributor', 'other'], 'Other'],
]

export const dataPackage: KnownSchema = {
  name: 'Frictionless data package',
  source: 'https://datapackage.org/standard/data-package/',
  schemaId:
    /^https?:\/\/(?:datapackage\.org\/profiles\/|specs\.frictionlessdata\.io\/schemas\/|frictionlessdata\.io\/schemas\/)[^#]*\bdata-?package\b/,
  matches: ({ has, texts }) =>
    texts('$schema').some(text => /\/datapackage\.json$|datapackage\.org/.test(text)) ||
    texts('profile').some(text => /data-?package|camtrap-dp/.test(text)) ||
    (has('name', 'resources') && (has('resources.path') || has('resources.data'))) ||
    has('resources.path', 'resources.schema.fields'),
  crosswalk: {
    identifier: 'id',
    types: { resourceTypeGeneral: constant('Dataset'), resourceType: constant('Data package') },
    creators: withRole(['author', 'creator'], contributor),
    titles: { title: { first: ['title', 'name'] } },
    publisher: { first: withRole(['publisher'], { name: 'title' }) },
    publicationYear: 'created',
    subjects: 'keywords',
    contributors: [
      ...roleTypes.flatMap(([roles, type]) =>
        withRole(roles, { ...contributor, contributorType: constant(type) }),
      ),
      {
        each: 'contributors',
        where: { role: false, roles: false },
        ...contributor,
        contributorType: constant('Other'),
      },
    ],
    dates: [
      { each: 'created', date: '.', dateType: constant('Created') },
      { each: 'last_updated', date: '.', dateType: constant('Updated') },
      { each: 'temporal', date: { join: ['start', 'end'], with: '/' }, dateType: constant('Collected') },
    ],
    relatedIdentifiers: [
      { each: 'homepage', relatedIdentifier: '.', relationType: constant('IsDescribedBy') },
      { each: 'sources.path', relatedIdentifier: '.', relationType: constant('IsDerivedFrom') },
    ],
    formats: { first: ['resources.mediatype', 'resources.format'] },
    version: 'version',
    rightsList: ['licenses', 'license'].map(each => ({
      each,
      rights: { first: ['title', 'name', 'type', 'path', 'url', '.'] },
      rightsUri: { first: ['path', 'url'] },
    })),
    descriptions: 'description',
  },
}
