import { nameInWords } from '../../core/text/name-in-words.js'
import { overlapsBeginning } from '../../core/text/overlaps-beginning.js'
import { pluralize } from '../../core/text/pluralize.js'
import type { Oid } from '../../core/value-types.js'
import { type HtmlPart, html, joined, marked } from '../../http/html-template.js'
import type { PageUrls } from '../../http/page-urls/page-urls.js'
import {
  authorInWords,
  isNobody,
  languageInWords,
  stateInWords,
  titleOf,
} from '../pages/html/display-names.js'
import { type Frame, page } from '../pages/html/html-layout.js'
import { link } from '../pages/html/identifier-links.js'
import { type IsBroken, type ListedDescriptions, listEntry } from '../pages/html/list-pages.js'
import { parseDeclared, textOfDeclared } from '../search/requests/narrowed-search.js'
import { withoutDocumentPrefix } from '../search/search-condition.js'
import {
  type FacetResult,
  type Highlight,
  type HighlightedPassage,
  maxSearchWindow,
  type SearchHit,
} from '../search/search-engine.js'

/** What the page of search results shows. */
export interface SearchView {
  readonly query: string
  readonly hits: readonly SearchHit[]
  /** Whether the newest commit of a record is not served. Default: of no record. */
  readonly isBroken?: IsBroken
  readonly described?: ListedDescriptions
  readonly offset: number
  readonly total: number
  readonly totalIs: 'exact' | 'atLeast'
  readonly facets: ReadonlyMap<string, FacetResult>
  /** The same without narrowing: values that no narrowed record has stay there, with 0. Undefined: not narrowed. */
  readonly unnarrowed: ReadonlyMap<string, FacetResult> | undefined
  /** Titles of schemas by id, as far as the caller may read them. */
  readonly schemas: ReadonlyMap<string, string>
  /** Sentences about the query. A hit itself says that its words are not shown. */
  readonly notes: readonly string[]
  readonly upToDate: boolean
  readonly isRankedByNewest: boolean
  /** The order, as the parameter `sort` writes it with a direction; undefined: the usual order. */
  readonly sort: string | undefined
  /** Whether each hit has words of the query, which passages show. */
  readonly hasWords: boolean
  /** Whether the usual order is by score; otherwise the newest record is first. */
  readonly isScored: boolean
  /** Number of the page, from 1. */
  readonly page: number
  readonly pages: number
  /** The cursor of the next page. */
  readonly next: string | undefined
  /** Parameters of the address that narrow the search, without `q`, `sort` and the page. */
  readonly narrowing: readonly Parameter[]
  /** Returns the query parameter that filters by a facet; undefined for a facet that a schema declares. */
  readonly parameterOf: (facet: string) => string | undefined
  readonly at: { readonly name: string; readonly commit: Oid | undefined } | undefined
}

/** Limit of the results on one page. */
export const resultsOfPage = 20
const maxPagesByNumber = maxSearchWindow / resultsOfPage

type Parameter = readonly [name: string, value: string]

/** The results of a search, page by page, with facets as links. It needs no script. */
export function searchPage(frame: Frame, addresses: PageUrls, view: SearchView): string {
  const { query, narrowing, sort, at } = view
  const kept = [...narrowing, ...parameterIf('sort', sort), ...parameterIf('at', at?.commit)]
  const boxed = frame.search && { ...frame, search: { ...frame.search, query, kept } }
  return page(
    boxed ?? frame,
    query === '' ? 'Search' : `${query} – Search`,
    html`<h1>${query === '' ? 'Search' : html`Search: <span dir="auto">${query}</span>`}</h1>
${at && html`<p class="notice">This is a search at the point <strong>${at.name}</strong> of the history. ${link(searchAddress(frame, { ...view, at: undefined }, narrowing), 'Search what there is today')}</p>`}
${view.notes.map(note => html`<p class="notice">${note}</p>\n`)}
${resultNotes(view)}
<p>${joined([html`<strong>${countText(view)}</strong>`, view.total > 0 && orderChoices(frame, view)], ' · ')}</p>
${narrowedTo(frame, view)}
<div class="found">
${facetsOf(frame, view)}
<div>
${view.total === 0 ? nothingFound(frame, view) : resultList(frame, addresses, view)}
</div>
</div>`,
  )
}

function parameterIf(name: string, value: string | undefined): readonly Parameter[] {
  return value === undefined ? [] : [[name, value]]
}

