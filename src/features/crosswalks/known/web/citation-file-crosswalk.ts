import type { KnownSchema } from '../known-schema.js'

/*
 * The Citation File Format, as JSON.
 */

const constant = (text: string) => ({ constant: text })

export const citationFile: KnownSchema = {
  name: 'Citation File Format',
  source: 'https://github.com/citation-file-format/citation-file-format/blob/main/schema-guide.md',
  matches: ({ has }) => has('cff-version', 'title'),
  crosswalk: {
    identifier: {
      first: ['doi', { each: 'identifiers', where: { type: 'doi' }, identifier: 'value' }],
    },
    types: {
      resourceTypeGeneral: {
        first: [{ path: 'type', values: { dataset: 'Dataset', software: 'Software' } }, constant('Software')],
      },
      resourceType: { first: ['type', constant('software')] },
    },
    creators: {
      each: 'authors',
      name: { first: ['name', { join: ['family-names', 'given-names'], with: ', ' }] },
      givenName: 'given-names',
      familyName: { first: [{ join: ['name-particle', 'family-names'], with: ' ' }] },
      nameIdentifiers: { each: 'orcid', nameIdentifier: '.' },
      affiliation: 'affiliation',
    },
    titles: 'title',
    publicationYear: 'date-released',
    subjects: 'keywords',
    contributors: {
      each: 'contact',
      name: { first: ['name', { join: ['family-names', 'given-names'], with: ', ' }] },
      givenName: 'given-names',
      familyName: 'family-names',
      nameIdentifiers: { each: 'orcid', nameIdentifier: '.' },
      affiliation: 'affiliation',
      contributorType: constant('ContactPerson'),
    },
    dates: { each: 'date-released', date: '.', dateType: constant('Issued') },
    alternateIdentifiers: {
      each: 'identifiers',
      where: { type: { not: 'doi' } },
      alternateIdentifier: 'value',
      alternateIdentifierType: 'type',
    },
    relatedIdentifiers: ['repository-code', 'repository', 'url', 'repository-artifact'].map(each => ({
      each,
      relatedIdentifier: '.',
      relationType: constant(each === 'url' ? 'IsDescribedBy' : 'IsVersionOf'),
    })),
    version: 'version',
    rightsList: {
      first: [[{ each: 'license', rights: '.' }], [{ each: 'license-url', rights: '.' }]],
    },
    descriptions: 'abstract',
  },
}
