import { eachText, type KnownSchema } from '../document-facts.js'
import { languageAt } from '../languages.js'

/*
 * JATS: articles of journals. Authors have their affiliations inside, or refer to them.
 */

const constant = (text: string) => ({ constant: text })

const meta = 'article.front.article-meta'
const journal = 'article.front.journal-meta'

/** A part of a name, which is written in one of these elements. */
const namePart = (part: string) => ({
  first: ['name', 'name-alternatives.name', 'string-name'].map(name => `${name}.${part}`),
})
const family = namePart('surname')
const given = namePart('given-names')
/** A department may stand before its institution. */
const affiliationAt = (at: string) => ({
  each: 'aff',
  name: {
    first: [
      ...['institution', 'institution-wrap.institution'].map(path => ({
        path: at + path,
        where: { '@content-type': false },
      })),
      ...['institution', 'institution-wrap.institution', '#text', 'addr-line'].map(path => at + path),
    ],
  },
  affiliationIdentifier: {
    path: `${at}institution-wrap.institution-id`,
    where: { '@institution-id-type': 'ror' },
  },
})
const agent = {
  nameIdentifiers: { each: 'contrib-id', nameIdentifier: '.' },
  affiliation: [
    affiliationAt(''),
    { ...affiliationAt('@rid.#target.'), each: 'xref', where: { '@ref-type': 'aff' } },
  ],
}
const person = {
  ...agent,
  name: {
    first: [{ join: [family, given], with: ', ' }, 'string-name', 'name-alternatives.string-name'],
  },
  givenName: given,
  familyName: family,
}
const group = {
  ...agent,
  name: { first: ['collab.institution', 'collab.#text'] },
  nameType: constant('Organizational'),
}
/** Elements inside of a title whose text is a part of it. */
const inlineElements = ['italic', 'bold', 'sub', 'sup', 'sc', 'monospace', 'named-content', 'styled-content']
/** People and groups in their order. */
const contribs = (type: string | false, more: object = {}) => ({
  each: `${meta}.contrib-group.contrib`,
  first: [person, group].map(rule => ({ each: '.', where: { '@contrib-type': type }, ...rule, ...more })),
})

/** Two digits for the months and days that are written with one. */
const twoDigits = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [index + 1, `0${index + 1}`]))
const monthNames =
  'january february march april may june july august september october november december'.split(' ')
const months = {
  ...twoDigits,
  ...Object.fromEntries(
    monthNames.flatMap((name, index) =>
      [name, name.slice(0, 3)].map(form => [form, String(index + 1).padStart(2, '0')]),
    ),
  ),
}
const dateAt = (at: string) => ({
  first: [
    `${at}@iso-8601-date`,
    {
      join: [`${at}year`, { path: `${at}month`, values: months }, { path: `${at}day`, values: twoDigits }],
      with: '-',
    },
    `${at}year`,
  ],
})
const dated = (each: string, where: object, dateType: string) => ({
  each,
  where,
  date: dateAt(''),
  dateType: constant(dateType),
})
const published = ['pub', 'published', 'epub']
const onWeb = ['electronic', 'online']
/**
 * Dates of publication: those on the web first, then those of an issue, then those of print. Before version 1.2, the type
 * of a date also says the medium. The date of an archive counts only where there is no other. The year of publication is
 * the earliest one of these dates.
 * @see https://jats.nlm.nih.gov/publishing/tag-library/1.3/element/pub-date.html
 */
