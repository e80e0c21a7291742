import type { ParsedUrlQuery } from 'node:querystring'
import { malformedRequest } from '../../../core/problem.js'
import type { Collection } from '../../../core/records/collection.js'
import { type Oid, truncate } from '../../../core/value-types.js'
import { metadataFilterParameters } from '../../../http/parameters/filter-parameters.js'
import { limitParameter, page, pageFrom1, size } from '../../../http/parameters/page-parameters.js'
import {
  flagParameter,
  flagSchema,
  parsedBy,
  repeatedParameter,
  singleParameter,
} from '../../../http/parameters/query-parameters.js'
import { queryParameter } from '../../../http/parameters/request-parameter.js'
import type { ParameterValues } from '../../../http/route-declaration/route.js'
import { type DeclaredNarrowing, type NarrowingField, parseDeclared } from '../requests/narrowed-search.js'
import { maxBuckets, type SortKey } from '../search-engine.js'

/*
 * The parameters of a search.
 * @see docs/use/search.md
 */

export const q = queryParameter(
  'q',
  {
    component: 'q',
    isCut: true,
    description:
      'The query: words, `"phrases"`, `beginning*`, `-without`, `OR`, parentheses, `field:word`, `field:from..until`, ' +
      '`field:*`. Parts that do not follow these rules are searched as words, and `notes` say so. Absent or empty: all ' +
      'records, the newest first.',
    schema: { type: 'string', examples: ['steel instrument.name:SEM year:2020..2024 -draft'] },
  },
  (query, name) => singleParameter(query, name)?.trim() ?? '',
)

/** Fields whose values have no comma, so that commas may separate several values. */
const withoutCommas: readonly NarrowingField[] = ['state', 'year', 'language', 'type']

/** A parameter that filters by a field. Several values are alternatives. */
function narrowingParameter(
  name: Exclude<NarrowingField, 'schema' | 'resource' | 'kind'>,
  what: string,
  example: string,
) {
  const splits = withoutCommas.includes(name)
  return queryParameter(
    name,
    {
      component: `${name}OfRecord`,
      description: `Only records ${what}. Several, repeated${splits ? ' or joined by commas' : ''}, are alternatives.`,
      schema: { type: 'array', items: { type: 'string' }, examples: [[example]] },
      style: 'form',
      explode: true,
    },
    splits ? namesIn : repeatedParameter,
  )
}

/** The values of a parameter that may be repeated and joined by commas. */
function namesIn(query: ParsedUrlQuery, name: string): readonly string[] {
  const values = repeatedParameter(query, name).flatMap(value => value.split(','))
  return [...new Set(values.map(value => value.trim()))].filter(value => value !== '')
}

export const kind = queryParameter(
  'kind',
  {
    component: 'kindOfRecord',
    description:
      'The collections to search: documents with their records, schemas, or `both`. Absent: `metadata`; `both` if the ' +
      'query names the field `kind`.',
    schema: { type: 'string', enum: ['metadata', 'schema', 'both'] },
  },
  (query, name): readonly Collection[] | undefined => {
    const text = singleParameter(query, name)
    if (!text) return undefined
    if (text === 'metadata' || text === 'schema') return [text]
    if (text === 'both') return ['metadata', 'schema']
    throw malformedRequest(`The parameter kind is "${truncate(text)}": write metadata, schema or both.`)
  },
)

/** The search page sends each selected kind as a value. */
const kindOfPage = queryParameter(
  'kind',
  {
    component: 'kindOfPage',
    description: 'Only `metadata`, or only `schema`. Absent: both.',
    schema: { type: 'array', items: { type: 'string', enum: ['metadata', 'schema'] } },
    style: 'form',
    explode: true,
  },
  namesIn,
)

/** The names of fields in the search index that can order the results, by their names in requests. */
const sortFields: ReadonlyMap<string, string> = new Map([
  ['score', 'score'],
  ['lastUpdate', 'updated'],
  ...['id', 'title', 'schema', 'version'].map(name => [name, name] as const),
])

