import { type FacetName, facetNames, type SearchQuestion } from '../search/search-question.js'
import { answered, client } from './client.js'
import type { SearchAnswerV2, SearchHitV2 } from './interface-types.js'
import { titleOf } from './records.js'

/** A passage with the places of the words that were found, in UTF-16 units. */
export interface Passage {
  readonly text: string
  readonly hits: readonly { readonly start: number; readonly end: number }[]
}

export interface SearchHit extends Pick<SearchHitV2, 'kind' | 'record' | 'description'> {
  /** For people. */
  readonly title: string
  readonly passages: readonly { readonly field: string; readonly passages: readonly Passage[] }[]
}

/** The values of a facet, each with the number of its records. */
export interface Facet {
  readonly values: readonly { readonly value: string; readonly count: number }[]
  /** Number of the records with values that are not listed. */
  readonly more: number
  /** They take too long to count. */
  readonly isTooLarge: boolean
}
export type Facets = ReadonlyMap<FacetName, Facet>

export interface SearchPart
  extends Pick<
    SearchAnswerV2,
    'total' | 'totalIs' | 'commit' | 'upToDate' | 'ranked' | 'facetsAre' | 'notes'
  > {
  readonly hits: readonly SearchHit[]
  readonly facets: Facets
  /** Where the next part begins; undefined: this is the last one. */
  readonly next: string | undefined
}

/** How a part of the results is read. */
export interface PartRequest {
  /** `next` of the part before. */
  readonly after?: string | undefined
  readonly size: number
  readonly facets: readonly FacetName[]
  readonly hasPassages: boolean
  /** Whether the records are shown, with titles and descriptions of their documents. */
  readonly isShown: boolean
  /** A commit that the answer must reflect. */
  readonly since?: string | undefined
}

/** Seconds to wait for the index. */
const maxWait = 10

/** Parameters and facets of the interface that have another name than in the address. */
const ofInterface: Readonly<
  Partial<Record<FacetName, { readonly parameter: string; readonly facet: string }>>
> = {
  schema: { parameter: 'schemaId', facet: 'schema' },
  author: { parameter: 'creator', facet: 'creator' },
}

export async function search(
  question: SearchQuestion,
  { after, size, facets, hasPassages, isShown, since }: PartRequest,
  signal?: AbortSignal,
): Promise<SearchPart> {
  const narrowing = facetNames
    .filter(name => name !== 'kind' && question.values[name].length > 0)
    .map(name => [ofInterface[name]?.parameter ?? name, question.values[name]])
  const kinds = question.values.kind
  const { from, until, sort, isMine } = question
  const { data, response } = await answered(
    client.GET('/api/v2/search', {
      params: {
        query: {
          ...{ q: question.q, size, kind: kinds.length === 1 ? (kinds[0] as 'metadata') : 'both' },
          ...Object.fromEntries(narrowing),
          ...(from && { from }),
          ...(until && { until: endOf(until) }),
          ...(sort && { sort }),
          ...(isMine && { mine: true }),
          ...(after !== undefined && { after }),
          ...(facets.length > 0 && { facets: facets.map(facetOf).join(',') }),
          highlight: hasPassages ? 'positions' : 'false',
          ...(isShown && { titles: true, descriptions: true }),
          ...(since !== undefined && { since, wait: maxWait }),
        },
      },
      ...(signal && { signal }),
    }),
  )
  const { items, facets: counted = {}, ...rest } = data
  return {
    ...rest,
    hits: items.map(({ kind, record, title, description, highlight = {} }) => ({
      ...{ kind, record, title: titleOf(record, title), ...(description && { description }) },
      passages: Object.entries(highlight).map(([field, passages]) => ({
        field,
        passages: passages as readonly Passage[],
      })),
    })),
    facets: new Map(facets.map(name => [name, facetIn(counted, facetOf(name))])),
    next: nextIn(response.headers.get('Link')),
  }
}

function facetOf(name: FacetName): string {
  return ofInterface[name]?.facet ?? name
}

function facetIn(counted: NonNullable<SearchAnswerV2['facets']>, name: string): Facet {
  const found = (counted as Readonly<Partial<Record<string, unknown>>>)[name]
  const isList = Array.isArray(found)
  return {
    values: isList ? (found as Facet['values']) : [],
    more: counted.more?.[name] ?? 0,
    isTooLarge: found !== undefined && !isList,
  }
}

/** The end of a day, because a date alone means its beginning. */
function endOf(until: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(until) ? `${until}T23:59:59.999Z` : until
}

function nextIn(link: string | null): string | undefined {
  const [, address] = /<([^>]+)>; rel="next"/.exec(link ?? '') ?? []
  return address === undefined ? undefined : (new URL(address).searchParams.get('after') ?? undefined)
}

/** Limit of the characters and of the words of a query, by the server. */
const maxQuery = { characters: 1900, words: 60 }

/**
 * The titles of records, by kind and id: `schema sample`. A record that cannot be read has none.
 * @param ids of records of any kind; what is too much for one query is left out
 * @param since a commit that the answer must reflect
 * @returns `asked`: the ids that the query has; `upToDate`: false if records may be missing that are stored already
 */
export async function readTitles(ids: readonly string[], since?: string | undefined, signal?: AbortSignal) {
  const terms: string[] = []
  for (const id of ids) {
    const term = `"${id}"`
    if (terms.join(' OR ').length + term.length > maxQuery.characters || terms.length >= maxQuery.words) break
    terms.push(term)
  }
  const { data } = await answered(
    client.GET('/api/v2/search', {
      params: {
        query: {
          q: `id:(${terms.join(' OR ')})`,
          kind: 'both',
          size: 2 * terms.length,
          highlight: 'false',
          titles: true,
          ...(since !== undefined && { since, wait: maxWait }),
        },
      },
      ...(signal && { signal }),
    }),
  )
  return {
    asked: new Set(ids.slice(0, terms.length)),
    titles: new Map(
      data.items.map(({ kind, record, title }) => [`${kind} ${record.id}`, titleOf(record, title)]),
    ),
    upToDate: data.upToDate,
  }
}
