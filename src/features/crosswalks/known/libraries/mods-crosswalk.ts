import { eachText, type KnownSchema, xmlRoot } from '../document-facts.js'
import { languageAt } from '../languages.js'

/*
 * MODS 3.
 */

const constant = (text: string) => ({ constant: text })
type Rules = Readonly<Record<string, unknown>>

const resourceTypes = {
  text: 'Text',
  cartographic: 'Image',
  'notated music': 'Other',
  'sound recording': 'Sound',
  'sound recording-musical': 'Sound',
  'sound recording-nonmusical': 'Sound',
  'still image': 'Image',
  'moving image': 'Audiovisual',
  'three dimensional object': 'PhysicalObject',
  'software, multimedia': 'Software',
  'mixed material': 'Other',
  dataset: 'Dataset',
}
/** Genres of texts that have no `typeOfResource`. */
const genres = {
  article: 'JournalArticle',
  'journal article': 'JournalArticle',
  book: 'Book',
  'book chapter': 'BookChapter',
  dissertation: 'Dissertation',
  thesis: 'Dissertation',
  report: 'Report',
}

const part = (type: string | false) => ({ path: 'namePart', where: { '@type': type } })
/** A corporate body with its units, of which each has a part. */
const untyped = {
  join: [0, 1, 2].map(index => ({ path: `namePart[${index}]`, where: { '@type': false } })),
  with: ' ',
}
const nameSchemes = { orcid: 'ORCID', isni: 'ISNI', viaf: 'VIAF', gnd: 'GND', wikidata: 'Wikidata' }
const agent = {
  name: { first: [{ join: [part('family'), part('given')], with: ', ' }, untyped, 'displayForm'] },
  nameType: {
    path: '@type',
    only: true,
    values: { personal: 'Personal', corporate: 'Organizational', conference: 'Organizational' },
  },
  givenName: part('given'),
  familyName: part('family'),
  nameIdentifiers: [
    {
      each: 'nameIdentifier',
      nameIdentifier: '.',
      nameIdentifierScheme: { path: '@type', values: nameSchemes },
    },
    { each: '@valueURI', nameIdentifier: '.' },
  ],
  affiliation: 'affiliation',
}

/** Roles by their names and MARC codes. @see https://id.loc.gov/vocabulary/relators.html */
const creatorRoles = [
  ...['creator', 'cre', 'author', 'aut', 'artist', 'art', 'composer', 'cmp', 'photographer', 'pht'],
  ...['cartographer', 'ctg', 'originator', 'org', 'verfasser', 'urheber'],
].flatMap(withFullStop)
/** Roles that were converted from MARC end with a full stop. */
function withFullStop(role: string): readonly string[] {
  return [role, `${role}.`]
}
const contributorTypes = {
  editor: 'Editor',
  edt: 'Editor',
  translator: 'Translator',
  trl: 'Translator',
  'thesis advisor': 'Supervisor',
  ths: 'Supervisor',
  'degree supervisor': 'Supervisor',
  advisor: 'Supervisor',
  supervisor: 'Supervisor',
  promoter: 'Supervisor',
  promotor: 'Supervisor',
  dgs: 'Supervisor',
  researcher: 'Researcher',
  res: 'Researcher',
  'data manager': 'DataManager',
  dtm: 'DataManager',
  sponsor: 'Sponsor',
  spn: 'Sponsor',
  distributor: 'Distributor',
  dst: 'Distributor',
  'copyright holder': 'RightsHolder',
  cph: 'RightsHolder',
  contributor: 'Other',
  ctb: 'Other',
  illustrator: 'Other',
  ill: 'Other',
  other: 'Other',
  oth: 'Other',
}
const contributorRoles = Object.fromEntries(
  Object.entries(contributorTypes).flatMap(([role, type]) => withFullStop(role).map(form => [form, type])),
)

/** The addresses of roles with MARC codes, for names that have them in place of texts. */
const addressesOf = (roles: readonly string[]) =>
  roles.filter(role => /^[a-z]{3}$/.test(role)).map(role => `http://id.loc.gov/vocabulary/relators/${role}`)
const creatorAddresses = addressesOf(creatorRoles)
const contributorAddresses = Object.fromEntries(
  Object.entries(contributorTypes).flatMap(([role, type]) =>
    addressesOf([role]).map(address => [address, type]),
  ),
)
const roleText = 'role.roleTerm'
const roleAddress = 'role.roleTerm.@valueURI'
const knownRoles = [...creatorRoles, ...Object.keys(contributorRoles)]

