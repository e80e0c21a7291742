import type { Context } from 'koa'
import { type ListedDescription, titleInDocument } from '../../../core/records/document-description.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import { html, marked } from '../../../http/html-template.js'
import { chooseListType } from '../../../http/negotiation/content-negotiation.js'
import { type JsonText, listBody } from '../../../http/response/list-response.js'
import { type ApiContext, apiRootUrl } from '../../../http/route-context.js'
import type { SearchState } from '../open-search.js'
import { cutQueryText } from '../query-text/parse-query-text.js'
import {
  type FacetResult,
  type Highlight,
  type HighlightedPassage,
  maxSearchWindow,
  type SearchHit,
} from '../search-engine.js'
import type { FoundPage } from './run-search.js'
import type { HighlightForm } from './search-parameters.js'
import { searchMediaType } from './search-schemas.js'

/** Members of a result that describe its record. */
interface DescribedHit {
  /** The title that the document has itself, if the record has none. */
  readonly title?: string
  readonly description?: object
}

/** What the documents of results say about themselves, as far as a request asks for it. */
export async function describeHits(
  search: Pick<SearchState, 'describeEach' | 'listDescription'> | undefined,
  { hits }: FoundPage,
  { titles, descriptions }: { readonly titles: boolean; readonly descriptions: boolean },
): Promise<ReadonlyMap<Revision, DescribedHit>> {
  const isUntitled = ({ record }: Revision) => titles && record.titles === undefined
  const described = new Map<Revision, DescribedHit>()
  const wanted = hits
    .map(({ revision }) => revision)
    .filter(revision => revision.kind === 'metadata' && (descriptions || isUntitled(revision)))
  if (wanted.length === 0) return described
  const pauses = openEventLoopPauses()
  for await (const { revision, description } of search?.describeEach(wanted) ?? []) {
    await pauses.ifDue()
    if (!description || Object.keys(description).length === 0) continue
    const title = isUntitled(revision) && titleInDocument(description)
    const listed = descriptions && search?.listDescription(revision, description)
    described.set(revision, { ...(title && { title }), ...(listed && renderDescription(listed)) })
  }
  return described
}

/** The member `description` of a result; none if there is nothing to show. */
function renderDescription({ people, hasMorePeople, year, licence, text, keywords }: ListedDescription) {
  const description = {
    ...(people.length > 0 && { people }),
    ...(hasMorePeople && { hasMorePeople }),
    ...(year !== undefined && { year }),
    ...(licence !== undefined && { licence }),
    ...(text !== undefined && { text }),
    ...(keywords.length > 0 && { keywords }),
  }
  return Object.keys(description).length > 0 && { description }
}

/** Answers with the results, their totals, facets and notes. */
export async function answerSearch(
  ctx: Context,
  api: ApiContext,
  page: FoundPage,
  {
    highlight,
    described,
  }: { readonly highlight: HighlightForm; readonly described: ReadonlyMap<Revision, DescribedHit> },
): Promise<void> {
  setPageHeaders(ctx, api, page)
  ctx.set('Cache-Control', 'no-cache')
  const { hits, facets, total, totalIs, commit, upToDate, lag, engine, ranked, notes } = page
  const head = {
    total,
    ...(totalIs === 'atLeast' && { totalIs }),
    ...(commit && { commit }),
    upToDate,
    ...(lag !== undefined && { lag }),
    engine,
    ...(ranked === 'newest' && { ranked }),
    ...facetBounds(facets),
  }
  const tail = { ...(facets.size > 0 && { facets: renderFacets(facets) }), notes }
  const root = apiRootUrl(api, ctx)
  const render = ({ revision, score, highlights }: SearchHit) => {
    const { title, description } = described.get(revision) ?? {}
    return JSON.stringify({
      kind: revision.kind,
      ...(score !== undefined && { score }),
      ...(title !== undefined && { title }),
      record: api.recordFormat.render(revision, root),
      ...(description && { description }),
      ...(highlights.length > 0 && { highlight: renderHighlights(highlights, highlight) }),
    })
  }
  const body = await listBody(ctx, api, hits, render, [
    `${JSON.stringify(head).slice(0, -1)},"items":[`,
    `],${JSON.stringify(tail).slice(1)}`,
  ])
  sendList(ctx, body, [searchMediaType, 'application/json'], searchMediaType)
}