const sort = queryParameter(
  'sort',
  {
    component: 'sortOfSearch',
    description:
      'Order: `score` (best first), `lastUpdate`, `id`, `title`, `schema` (by its id; a schema stands with its documents) or ' +
      '`version`, a comma, and `asc` or `desc`; without it `desc` for `score`, else `asc`. Absent: by score; for a query without words, the latest first.',
    schema: { type: 'string', examples: ['lastUpdate,desc'] },
  },
  (query, name) => {
    const text = singleParameter(query, name)
    return text ? parseSort(text, 'The parameter sort') : undefined
  },
)

/**
 * Parses an order such as `lastUpdate,desc`. Without a direction, `score` is descending and other fields are
 * ascending.
 * @param what names the source of the text in the message
 * @throws ProblemError `malformed-request`
 */
export function parseSort(text: string, what: string): SortKey {
  const [, name = '', order] = /^([A-Za-z]+)(?:,(asc|desc))?$/.exec(text) ?? []
  const field = sortFields.get(name)
  if (field === undefined) {
    throw malformedRequest(
      `${what} is "${truncate(text)}": write score, lastUpdate, id, title, schema or version, and ,asc or ,desc if you like.`,
    )
  }
  return { field, order: (order as SortKey['order']) ?? (field === 'score' ? 'desc' : 'asc') }
}

/** Limit of the facets of one answer: each facet is a query of its own. */
const maxFacets = 20

const facets = queryParameter(
  'facets',
  {
    component: 'facets',
    description:
      'Fields whose values are counted, joined by commas: `schema`, `year`, `state`, `language`, `licence`, `creator`, ' +
      '`subject`, `title`, `type`, `kind`, or a path into the document that a schema declares as a facet. `none` or absent: none. The counts ' +
      'of a field ignore the filter by this field.',
    schema: { type: 'string', examples: ['schema,year'] },
  },
  (query, name) => {
    const names = namesIn(query, name)
    if (names.length === 1 && names[0] === 'none') return []
    if (names.length > maxFacets) {
      throw malformedRequest(
        `The parameter facets has ${names.length} names; at most ${maxFacets} are taken.`,
      )
    }
    // No facet can be named `more`: this member of `facets` in the answer counts the records that are not listed.
    if (!names.includes('more')) return names
    throw malformedRequest(
      'The parameter facets names "more": write document.more for that member of documents.',
    )
  },
)

const facetSizes = { min: 1, usual: 20, max: maxBuckets }
const facetSize = limitParameter(
  'facetSize',
  `Values of each facet. More than ${facetSizes.max} are taken as ${facetSizes.max}; \`more\` counts the rest.`,
  facetSizes,
)

export type HighlightForm = 'true' | 'false' | 'positions'

const highlight = queryParameter(
  'highlight',
  {
    component: 'highlight',
    description:
      '`true`: passages around the hits, as HTML with `<em>`; `positions`: as plain text with positions; `false`: none.',
    schema: { type: 'string', enum: ['true', 'false', 'positions'], default: 'true' },
  },
  (query, name): HighlightForm => {
    const text = singleParameter(query, name) || 'true'
    if (text === 'true' || text === 'false' || text === 'positions') return text
    throw malformedRequest(`The parameter highlight is "${truncate(text)}": write true, false or positions.`)
  },
)

const titles = queryParameter(
  'titles',
  {
    description: 'With `true`, results whose record has no title have that of their document.',
    schema: flagSchema,
  },
  flagParameter,
)

/** Limit of the records of a page with descriptions, whose documents are read. */
export const maxDescribed = 100

const descriptions = queryParameter(
  'descriptions',
  {
    description:
      'With `true`, results have `description`: what the record and its document say about people, year, licence, content ' +
      `and keywords. Such a page has at most ${maxDescribed} records: a larger \`size\` counts as ${maxDescribed}.`,
    schema: flagSchema,
  },
  flagParameter,
)

const mine = queryParameter(
  'mine',
  {
    description:
      'With `true`, only records on which the caller has ADMINISTRATE by name in the access list, such as those that it ' +
      'has created. Without a token: none.',
    schema: flagSchema,
  },
  flagParameter,
)