/** Address of the search with these filters; its first page, unless `more` has a parameter for another one. */
function searchAddress(
  { root }: Frame,
  { query, sort, at }: Pick<SearchView, 'query' | 'sort' | 'at'>,
  narrowing: readonly Parameter[],
  more: readonly Parameter[] = [],
): string {
  const all: readonly Parameter[] = [
    ['q', query],
    ...narrowing,
    ...parameterIf('sort', sort),
    ...parameterIf('at', at?.commit),
    ...more,
  ]
  const parameters = new URLSearchParams(all.map(([name, value]): [string, string] => [name, value]))
  return `${root}/search?${parameters.toString()}`
}

function countText({ total, totalIs }: SearchView): string {
  const number = `${totalIs === 'atLeast' ? 'At least ' : ''}${total.toLocaleString('en')}`
  return `${number} ${total === 1 ? 'record' : 'records'}`
}

/** Notes that some results may be missing, or are not ordered by score. */
function resultNotes({ upToDate, isRankedByNewest, at }: SearchView): HtmlPart {
  return html`${
    !(upToDate || at) &&
    html`<p class="notice">The newest changes are still being indexed and may be missing here. Load the page again in a few seconds.</p>`
  }
${
  isRankedByNewest &&
  html`<p class="notice">So many records match that only the newest of them are ordered by how well they match. More words, or a choice below, narrow the search.</p>`
}`
}

/** Names of further orders that the address may ask for, but that the page does not offer. */
const furtherOrders: Readonly<Record<string, string>> = {
  'score,asc': 'best match last',
  'lastUpdate,asc': 'oldest first',
  'id,asc': 'by id',
  'id,desc': 'by id, from the end',
}

function orderChoices(frame: Frame, view: SearchView): HtmlPart {
  const { narrowing, isScored, sort } = view
  const choices: readonly (readonly [name: string, sort: string | undefined])[] = isScored
    ? [
        ['best match first', undefined],
        ['newest first', 'lastUpdate,desc'],
      ]
    : [['newest first', sort === 'lastUpdate,desc' ? sort : undefined]]
  const further = sort === undefined ? undefined : furtherOrders[sort]
  if (!isScored && further === undefined) return 'the newest first'
  return joined(
    [
      further && html`<strong aria-current="true">${further}</strong>`,
      ...choices.map(([name, choice]) =>
        choice === sort
          ? html`<strong aria-current="true">${name}</strong>`
          : link(searchAddress(frame, { ...view, sort: choice }, narrowing), name),
      ),
    ],
    ' · ',
  )
}

/** The filters of the search, each with a link that removes it. */
function narrowedTo(frame: Frame, view: SearchView): HtmlPart {
  const { narrowing } = view
  if (narrowing.length === 0) return undefined
  const each = narrowing.map(
    ([name, value], index) =>
      html`<li><a class="tag" href="${searchAddress(frame, view, narrowing.toSpliced(index, 1))}"><span class="dim">${narrowingLabel(name, value)}:</span> <span dir="auto">${shownValue(view, name, value)}</span> <span aria-hidden="true">✕</span><span class="unseen"> (remove)</span></a></li>`,
  )
  return html`<ul class="tags" aria-label="Narrowed to">${each}</ul>`
}

const labels: Readonly<Record<string, string>> = {
  kind: 'Documents or schemas',
  schema: 'Schema',
  schemaId: 'Schema',
  resource: 'Resource',
  resourceId: 'Resource',
  year: 'Year',
  creator: 'Creator',
  licence: 'Licence',
  language: 'Language',
  state: 'State',
  type: 'Format',
  from: 'Updated from',
  until: 'Updated until',
}

function narrowingLabel(parameter: string, value: string): string {
  const path = parameter === 'declared' ? parseDeclared(value)?.path : undefined
  return path === undefined ? (labels[parameter] ?? parameter) : placeInWords(path)
}

/** The value of a filter as people see it: the title of a schema, not its id. */
function shownValue({ schemas }: SearchView, parameter: string, value: string): string {
  if (parameter === 'declared') return parseDeclared(value)?.value ?? value
  if (parameter === 'schema' || parameter === 'schemaId') return schemas.get(value) ?? value
  if (parameter === 'state') return stateInWords(value)
  if (parameter === 'creator') return authorInWords(value)
  if (parameter === 'language') return languageInWords(value)
  if (parameter !== 'kind') return value
  return value === 'schema' ? 'Schemas' : 'Documents'
}

