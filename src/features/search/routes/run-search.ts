import type { Context } from 'koa'
import type { PointExpression } from '../../../core/history-point.js'
import { malformedRequest, ProblemError } from '../../../core/problem.js'
import { givenFilters, type ListFilters } from '../../../core/records/list-filters.js'
import { type PageWindow, pageWindow } from '../../../core/records/list-page.js'
import type { ListQuery } from '../../../core/records/list-query.js'
import type { Oid } from '../../../core/value-types.js'
import type { FeatureContext } from '../../../http/open-feature.js'
import { listQuery } from '../../../http/parameters/filter-parameters.js'
import {
  type NarrowedSearch,
  type Narrowing,
  type NarrowingField,
  type ReadSearch,
  readSearch,
} from '../requests/narrowed-search.js'
import type { SearchService } from '../requests/search-service.js'
import type { SearchResult } from '../search-engine.js'
import type { AskedNarrowing } from './search-parameters.js'

/** The parts of a route's context that a search needs. */
export type SearchContext = Pick<
  FeatureContext<SearchService | undefined>,
  'callerOf' | 'basesOf' | 'longLived' | 'signals' | 'feature'
>

/** The search of a request. */
export interface AskedSearch extends Omit<NarrowedSearch, 'window'> {
  /** Number of the page, from 0. Ignored with `after`. */
  readonly page: number
  readonly size: number
  readonly after: string | undefined
  readonly at?: PointExpression | undefined
}

/** A page of results. `next` is a value of the parameter `after`. */
export interface FoundPage extends SearchResult, Omit<ReadSearch, 'request'> {
  readonly notes: readonly string[]
  /** Those of the notes that are about the query, not about the hits. */
  readonly notesOnQuery: readonly string[]
  readonly window: PageWindow
}

/**
 * The search of a server.
 * @throws ProblemError `not-found` if the server runs without a search
 */
export function requireSearch(search: SearchService | undefined): SearchService {
  if (search) return search
  throw new ProblemError('not-found', 'This server has no search: it runs with `--search none`.')
}

/**
 * Parses the query text, and searches what the caller may read.
 * @throws ProblemError as {@link SearchService.search}; `page-out-of-range`; `not-found` as {@link requireSearch}
 */
export async function runSearch(
  ctx: Context,
  context: SearchContext,
  asked: AskedSearch,
): Promise<FoundPage> {
  const search = requireSearch(context.feature)
  const place = asked.after === undefined ? undefined : parsePlace(asked.after)
  const page = pageWindow(asked.page, asked.size)
  const window = place ? { offset: place.offset, limit: page.limit } : page
  const { request, notes, isScored, hasWords } = readSearch({
    ...asked,
    window: place ? { after: place.cursor, limit: window.limit } : window,
  })
  const found = await search.search(context.callerOf(ctx), { ...request, ...(asked.at && { at: asked.at }) })
  if (found.hits.length === 0 && found.total > 0 && !place) {
    const { total } = found
    throw new ProblemError('page-out-of-range', `The results end before this page: there are ${total}.`, {
      total,
    })
  }
  const { next: cursor, ...rest } = found
  const next = cursor === undefined ? {} : { next: `${window.offset + found.hits.length}.${cursor}` }
  const without =
    request.highlight && hasWords ? found.hits.filter(hit => hit.highlights.length === 0).length : 0
  const notesOnQuery = [...notes, ...(found.notes ?? [])]
  const allNotes = [...notesOnQuery, ...(without > 0 ? [withoutPassages(without)] : [])]
  return { ...rest, ...next, notes: allNotes, notesOnQuery, window, isScored, hasWords }
}

/** The note on hits that match words, but have no passage that shows them. */
function withoutPassages(count: number): string {
  const who = count === 1 ? '1 record of this page is' : `${count} records of this page are`
  return `${who} shown without the text that has the words: it is after the first 1 MiB of the document, or there was no time to look for it.`
}

/**
 * Reads `<number of hits before the page>.<cursor of the search engine>`. The number is needed because a page may be
 * shorter than the requested size.
 * @throws ProblemError `malformed-request`
 */
function parsePlace(text: string): { readonly offset: number; readonly cursor: string } {
  const [, offset, cursor] = /^(\d{1,15})\.([^.]+)$/.exec(text) ?? []
  if (offset !== undefined && cursor !== undefined) return { offset: Number(offset), cursor }
  throw malformedRequest(
    'The parameter after is no cursor of a search: take it from the link to the next page.',
  )
}

/**
 * Waits until the search index reflects a commit.
 * @param seconds limit of the wait; 0: does not wait
 * @throws ProblemError `unavailable` after that time; `not-found` for a commit that is not in the served history
 */
export async function waitForCommit(
  ctx: Context,
  { feature, longLived, signals }: SearchContext,
  commit: Oid,
  seconds: number,
): Promise<void> {
  const search = requireSearch(feature)
  if (seconds > 0) longLived.admit(ctx)
  if (await search.waitFor(commit, seconds * 1000, signals.of(ctx))) return
  throw new ProblemError(
    'unavailable',
    `The search does not know the commit ${commit} yet. Try again, or wait longer by the parameter wait.`,
    { retryAfter: 1 },
  )
}

/** The filters in {@link narrowingParameters}. A schema may be given by any of its names, or by its URL. */
export function narrowingOf(
  ctx: Context,
  context: SearchContext,
  asked: AskedNarrowing & { readonly mine?: boolean },
): Narrowing {
  const filters = listQuery('metadata', asked, context.basesOf(ctx).accepted)
  const { state, year, language, licence, creator, type } = asked
  const caller = context.callerOf(ctx)
  // No record has an owner without a name.
  const owner = asked.mine ? [caller.anonymous ? '' : caller.sid] : []
  const more = { state, year, language, licence, creator, type, owner }
  const { values, ...times } = narrowingOfList(filters)
  return {
    values: new Map([...values, ...(Object.entries(more) as [NarrowingField, readonly string[]][])]),
    declared: asked.declared,
    ...times,
  }
}

/** The fields by which a search filters, by the names of filters of lists. */
const fieldOfFilter: Readonly<Partial<Record<keyof ListFilters, NarrowingField>>> = {
  documentTypes: 'type',
  resources: 'resource',
  schemaIds: 'schema',
}

/**
 * The filters of a list as filters of a search.
 * @throws ProblemError `malformed-request` for a filter that a search does not have
 */
export function narrowingOfList({ from, until, ...query }: ListQuery): Narrowing {
  const values = new Map<NarrowingField, readonly string[]>()
  for (const { name, filter, value } of givenFilters(query)) {
    const field = fieldOfFilter[name]
    if (field) values.set(field, value as readonly string[])
    else
      throw malformedRequest(
        `A search does not have the filter ${Object.keys(filter.parameters)[0]}: send the request without it, or without q.`,
      )
  }
  return { values, from, until }
}