const publications = [
  ...[
    { '@pub-type': ['epub', 'epub-ppub'] },
    { '@date-type': published, '@publication-format': onWeb },
    { '@date-type': published, '@publication-format': false },
    { '@pub-type': ['pub', 'collection'] },
    { '@date-type': 'collection' },
    { '@pub-type': 'ppub' },
    { '@date-type': published, '@publication-format': { not: onWeb } },
    { '@pub-type': false, '@date-type': false },
  ].map(where => dated(`${meta}.pub-date`, where, 'Issued')),
  {
    each: meta,
    where: {
      'pub-date.@pub-type': { not: ['epub', 'epub-ppub', 'pub', 'collection', 'ppub'] },
      'pub-date.@date-type': { not: [...published, 'collection'] },
    },
    date: dateAt('pub-date[0].'),
    dateType: constant('Issued'),
  },
]
/** The text of an abstract without its own identifier and its heading, such as `Abstract`. */
const abstractText = {
  first: [
    { path: '.', where: { 'object-id': false, title: false } },
    {
      join: ['sec', 'p'].flatMap(part => [0, 1, 2, 3, 4, 5].map(index => `${part}[${index}]`)),
      with: '\n\n',
    },
  ],
}
const jatsCrosswalk = {
  identifier: { each: `${meta}.article-id`, where: { '@pub-id-type': 'doi' }, identifier: '.' },
  types: {
    first: [
      // Of documents that are neither in a journal nor of a type.
      {
        where: { [journal]: false, 'article.@article-type': false },
        resourceTypeGeneral: constant('Text'),
        resourceType: constant('Article'),
      },
      {
        resourceTypeGeneral: {
          first: [
            {
              path: 'article.@article-type',
              values: { preprint: 'Preprint', 'data-paper': 'DataPaper' },
              only: true,
            },
            // Servers of preprints give them the type of an article.
            {
              path: `${journal}.journal-id`,
              values: { bioRxiv: 'Preprint', medRxiv: 'Preprint' },
              only: true,
            },
            constant('JournalArticle'),
          ],
        },
        resourceType: { first: ['article.@article-type', constant('Article')] },
      },
    ],
  },
  creators: {
    first: [contribs('author'), contribs(false)],
  },
  titles: [
    {
      first: [
        // The mark of a footnote is no part of the title.
        {
          each: `${meta}.title-group.article-title`,
          where: { xref: true, ...Object.fromEntries(inlineElements.map(name => [name, false])) },
          title: '#text',
          lang: languageAt('@lang'),
        },
        { each: `${meta}.title-group.article-title`, title: '.', lang: languageAt('@lang') },
      ],
    },
    { each: `${meta}.title-group.subtitle`, title: '.', titleType: constant('Subtitle') },
    {
      each: `${meta}.title-group.trans-title-group`,
      title: 'trans-title',
      lang: languageAt('@lang'),
      titleType: constant('TranslatedTitle'),
    },
    {
      each: `${meta}.title-group.trans-title-group`,
      title: 'trans-subtitle',
      lang: languageAt('@lang'),
      titleType: constant('Subtitle'),
    },
  ],
  publisher: { first: [`${journal}.publisher.publisher-name`] },
  subjects: [
    {
      each: `${meta}.kwd-group`,
      where: { '@kwd-group-type': { not: ['abbreviations', 'abbr'] } },
      subject: eachText('kwd'),
      lang: languageAt('@lang'),
    },
    {
      each: `${meta}.article-categories.subj-group`,
      where: { '@subj-group-type': { not: ['heading', 'display-channel', 'article-type', 'author-type'] } },
      subject: eachText('subject'),
    },
  ],
  contributors: Object.entries({ editor: 'Editor', translator: 'Translator' }).map(([type, of]) =>
    contribs(type, { contributorType: constant(of) }),
  ),
  dates: [
    ...publications,
    dated(`${meta}.history.date`, { '@date-type': 'received' }, 'Submitted'),
    dated(`${meta}.history.date`, { '@date-type': 'accepted' }, 'Accepted'),
  ],
  language: languageAt('article.@lang'),
  alternateIdentifiers: {
    each: `${meta}.article-id`,
    where: { '@pub-id-type': { not: 'doi' } },
    alternateIdentifier: '.',
    alternateIdentifierType: { path: '@pub-id-type', values: { pmid: 'PMID', pmc: 'PMCID', pmcid: 'PMCID' } },
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
  descriptions: [
    ...['abstract', 'trans-abstract'].map(element => ({
      each: `${meta}.${element}`,
      where: { '@abstract-type': false },
      description: abstractText,
      lang: languageAt('@lang'),
      descriptionType: constant('Abstract'),
    })),
    {
      each: `${meta}.abstract`,
      where: {
        '@abstract-type': ['summary', 'executive-summary', 'plain-language-summary', 'short', 'teaser'],
      },
      description: abstractText,
      lang: languageAt('@lang'),
      descriptionType: constant('Other'),
    },
  ],
  // An entry for each number of an award.
  fundingReferences: [0, 1, 2, 3].map(index => ({
    each: `${meta}.funding-group.award-group`,
    where: index === 0 ? {} : { [`award-id[${index}]`]: true },
    funderName: {
      first: ['funding-source.institution-wrap.institution', 'funding-source.institution', 'funding-source'],
    },
    funderIdentifier: 'funding-source.institution-wrap.institution-id',
    awardNumber: `award-id[${index}]`,
  })),
}

export const jatsSchemas: readonly KnownSchema[] = [
  {
    name: 'JATS',
    source: 'https://jats.nlm.nih.gov/publishing/tag-library/1.3/element/article-meta.html',
    matches: ({ element, hasElement }) =>
      element?.local === 'article' &&
      /^(?:https?:\/\/jats\.nlm\.nih\.gov.*)?$/.test(element.namespace) &&
      hasElement('article.front'),
    crosswalk: jatsCrosswalk,
  },
]
