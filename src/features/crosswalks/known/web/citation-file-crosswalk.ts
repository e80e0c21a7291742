import type { KnownSchema } from '../document-facts.js'

/*
 * The Citation File Format, as JSON.
 */

const constant = (text: string) => ({ constant: text })

const family = { join: ['name-particle', 'family-names', 'name-suffix'], with: ' ' }
const agent = {
  name: { first: [{ join: [family, 'given-names'], with: ', ' }, 'alias'] },
  givenName: 'given-names',
  familyName: family,
  nameIdentifiers: { each: 'orcid', nameIdentifier: '.' },
  affiliation: 'affiliation',
}

/** An agent with a name is an entity, such as a project; persons have family names. */
const agents = (each: string, more: object = {}) => ({
  each,
  first: [
    {
      each: '.',
      where: { name: true },
      ...agent,
      name: 'name',
      nameType: constant('Organizational'),
      ...more,
    },
    { each: '.', ...agent, ...more },
  ],
})

export const citationFile: KnownSchema = {
  name: 'Citation File Format',
  source: 'https://github.com/codemeta/codemeta/blob/master/crosswalks/Citation%20File%20Format%201.2.0.csv',
  schemaId: /^https?:\/\/citation-file-format\.github\.io\//,
  matches: ({ has }) => has('cff-version', 'title'),
  crosswalk: {
    identifier: {
      first: ['doi', { each: 'identifiers', where: { type: 'doi' }, identifier: 'value' }],
    },
    types: {
      resourceTypeGeneral: {
        first: [
          { path: 'type', values: { dataset: 'Dataset', software: 'Software' }, only: true },
          constant('Software'),
        ],
      },
      resourceType: { first: ['type', constant('software')] },
    },
    creators: agents('authors'),
    titles: 'title',
    publicationYear: 'date-released',
    subjects: 'keywords',
    contributors: agents('contact', { contributorType: constant('ContactPerson') }),
    dates: { each: 'date-released', date: '.', dateType: constant('Issued') },
    alternateIdentifiers: {
      each: 'identifiers',
      where: { type: { not: 'doi' } },
      alternateIdentifier: 'value',
      alternateIdentifierType: { path: 'type', values: { swh: 'SWHID', url: 'URL' }, only: true },
    },
    relatedIdentifiers: [
      ...['repository-code', 'repository', 'url', 'repository-artifact'].map(each => ({
        each,
        relatedIdentifier: '.',
        relationType: constant(each === 'url' ? 'IsDescribedBy' : 'IsVersionOf'),
      })),
      ...Object.entries({ 'preferred-citation': 'IsDescribedBy', references: 'References' }).flatMap(
        ([member, relationType]) => [
          {
            each: `${member}.doi`,
            relatedIdentifier: '.',
            relatedIdentifierType: constant('DOI'),
            relationType: constant(relationType),
          },
          {
            each: member,
            where: { doi: false },
            relatedIdentifier: 'url',
            relationType: constant(relationType),
          },
        ],
      ),
    ],
    version: 'version',
    rightsList: {
      first: [[{ each: 'license', rights: '.' }], [{ each: 'license-url', rights: '.' }]],
    },
    descriptions: 'abstract',
  },
}