/** Answers with the found records only, in the form of a list. */
export async function answerFoundRecords(
  ctx: Context,
  api: ApiContext,
  page: FoundPage,
  recordTypes: readonly string[],
): Promise<void> {
  setPageHeaders(ctx, api, page)
  const root = apiRootUrl(api, ctx)
  const revisions = page.hits.map(({ revision }) => revision)
  const body = await listBody(ctx, api, revisions, each => api.renderer.record(each, root))
  sendList(ctx, body, recordTypes)
}

function sendList(ctx: Context, body: JsonText, types: readonly string[], usual?: string): void {
  ctx.vary('Accept')
  ctx.status = 200
  ctx.set('Content-Type', chooseListType(ctx.headers.accept, types, usual))
  ctx.body = body
}

function setPageHeaders(ctx: Context, api: ApiContext, page: FoundPage): void {
  const { hits, total, totalIs, window } = page
  const range = hits.length === 0 ? '*' : `${window.offset}-${window.offset + hits.length - 1}`
  ctx.set('Content-Range', `${range}/${totalIs === 'atLeast' ? '*' : total}`)
  const links = linksOf(api.basesOf(ctx).canonical + ctx.path, ctx.querystring, page)
  if (links !== undefined) ctx.set('Link', links)
}

/** Limit of the characters of `Link`: programs and proxies limit all headers together to 8 or 16 KiB. */
const maxHeaderLength = 4000

function linksOf(url: string, querystring: string, { next, window, commit }: FoundPage): string | undefined {
  const { offset, limit } = window
  const number = Math.ceil(offset / limit)
  function link(relation: string, page: number, after?: string): string {
    const query = new URLSearchParams(querystring)
    for (const name of ['page', 'size', 'after']) query.delete(name)
    query.set('page', String(page))
    query.set('size', String(limit))
    // The link has only the part of the text that is searched, because the header has a limit.
    const text = query.get('q')?.trim() ?? ''
    const cut = cutQueryText(text)
    if (cut !== text) query.set('q', cut)
    if (after !== undefined) query.set('after', after)
    // The name of a branch or a time may mean another commit when the client requests the next page.
    if (query.has('at') && commit !== undefined) query.set('at', commit)
    return `<${url}?${query.toString()}>; rel="${relation}"`
  }
  const onwards = next === undefined ? [] : [link('next', number + 1, next)]
  const all = [
    link('first', 0),
    ...(number > 0 && offset <= maxSearchWindow ? [link('prev', number - 1)] : []),
    ...onwards,
  ].join(', ')
  return [all, ...onwards].find(header => header.length <= maxHeaderLength)
}

/** Facets by name. The member `more` counts the records with values that are not listed. */
export type FacetCounts = Readonly<
  Record<string, readonly { readonly value: string; readonly count: number }[] | { readonly tooMany: true }>
> & { readonly more?: Readonly<Record<string, number>> }

export function renderFacets(facets: ReadonlyMap<string, FacetResult>): FacetCounts {
  const more: Record<string, number> = {}
  const lists = [...facets].map(([name, { buckets, more: rest, tooMany }]) => {
    if (rest > 0) more[name] = rest
    return [name, tooMany ? { tooMany } : buckets] as const
  })
  return Object.assign(Object.fromEntries(lists), Object.keys(more).length > 0 && { more }) as FacetCounts
}

/** The member of an answer that says whether the counts of facets are lower bounds. */
export function facetBounds(facets: ReadonlyMap<string, FacetResult>): { readonly facetsAre?: 'atLeast' } {
  return [...facets.values()].some(({ atLeast }) => atLeast) ? { facetsAre: 'atLeast' } : {}
}

function renderHighlights(highlights: readonly Highlight[], form: HighlightForm): object {
  const render = (passage: HighlightedPassage) => (form === 'positions' ? passage : htmlOfPassage(passage))
  return Object.fromEntries(highlights.map(({ field, passages }) => [field, passages.map(render)]))
}

function htmlOfPassage({ text, hits }: HighlightedPassage): string {
  return marked(text, hits, part => html`<em>${part}</em>`).markup
}
