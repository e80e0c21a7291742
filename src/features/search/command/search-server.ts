import { openClient } from '../../../cli/sessions/http-client.js'
import { api, entryOf, type Json, jsonOf } from '../../../cli/sessions/remote-server.js'
import type { RecordSummary } from '../../../cli/sessions/session.js'
import type { Collection } from '../../../core/records/collection.js'
import type { NarrowingField } from '../requests/narrowed-search.js'
import type { FacetCounts } from '../routes/search-answer.js'
import type { HighlightedPassage } from '../search-engine.js'

/** A search, as the command line has it. Values of one field are alternatives. */
export interface SearchQuery {
  /** The query as a user types it into a search box. */
  readonly text: string
  readonly kinds: readonly Collection[]
  readonly narrowing: Readonly<Partial<Record<NarrowingField, readonly string[]>>>
  readonly from: string | undefined
  readonly until: string | undefined
  /** `<field>` or `<field>,<asc|desc>`, as the interface has it. */
  readonly sort: string | undefined
  readonly page: number
  readonly size: number
  readonly facets: readonly string[]
  /** Point of history; undefined: now. */
  readonly at: string | undefined
}

export interface FoundRecord extends RecordSummary {
  readonly score?: number
  /** Passages that match the query, by field. */
  readonly highlight?: Readonly<Record<string, readonly HighlightedPassage[]>>
}

export interface SearchPage {
  readonly total: number
  /** Present if `total` is a lower bound. */
  readonly totalIs?: 'atLeast'
  /** The commit that the index reflects. */
  readonly commit?: string
  readonly upToDate: boolean
  readonly notes: readonly string[]
  /** Present if the counts of `facets` are lower bounds. */
  readonly facetsAre?: 'atLeast'
  readonly facets?: FacetCounts
  readonly entries: readonly FoundRecord[]
}

/** Names of query parameters that differ from the name of their field. */
const parameterOf: Readonly<Record<string, string>> = { schema: 'schemaId', resource: 'resourceId' }

/** Searches over HTTP. @see docs/use/search.md */
export async function searchServer(url: string, asked: SearchQuery): Promise<SearchPage> {
  const client = openClient(url)
  const { text, kinds, narrowing, from, until, sort, page, size, facets, at } = asked
  const [kind = ''] = kinds
  const query = new URLSearchParams({
    q: text,
    kind: kinds.length > 1 ? 'both' : kind,
    highlight: 'positions',
  })
  for (const [field, values] of Object.entries(narrowing))
    for (const value of values) query.append(parameterOf[field] ?? field, value)
  const more = { from, until, sort, page: String(page), size: String(size), facets: facets.join(','), at }
  for (const [name, value] of Object.entries(more)) if (value) query.set(name, value)
  const { bytes } = await client.request('GET', `${api}/search?${query}`, { accept: 'application/json' })
  const { items, engine: _, ...answer } = jsonOf(bytes) as unknown as SearchAnswer
  const entries = items.map(({ kind: of, record, ...hit }) => ({ ...entryOf(of, record), ...hit }))
  return { ...answer, entries }
}

interface SearchAnswer extends Omit<SearchPage, 'entries'> {
  readonly engine: string
  readonly items: readonly (Pick<FoundRecord, 'kind' | 'score' | 'highlight'> & { readonly record: Json })[]
}