function agentRules(at: string): Rules {
  const name = (where: object, more: object = {}) => ({ each: '.', where, ...agent, ...more })
  // The names stay in their order, whatever says their roles.
  const names = (...first: readonly object[]) => ({ each: `${at}.name`, first })
  return {
    creators: {
      first: [
        names(
          name({ [roleText]: creatorRoles }),
          name({ [roleText]: { not: knownRoles }, [roleAddress]: creatorAddresses }),
        ),
        names(name({ '@usage': 'primary', role: false })),
        names(name({ role: false })),
      ],
    },
    publisher: { first: [`${at}.originInfo.publisher`, `${at}.originInfo.agent.namePart`] },
    contributors: names(
      name(
        { [roleText]: Object.keys(contributorRoles) },
        { contributorType: { path: roleText, values: contributorRoles, only: true } },
      ),
      name(
        { role: true, [roleText]: { not: knownRoles }, [roleAddress]: { not: creatorAddresses } },
        {
          contributorType: {
            first: [{ path: roleAddress, values: contributorAddresses, only: true }, constant('Other')],
          },
        },
      ),
    ),
  }
}

const dateTypes = {
  dateIssued: 'Issued',
  dateCreated: 'Created',
  copyrightDate: 'Copyrighted',
  dateCaptured: 'Collected',
  dateValid: 'Valid',
  dateModified: 'Updated',
}

/** Single dates, and pairs of a start and an end. */
function dateRules(at: string): Rules {
  return {
    publicationYear: {
      first: ['dateIssued', 'copyrightDate', 'dateCreated'].map(name => `${at}.originInfo.${name}`),
    },
    dates: Object.entries(dateTypes).flatMap(([element, dateType]) => [
      {
        each: `${at}.originInfo.${element}`,
        where: { '@point': false },
        date: '.',
        dateType: constant(dateType),
      },
      {
        each: `${at}.originInfo`,
        where: { [`${element}.@point`]: true },
        date: {
          join: ['start', 'end'].map(point => ({ path: element, where: { '@point': point } })),
          with: '/',
        },
        dateType: constant(dateType),
      },
    ]),
  }
}

const titled = {
  title: { first: [{ join: ['nonSort', 'title', 'partNumber', 'partName'], with: ' ' }, '#text'] },
}

function textRules(at: string): Rules {
  const lang = languageAt('@lang')
  const text = (element: string, descriptionType: string, where: object = {}) => ({
    each: `${at}.${element}`,
    where,
    description: '.',
    lang,
    descriptionType: constant(descriptionType),
  })
  return {
    titles: [
      { each: `${at}.titleInfo`, where: { '@type': false }, ...titled, lang },
      { each: `${at}.titleInfo.subTitle`, title: '.', titleType: constant('Subtitle') },
      ...Object.entries({
        alternative: 'AlternativeTitle',
        abbreviated: 'AlternativeTitle',
        uniform: 'AlternativeTitle',
        translated: 'TranslatedTitle',
      }).map(([type, titleType]) => ({
        each: `${at}.titleInfo`,
        where: { '@type': type },
        ...titled,
        lang,
        titleType: constant(titleType),
      })),
    ],
    // The parts of a subject have a vocabulary together, or each has its own address.
    subjects: [
      ...['topic', 'geographic', 'temporal', 'titleInfo.title', 'name.namePart', 'genre'].flatMap(name => [
        {
          each: `${at}.subject`,
          subject: { ...eachText(name), where: { '@type': false, '@valueURI': false } },
          subjectScheme: { first: ['@authority', `${name}.@authority`] },
        },
        {
          each: `${at}.subject.${name}`,
          where: { '@type': false, '@valueURI': true },
          subject: '.',
          subjectScheme: '@authority',
          valueUri: '@valueURI',
        },
      ]),
      { each: `${at}.classification`, subject: '.', subjectScheme: '@authority', valueUri: '@valueURI' },
    ],
    language: {
      first: [{ '@type': 'code' }, {}].map(where => ({
        ...languageAt(`${at}.language.languageTerm`),
        where,
      })),
    },
    descriptions: [
      text('abstract', 'Abstract'),
      text('tableOfContents', 'TableOfContents'),
      text('note', 'Other', { '@type': false }),
    ],
    rightsList: {
      each: `${at}.accessCondition`,
      where: { '@type': { not: ['restriction on access', 'restrictionOnAccess'] } },
      // Elements inside belong to systems of rights.
      rights: { first: ['#text', '@href'] },
      rightsUri: { first: ['@href', '#text'] },
      lang,
    },
    geoLocations: [
      { each: `${at}.subject.geographic`, geoLocationPlace: '.' },
      {
        each: `${at}.subject.hierarchicalGeographic`,
        geoLocationPlace: { first: ['city', 'region', 'state', 'country'] },
      },
    ],
  }
}