/** The last name of a path in words: `people.familyName` as `Family name`. */
function placeInWords(path: string): string {
  // The names of XML attributes begin with @.
  return nameInWords(path.slice(path.lastIndexOf('.') + 1).replace(/^@/, ''))
}

function nothingFound(frame: Frame, view: SearchView): HtmlPart {
  const { query, narrowing } = view
  if (query === '' && narrowing.length === 0)
    return html`<div class="empty"><p>There is nothing yet that you may read. ${link(`${frame.root}/dashboard`, 'The dashboard')} says how to begin.</p></div>`
  const [longestWord = ''] = (query.match(/[\p{L}\p{N}]{4,}/gu) ?? []).sort((a, b) => b.length - a.length)
  const beginning = longestWord.slice(0, Math.max(3, longestWord.length - 2))
  return html`<p>Nothing that you may read matches.</p>
<h2>What you can try</h2>
<ul>
${narrowing.length > 0 && html`<li>${link(searchAddress(frame, view, []), 'The same search without narrowing')}</li>\n`}${
  longestWord !== '' &&
  html`<li>The beginning of a word: ${link(searchAddress(frame, { ...view, query: `${beginning}*` }, narrowing), `${beginning}*`)}</li>\n`
}${/\s/.test(query) && html`<li>Fewer words: every word has to be in the record or its document. Put <code>OR</code> between words that are alternatives.</li>\n`}<li>Another spelling. Case and accents make no difference.</li>
<li>A field: <code>title:steel</code>, <code>year:2020..2024</code>, <code>instrument.name:SEM</code> for a member or an element of documents.</li>
<li>${link(`${frame.root}/search?q=`, 'Everything, the newest first')}</li>
</ul>`
}

function resultList(frame: Frame, addresses: PageUrls, view: SearchView): HtmlPart {
  const { hits, offset } = view
  const pointAt = view.at?.commit
  return html`<ol class="records" start="${offset + 1}">
${hits.map(hit => html`<li>${hitEntry(addresses, hit, pointAt, view)}</li>\n`)}</ol>
${pagesOf(frame, view)}`
}

/** Limit of the fields of a hit whose passages are shown. */
const maxFields = 3
/** Fields of the record that the hit shows anyway. Their passages come last. */
const shownAnyway = new Set(['id', 'schema', 'resource', 'creator', 'year', 'licence'])

function hitEntry(
  addresses: PageUrls,
  { revision, highlights }: SearchHit,
  at: Oid | undefined,
  { hasWords, isBroken, described, schemas }: SearchView,
): HtmlPart {
  const about = described?.get(revision)
  const title = about?.title ?? titleOf(revision.record)
  // The title is that of the record, or stands in the document.
  const inTitle = highlights.flatMap(({ passages }) => passages).find(({ text }) => text === title)
  const others = highlights
    .filter(({ passages }) => passages.some(({ text }) => text !== title))
    .sort((a, b) => Number(shownAnyway.has(a.field)) - Number(shownAnyway.has(b.field)))
  const shown = others.slice(0, maxFields)
  return listEntry(addresses, revision, at, {
    ...(inTitle && { title: passageOf(inTitle) }),
    hasDescription: shown.some(({ passages }) =>
      passages.some(({ text }) => overlapsBeginning(text, about?.text)),
    ),
    isBroken: isBroken?.(revision),
    described: about,
    schemas,
    below:
      hasWords && highlights.length === 0
        ? html`<p class="dim">The words are in this record, further in than this page looks.</p>\n`
        : [
            ...shown.map(each => passagesOf(each, revision.kind === 'schema')),
            others.length > maxFields &&
              html`<p class="dim">and at ${pluralize(others.length - maxFields, 'more place')}</p>\n`,
          ],
  })
}

/** @param isSchema the names in the text of a schema are those of its language: they say nothing about the passage */
function passagesOf({ field, passages }: Highlight, isSchema: boolean): HtmlPart {
  const texts = passages.map(({ text }) => text)
  const different = passages.filter(({ text }, index) => texts.indexOf(text) === index)
  return html`<p class="passage">${field !== 'document' && !isSchema && html`<span class="dim" title="${withoutDocumentPrefix(field)}">${placeInWords(withoutDocumentPrefix(field))}:</span> `}<span dir="auto">${joined(different.map(passageOf), ' … ')}</span></p>
`
}

function passageOf({ text, hits }: HighlightedPassage): HtmlPart {
  return marked(text, hits, part => html`<mark>${part}</mark>`)
}