const since = queryParameter(
  'since',
  {
    component: 'sinceCommit',
    description:
      'The answer reflects this commit or a later one. A program that sends the ETag of its change finds the changed ' +
      'record. 503 if the index does not have the commit within `wait`.',
    schema: { type: 'string', pattern: '^[0-9A-Fa-f]{40}$' },
  },
  parsedBy(parseCommit),
)

/** Parses a commit, which may have the double quotes of an ETag. @throws ProblemError `malformed-request` */
function parseCommit(tag: string): Oid {
  const text = tag.replaceAll('"', '')
  if (/^[0-9a-f]{40}$/i.test(text)) return text.toLowerCase() as Oid
  throw malformedRequest(
    `The parameter since is "${truncate(text)}", not a commit: write the 40 hex digits of the ETag of a change.`,
  )
}

const waits = { min: 0, usual: 0, max: 60 }
const wait = limitParameter(
  'wait',
  `Seconds to wait for the commit \`since\`. More than ${waits.max} are taken as ${waits.max}.`,
  waits,
)

const after = queryParameter(
  'after',
  {
    component: 'afterHit',
    description:
      'Where the page begins: behind this place of the results. The address of the next page in `Link` has it; it is of ' +
      'no use elsewhere.',
    schema: { type: 'string' },
  },
  singleParameter,
)

const declared = queryParameter(
  'declared',
  {
    component: 'declaredValue',
    description:
      'Only records with this value at a path that a schema declares: the path, `=`, and the value as a facet has it. ' +
      'In the path, `%3D` is an equals sign and `%25` a percent sign. Repeated, values of one path are alternatives.',
    schema: { type: 'array', items: { type: 'string' }, examples: [['instrument.name=SEM']] },
    style: 'form',
    explode: true,
  },
  (query, name): readonly DeclaredNarrowing[] => repeatedParameter(query, name).map(parseDeclaredValue),
)

/** Parses a value of the parameter `declared`. @throws ProblemError `malformed-request` */
function parseDeclaredValue(text: string): DeclaredNarrowing {
  const declaredValue = parseDeclared(text)
  if (declaredValue) return declaredValue
  throw malformedRequest(
    `The parameter declared is "${truncate(text)}": write a declared path, = and a value; %3D and %25 are an equals sign and a percent sign of the path.`,
  )
}

const { schemaOfRecord, resourceId, from, until } = metadataFilterParameters

export const narrowingParameters = {
  schemaOfRecord,
  resourceId,
  state: narrowingParameter('state', 'in this state', 'FIXED'),
  year: narrowingParameter('year', 'published in this year, or in these years as `2020..2024`', '2024'),
  language: narrowingParameter('language', 'in this language', 'en'),
  licence: narrowingParameter(
    'licence',
    'with this licence, by its id or, if it has none, its URL',
    'CC0-1.0',
  ),
  creator: narrowingParameter('creator', 'of this creator, by the whole name', 'Lovelace, Ada'),
  type: narrowingParameter('type', 'whose document or schema is in this language: `JSON` or `XML`', 'JSON'),
  declared,
  from,
  until,
}

export const searchParameters = {
  q,
  ...narrowingParameters,
  kind,
  sort,
  page,
  size,
  after,
  facets,
  facetSize,
  highlight,
  titles,
  descriptions,
  mine,
  since,
  wait,
}
export const searchPageParameters = { q, ...narrowingParameters, kindOfPage, sort, page: pageFrom1, after }

export type AskedNarrowing = ParameterValues<typeof narrowingParameters>

/** The names of {@link narrowingParameters} in requests, by field. */
export const parameterOfField: Readonly<Record<NarrowingField, string>> = {
  schema: 'schemaId',
  resource: 'resourceId',
  state: 'state',
  year: 'year',
  language: 'language',
  licence: 'licence',
  creator: 'creator',
  type: 'type',
  kind: 'kind',
  owner: 'mine',
}