/** Types of identifiers that are good for any resource, with the names of DataCite where the form does not tell. */
const persistent = ['doi', 'hdl', 'handle', 'urn', 'ark', 'uri', 'purl']
const identifierTypes = {
  ...Object.fromEntries(['isbn', 'issn', 'doi', 'urn', 'purl'].map(type => [type, type.toUpperCase()])),
  ...{ local: 'Local', hdl: 'Handle', uri: 'URL' },
}
const relations = {
  host: 'IsPartOf',
  series: 'IsPartOf',
  constituent: 'HasPart',
  original: 'IsVariantFormOf',
  otherVersion: 'IsVersionOf',
  otherFormat: 'IsVariantFormOf',
  isReferencedBy: 'IsReferencedBy',
  references: 'References',
  reviewOf: 'Reviews',
  preceding: 'Continues',
  succeeding: 'IsContinuedBy',
}

function identifierRules(at: string): Rules {
  const identifier = (types: readonly string[], more: object = {}) => ({
    each: `${at}.identifier`,
    where: { '@type': types, '@invalid': { not: 'yes' } },
    identifier: '.',
    ...more,
  })
  return {
    identifier: {
      first: [
        identifier(['doi'], { identifierType: constant('DOI') }),
        identifier(['hdl', 'handle'], { identifierType: constant('Handle') }),
        identifier(persistent),
        {
          each: `${at}.location.url`,
          where: { '@usage': ['primary', 'primary display'] },
          identifier: '.',
        },
      ],
    },
    alternateIdentifiers: {
      each: `${at}.identifier`,
      where: { '@invalid': { not: 'yes' } },
      alternateIdentifier: '.',
      alternateIdentifierType: { path: '@type', values: identifierTypes },
    },
    relatedIdentifiers: Object.entries(relations).flatMap(([type, relationType]) => [
      {
        each: `${at}.relatedItem`,
        where: { '@type': type },
        relatedIdentifier: 'identifier[0]',
        relatedIdentifierType: 'identifier[0].@type',
        relationType: constant(relationType),
      },
      ...['location.url', '@href'].map(path => ({
        each: `${at}.relatedItem`,
        where: { '@type': type, identifier: false },
        relatedIdentifier: path,
        relationType: constant(relationType),
      })),
    ]),
  }
}

/** The journal, book or series that a part was published in, by its title. */
function relatedItemRules(at: string): Rules {
  const detail = (type: string) => ({ path: 'part.detail', where: { '@type': type, caption: false } })
  const item = (where: object, relatedItemType: object) => ({
    each: `${at}.relatedItem`,
    where: { 'titleInfo.title': true, ...where },
    titles: 'titleInfo[0].title',
    relatedItemType,
    relationType: constant('IsPartOf'),
    relatedItemIdentifier: {
      each: 'identifier',
      where: { '@type': ['issn', 'isbn', 'doi'] },
      relatedItemIdentifier: '.',
      relatedItemIdentifierType: { path: '@type', values: { issn: 'ISSN', isbn: 'ISBN', doi: 'DOI' } },
    },
    volume: detail('volume'),
    issue: { first: [detail('issue'), detail('number')] },
    firstPage: 'part.extent.start',
    lastPage: 'part.extent.end',
  })
  const ofGenre = {
    path: 'genre',
    values: { journal: 'Journal', periodical: 'Journal', book: 'Book' },
    only: true,
  }
  return {
    relatedItems: [
      item({ '@type': 'host', 'identifier.@type': 'issn' }, constant('Journal')),
      item(
        { '@type': 'host', 'identifier.@type': { not: 'issn' } },
        { first: [ofGenre, constant('Collection')] },
      ),
      item({ '@type': 'series' }, constant('Collection')),
    ],
  }
}

/** The crosswalk of MODS. @param at the path of the element `mods` */
export function modsBelow(at: string): Rules {
  return {
    ...agentRules(at),
    ...dateRules(at),
    ...textRules(at),
    ...identifierRules(at),
    ...relatedItemRules(at),
    types: {
      resourceTypeGeneral: {
        first: [
          { path: `${at}.typeOfResource`, values: resourceTypes, only: true },
          { path: `${at}.genre`, values: genres, only: true },
        ],
      },
      resourceType: { first: [`${at}.genre`, `${at}.typeOfResource`] },
    },
    sizes: `${at}.physicalDescription.extent`,
    formats: `${at}.physicalDescription.internetMediaType`,
    version: `${at}.originInfo.edition`,
  }
}

/** The official mapping to Dublin Core. */
export const modsSource = 'https://www.loc.gov/standards/mods/mods-dcsimple.html'
const namespace = 'http://www.loc.gov/mods/v3'

export const modsSchemas: readonly KnownSchema[] = [
  { name: 'MODS 3', source: modsSource, matches: xmlRoot(namespace, 'mods'), crosswalk: modsBelow('mods') },
  {
    name: 'MODS 3 (collection)',
    source: modsSource,
    matches: xmlRoot(namespace, 'modsCollection'),
    crosswalk: modsBelow('modsCollection.mods[0]'),
  },
]