/** Links to the previous page, by its number, and to the next page, by a cursor. */
function pagesOf(frame: Frame, view: SearchView): HtmlPart {
  const { narrowing, next, pages, page: number } = view
  if (number === 1 && next === undefined) return undefined
  const to = (wanted: number, after?: string) =>
    searchAddress(frame, view, narrowing, [['page', String(wanted)], ...parameterIf('after', after)])
  return html`<nav class="pager" aria-label="Pages of the results">
<span>Page ${number} of ${pages}</span>
${number > 1 && number - 1 <= maxPagesByNumber && html`<a rel="prev" href="${to(number - 1)}">Previous page</a>`}
${next !== undefined && html`<a rel="next" href="${to(number + 1, next)}">Next page</a>`}
</nav>`
}

/** The values of facets, each with the number of its records and a link that narrows the search to it. */
function facetsOf(frame: Frame, view: SearchView): HtmlPart {
  const shown = [...view.facets]
    .map(([name, facet]) => [name, withoutNobody(name, withValuesOfZero(name, facet, view), view)] as const)
    .filter(([, { buckets, tooMany }]) => buckets.length > 0 || tooMany)
  if (shown.length === 0) return undefined
  const active = view.narrowing.length
  return html`<details class="facets">
<summary>Narrow the search${active > 0 && html`, ${active} active`}</summary>
${shown.map(([name, facet]) => facetOf(frame, view, name, facet))}</details>`
}

/**
 * The values of a facet with those that only the search without narrowing has. Values beyond the limit of a facet may
 * have records, so nothing is added to a facet that has reached it.
 */
function withValuesOfZero(name: string, facet: FacetResult, { unnarrowed }: SearchView): FacetResult {
  if (facet.more > 0 || facet.tooMany) return facet
  const known = new Set(facet.buckets.map(({ value }) => value))
  const lost = (unnarrowed?.get(name)?.buckets ?? []).filter(({ value }) => !known.has(value))
  return { ...facet, buckets: [...facet.buckets, ...lost.map(({ value }) => ({ value, count: 0 }))] }
}

/** A record that was stored without a login names nobody as its creator. The value stays if it is chosen. */
function withoutNobody(name: string, facet: FacetResult, { narrowing }: SearchView): FacetResult {
  if (name !== 'creator') return facet
  const isChosen = (creator: string) =>
    narrowing.some(([parameter, value]) => parameter === 'creator' && value === creator)
  return { ...facet, buckets: facet.buckets.filter(({ value }) => !isNobody(value) || isChosen(value)) }
}

function facetOf(
  frame: Frame,
  view: SearchView,
  name: string,
  { buckets, more, tooMany, atLeast }: FacetResult,
): HtmlPart {
  const items = buckets.map(({ value, count }) => {
    const { isActive, href } = choiceOf(frame, view, name, value)
    return html`<li><a href="${href}"${isActive && html` aria-current="true"`}><span aria-hidden="true">${isActive ? '☑' : '☐'}</span> <span dir="auto">${shownValue(view, name, value)}</span><span class="unseen">, </span> <span class="count">${count.toLocaleString('en')}<span class="unseen"> record${count !== 1 && 's'}</span></span></a></li>\n`
  })
  const heading = `facet-${encodeURIComponent(name)}`
  return html`<section aria-labelledby="${heading}">
<h2 id="${heading}">${labels[name] ?? placeInWords(withoutDocumentPrefix(name))}</h2>
${tooMany ? html`<p class="dim">It takes too long to count them.</p>` : html`<ul>${items}</ul>`}
${atLeast && html`<p class="dim">Counted in the newest of the matching records.</p>`}
${more > 0 && html`<p class="dim">${pluralize(more, 'record')} ${more === 1 ? 'has' : 'have'} further values.</p>`}
</section>
`
}

/** The link of a value of a facet: it adds the value to the search, or removes it if the search has it already. */
function choiceOf(frame: Frame, view: SearchView, name: string, value: string) {
  const { narrowing } = view
  const own = view.parameterOf(name)
  const [parameter, wanted] =
    own === undefined
      ? ['declared', textOfDeclared({ path: withoutDocumentPrefix(name), value })]
      : [own, value]
  const index = narrowing.findIndex(([key, each]) => key === parameter && each === wanted)
  const changed = index >= 0 ? narrowing.toSpliced(index, 1) : [...narrowing, [parameter, wanted] as const]
  return { isActive: index >= 0, href: searchAddress(frame, view, changed) }
}
