import { type KnownSchema, xmlRoot } from '../known-schema.js'

/*
 * JATS: articles of journals.
 */

const constant = (text: string) => ({ constant: text })

const meta = 'article.front.article-meta'
const journal = 'article.front.journal-meta'
const person = {
  name: {
    first: [
      { join: ['name.surname', 'name.given-names'], with: ', ' },
      { join: ['name-alternatives.name.surname', 'name-alternatives.name.given-names'], with: ', ' },
      'string-name',
      'collab',
    ],
  },
  givenName: { first: ['name.given-names', 'name-alternatives.name.given-names'] },
  familyName: { first: ['name.surname', 'name-alternatives.name.surname'] },
  nameIdentifiers: {
    each: 'contrib-id',
    nameIdentifier: '.',
    nameIdentifierScheme: { path: '@contrib-id-type', values: { orcid: 'ORCID' } },
  },
  affiliation: { each: 'aff', name: { first: ['institution', 'institution-wrap.institution', '.'] } },
}
const date = (type: readonly string[], dateType: string) =>
  ['@pub-type', '@date-type'].map(attribute => ({
    each: `${meta}.pub-date`,
    where: { [attribute]: type },
    date: { first: ['@iso-8601-date', { join: ['year', 'month', 'day'], with: '-' }, 'year'] },
    dateType: constant(dateType),
  }))

const jatsCrosswalk = {
  identifier: { each: `${meta}.article-id`, where: { '@pub-id-type': 'doi' }, identifier: '.' },
  types: {
    resourceTypeGeneral: constant('JournalArticle'),
    resourceType: { first: ['article.@article-type', { constant: 'Article' }] },
  },
  creators: {
    first: [
      [{ each: `${meta}.contrib-group.contrib`, where: { '@contrib-type': 'author' }, ...person }],
      [{ each: `${meta}.contrib-group.contrib`, ...person }],
    ],
  },
  titles: [
    { each: `${meta}.title-group.article-title`, title: '.', lang: { first: ['@lang'] } },
    { each: `${meta}.title-group.subtitle`, title: '.', titleType: constant('Subtitle') },
    {
      each: `${meta}.title-group.trans-title-group`,
      title: 'trans-title',
      lang: '@lang',
      titleType: constant('TranslatedTitle'),
    },
  ],
  publisher: { first: [`${journal}.publisher.publisher-name`] },
  publicationYear: { first: [`${meta}.pub-date.year`] },
  subjects: [
    { each: `${meta}.kwd-group.kwd`, subject: '.' },
    { each: `${meta}.article-categories.subj-group.subject`, subject: '.' },
  ],
  contributors: {
    each: `${meta}.contrib-group.contrib`,
    where: { '@contrib-type': 'editor' },
    ...person,
    contributorType: constant('Editor'),
  },
  dates: [
    ...date(['epub', 'ppub', 'pub', 'epub-ppub', 'collection'], 'Issued'),
    ...['received', 'accepted'].map(type => ({
      each: `${meta}.history.date`,
      where: { '@date-type': type },
      date: { first: ['@iso-8601-date', { join: ['year', 'month', 'day'], with: '-' }, 'year'] },
      dateType: constant(type === 'received' ? 'Submitted' : 'Accepted'),
    })),
  ],
  language: { first: ['article.@lang'] },
  alternateIdentifiers: {
    each: `${meta}.article-id`,
    where: { '@pub-id-type': { not: 'doi' } },
    alternateIdentifier: '.',
    alternateIdentifierType: '@pub-id-type',
  },
  relatedItems: {
    each: 'article.front',
    titles: {
      first: ['journal-title-group.journal-title', 'journal-title'].map(name => `journal-meta.${name}`),
    },
    relatedItemType: constant('Journal'),
    relationType: constant('IsPublishedIn'),
    relatedItemIdentifier: {
      each: 'journal-meta.issn[0]',
      relatedItemIdentifier: '.',
      relatedItemIdentifierType: constant('ISSN'),
    },
    volume: 'article-meta.volume',
    issue: 'article-meta.issue',
    firstPage: { first: ['article-meta.fpage', 'article-meta.elocation-id'] },
    lastPage: 'article-meta.lpage',
  },
  rightsList: {
    each: `${meta}.permissions.license`,
    rights: { first: ['@href', 'license_ref', 'license-p.ext-link.@href', 'license-p'] },
    rightsUri: { first: ['@href', 'license_ref', 'license-p.ext-link.@href'] },
  },
  descriptions: {
    each: `${meta}.abstract`,
    description: '.',
    lang: '@lang',
    descriptionType: constant('Abstract'),
  },
  fundingReferences: {
    each: `${meta}.funding-group.award-group`,
    funderName: {
      first: ['funding-source.institution-wrap.institution', 'funding-source.institution', 'funding-source'],
    },
    funderIdentifier: 'funding-source.institution-wrap.institution-id',
    awardNumber: 'award-id',
  },
}

export const jatsSchemas: readonly KnownSchema[] = [
  {
    name: 'JATS',
    source: 'https://jats.nlm.nih.gov/publishing/tag-library/1.3/',
    matches: xmlRoot(/^(?:https?:\/\/jats\.nlm\.nih\.gov.*)?$/, 'article'),
    crosswalk: jatsCrosswalk,
  },
]
