import { type ParsedUrlQuery, stringify } from 'node:querystring'
import { type Collection, recordLabels } from '../../../core/records/collection.js'
import type { ListedDescription } from '../../../core/records/document-description.js'
import type { Page } from '../../../core/records/list-page.js'
import type { Sort } from '../../../core/records/list-query.js'
import { relatedResources } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import { pluralize } from '../../../core/text/pluralize.js'
import type { Oid } from '../../../core/value-types.js'
import { type HtmlPart, html, isNothing, joined } from '../../../http/html-template.js'
import { addressesAt, type PageUrls } from '../../../http/page-urls/page-urls.js'
import { schemaName, titleOf, unusualState } from './display-names.js'
import { actionLinks, type Frame, page, pager, renderFirst, time } from './html-layout.js'
import { identifierUrl, link, userLink } from './identifier-links.js'

/** Limit of the described resources that a list shows for one record. */
const maxResources = 10

/** Whether the newest commit of a listed record is not served. */
export type IsBroken = (revision: Revision) => boolean

/** What the documents of listed records say about themselves. */
export type ListedDescriptions = Pick<ReadonlyMap<Revision, ListedDescription>, 'get'>

/** One page of a list of records, and how it was requested. */
export interface ListView {
  /** Default: of no record. */
  readonly isBroken?: IsBroken
  readonly described?: ListedDescriptions
  readonly records: Page<Revision>
  /** How many of all records of the list are REVOKED. Default: they are not told apart. */
  readonly revoked?: number
  /** Number of the page, from 1. */
  readonly page: number
  readonly pages: number
  /** Entries of a page. */
  readonly size: number
  /** The order that the request names; undefined: the usual one. */
  readonly sort?: Sort | undefined
  /** Titles of the schemas of the documents, by id, as far as the caller may read them. */
  readonly schemas?: ReadonlyMap<string, string>
  /** Titles of the schemas that the filter offers, by id; undefined: there are too many. */
  readonly choices?: ReadonlyMap<string, string> | undefined
  /** The requested point of history: its name in the request, and its commit. Undefined: today. */
  readonly at?: { readonly name: string; readonly commit: Oid }
}

/** All schemas, page by page. */
export function schemasPage(frame: Frame, addresses: PageUrls, view: ListView): string {
  const address = (more: Parameters) => listAddress(frame, 'schema', view, {}, more)
  return page(
    frame,
    'Schemas',
    html`<h1>Schemas</h1>
<p class="lead">A schema says what documents have. Each document belongs to one.</p>
${pointNote(view, listAddress(frame, 'schema', { ...view, at: undefined }, {}, {}))}
${listActions(frame, 'schema', view)}<p>${listCountText('schema', view)}</p>
${
  view.records.total === 0
    ? emptyList(frame, 'schema', view)
    : recordTable(addresses, 'schema', view, address)
}
${listFooter(view, address)}`,
  )
}

/** The filters of the list of metadata documents; an empty text is no filter. */
export interface Narrowing {
  readonly schemaId: string
  readonly resourceId: string
  /** What was typed to find a schema, and the titles of those that it fits, by id: none or several. */
  readonly found?: { readonly typed: string; readonly schemas: ReadonlyMap<string, string> }
}

/** The metadata documents, latest first, page by page, with a form for filters. */
export function metadataPage(
  frame: Frame,
  addresses: PageUrls,
  view: ListView,
  narrowing: Narrowing,
): string {
  const { schemaId, resourceId, found } = narrowing
  const isNarrowed = schemaId !== '' || resourceId !== ''
  const kept = { ...(schemaId && { schemaId }), ...(resourceId && { resourceId }) }
  const address = (more: Parameters) => listAddress(frame, 'metadata', view, kept, more)
  const all = `${frame.root}/metadata-management`
  return page(
    frame,
    'Documents',
    html`<h1>Documents</h1>
${pointNote(view, listAddress(frame, 'metadata', { ...view, at: undefined }, kept, {}))}
${listActions(frame, 'metadata', view)}<form class="filter" method="get" role="search" aria-label="This list">
${view.at && html`<input type="hidden" name="at" value="${view.at.commit}">`}
${schemaField(view, narrowing)}
<label>What is described<input name="resourceId" value="${resourceId}" autocapitalize="off" spellcheck="false" placeholder="address or identifier of the resource"></label>
<button>Show</button>
</form>
${found && foundSchemas(found, id => address({ schemaId: id }))}<p>${listCountText('metadata', view)}${isNarrowed && html`. ${link(all, 'Show all')}`}</p>
${view.records.total === 0 ? (isNarrowed ? nothingNarrowed(frame) : emptyList(frame, 'metadata', view)) : recordTable(addresses, 'metadata', view, address)}
${listFooter(view, address)}`,
  )
}

/** A choice of schemas by their titles; a field for words of a title if there are too many to choose from. */
function schemaField({ choices, schemas }: ListView, { schemaId, found }: Narrowing): HtmlPart {
  if (!choices) {
    const chosen = schemaId && schemaName(schemaId, schemas?.get(schemaId) ?? schemaId)
    return html`<label>Schema<input type="search" name="schemaTitle" value="${found?.typed ?? chosen}" autocapitalize="off" placeholder="words of its title"></label>`
  }
  const known =
    schemaId === '' || choices.has(schemaId) ? choices : new Map([...choices, [schemaId, schemaId]])
  const options = [...known].sort(([, a], [, b]) => a.localeCompare(b, 'en'))
  return html`<label>Schema<select name="schemaId"><option value="">All schemas</option>${options.map(
    ([id, title]) =>
      html`<option value="${id}"${id === schemaId && html` selected`}>${schemaName(id, title)}</option>`,
  )}</select></label>`
}

/** The schemas that fit what was typed, to choose from. */
function foundSchemas(
  { typed, schemas }: NonNullable<Narrowing['found']>,
  address: (id: string) => string,
): HtmlPart {
  const said = html`<span dir="auto">“${typed}”</span>`
  if (schemas.size === 0)
    return html`<p class="notice">No schema that you may read has ${said} in its title. These are documents of all schemas.</p>
`
  const links = [...schemas]
    .sort(([, a], [, b]) => a.localeCompare(b, 'en'))
    .map(
      ([id, title]) => html`<li><a href="${address(id)}" dir="auto">${schemaName(id, title)}</a></li>
`,
    )
  return html`<section class="notice" aria-labelledby="found-schemas"><h2 id="found-schemas">Schemas with ${said} in their title</h2>
<p>Choose one to see its documents:</p>
<ul>
${links}</ul></section>
`
}

/** The address of the list with the documents of a schema. @param query of the request */
export function schemaAddress({ root }: Frame, query: ParsedUrlQuery, schemaId: string): string {
  const { schemaTitle: _typed, page: _page, ...others } = query
  return `${root}/metadata-management?${stringify({ ...others, schemaId })}`
}

function nothingNarrowed({ root }: Frame): HtmlPart {
  return html`<div class="empty"><p>None. No document that you may read has this schema and describes this resource.</p>
<p>${link(`${root}/metadata-management`, 'Show all documents')}</p></div>`
}

function emptyList(frame: Frame, kind: Collection, { at }: ListView): HtmlPart {
  return html`<div class="empty"><p>No ${kind === 'schema' ? 'schema' : 'document'} is here yet.</p>
${!at && waysToAdd(frame, kind)}</div>`
}

/** How one adds the first record: by the buttons of other features, else by a command or a request. */
export function waysToAdd(frame: Frame, kind: Collection): HtmlPart {
  const links = actionLinks(frame, kind)
  if (links.length > 0) return html`<p class="actions">${joined(links, ' ')}</p>`
  const command = kind === 'schema' ? 'register' : 'add'
  return html`<p><code>git-metastore ${command}</code> stores one from a file, and ${link(`${frame.root}/swagger-ui.html`, 'the HTTP interface')} has forms to try.</p>`
}

/** What one can add to a list. Nothing can be added to a former state of it, and an empty list has it in its middle. */
function listActions(frame: Frame, kind: Collection, { at, records }: ListView): HtmlPart {
  const links = at || records.total === 0 ? [] : actionLinks(frame, kind)
  return links.length > 0 && html`<p class="actions">${joined(links, ' ')}</p>\n`
}

type Parameters = Readonly<Record<string, string>>

/** The address of the same list with other parameters. */
function listAddress(
  { root }: Frame,
  kind: Collection,
  { at, sort, size }: Pick<ListView, 'sort' | 'size'> & { readonly at?: ListView['at'] | undefined },
  narrowing: Parameters,
  more: Parameters,
): string {
  const query = new URLSearchParams({
    ...narrowing,
    ...(sort && { sort: `${sort.by},${sort.direction}` }),
    ...(size !== usualListSize && { size: String(size) }),
    ...more,
    ...(at && { at: at.commit }),
  }).toString()
  return `${root}/${kind}-management${query === '' ? '' : `?${query}`}`
}

/** Entries of a page of a list: the usual number, and what one can choose. */
export const usualListSize = 20
const listSizes = [20, 100, 200]
export const maxListSize = 200

/** The other pages, and other numbers of entries. */
function listFooter(view: ListView, address: (more: Parameters) => string): HtmlPart {
  const sizes = listSizes.map(size =>
    size === view.size
      ? html`<strong aria-current="true">${size}</strong>`
      : link(address({ size: String(size) }), String(size)),
  )
  return html`${pager(view.page, view.pages, number => address({ page: String(number) }))}${
    view.records.total > usualListSize && html`<p class="pager"><span>Records on a page:</span>${sizes}</p>`
  }`
}

/** The records of a list as rows, with headings that sort them. */
function recordTable(
  addresses: PageUrls,
  kind: Collection,
  view: ListView,
  address: (more: Parameters) => string,
): HtmlPart {
  const { records, at } = view
  const { by, direction } = view.sort ?? usualSort[kind]
  const heading = (name: string, field: Sort['by'], first: Sort['direction']) => {
    const next = field === by ? (direction === 'asc' ? 'desc' : 'asc') : first
    const order = field === by && (direction === 'asc' ? 'ascending' : 'descending')
    return html`<th scope="col"${order && html` aria-sort="${order}"`}><a href="${address({ sort: `${field},${next}` })}">${name}${order && html` <span aria-hidden="true">${direction === 'asc' ? '↑' : '↓'}</span>`}</a></th>`
  }
  const rows = records.items.map(revision => recordRow(addresses, revision, at?.commit, view))
  return html`<div class="wide" tabindex="0" role="region" aria-label="${kind === 'schema' ? 'Table of schemas' : 'Table of documents'}"><table class="dense list stacked">
<thead><tr><th scope="col">Title</th>${heading('Id', 'id', 'asc')}${kind === 'metadata' && html`<th scope="col">Schema</th>`}<th scope="col">Version</th>${heading('Changed', 'lastUpdate', 'desc')}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>`
}

const usualSort: Readonly<Record<Collection, Sort>> = {
  schema: { by: 'id', direction: 'asc' },
  metadata: { by: 'lastUpdate', direction: 'desc' },
}

function recordRow(
  addresses: PageUrls,
  revision: Revision,
  at: Oid | undefined,
  { isBroken, described, schemas }: ListView,
): HtmlPart {
  const { kind, id, version, record, time: when, documentType } = revision
  const there = at === undefined ? addresses : addressesAt(addresses, at)
  const about = described?.get(revision)
  const state = unusualState(record)
  const { schema } = record
  return html`<tr>
<td>${link(there.page(kind, id, at && version), html`<span dir="auto">${about?.title ?? titleOf(record)}</span>`)}${state !== undefined && html` <span class="tag">${state}</span>`}${isBroken?.(revision) && html` <span class="tag">newest commit not served</span>`}${about && html`<div class="dim">${factsOf(about)}</div>${linesAbout(about)}`}</td>
<td class="mono">${id}</td>
${kind === 'metadata' && html`<td>${schema && link(there.page('schema', schema.schemaId, schema.version), html`<span dir="auto">${schemas?.get(schema.schemaId) ?? schema.schemaId}</span>`)}</td>\n`}<td class="version">${version}, ${documentType}</td>
<td>${time(when)}</td>
</tr>
`
}

/** A number of records, such as `25 metadata documents`. */
export function countText(kind: Collection, total: number): string {
  return pluralize(total, recordLabels[kind].toLowerCase())
}

/** Counts as the dashboard does, which leaves withdrawn records out. */
function listCountText(kind: Collection, { records, revoked = 0 }: ListView): string {
  const count = countText(kind, records.total - revoked)
  return revoked === 0 ? count : `${count}, and ${revoked} withdrawn record${revoked === 1 ? '' : 's'}`
}

/** The note on a list that is not of today; undefined for today's list. */
function pointNote({ at }: ListView, today: string): HtmlPart {
  if (!at) return undefined
  return html`<p class="notice">This is the list at the point <strong>${at.name}</strong> of the history. ${link(today, 'The list as it is today')}</p>`
}

/**
 * A record in the results of a search.
 * @param at the point of history whose list it is; undefined: now
 * @param more for a search: `title` is the title with the found words in `<mark>`, `below` is shown under it, and has the
 *   description already if `hasDescription`
 */
export function listEntry(
  addresses: PageUrls,
  { kind, id, version, record, time: when, documentType }: Revision,
  at: Oid | undefined,
  more: {
    readonly title?: HtmlPart
    readonly below?: HtmlPart
    readonly hasDescription?: boolean
    readonly isBroken?: boolean | undefined
    readonly described?: ListedDescription | undefined
    /** Titles of schemas by id. */
    readonly schemas?: ReadonlyMap<string, string> | undefined
  } = {},
): HtmlPart {
  const there = at === undefined ? addresses : addressesAt(addresses, at)
  const { described } = more
  const title = described?.title ?? titleOf(record)
  const state = unusualState(record)
  const facts = [
    title !== id && html`<span class="mono">${id}</span>`,
    `version ${version}`,
    documentType,
    state !== undefined && html`<span class="tag">${state}</span>`,
    time(when),
    more.isBroken && html`<span class="tag">newest commit not served</span>`,
  ]
  const resources = renderFirst(
    relatedResources(record),
    resource => userLink(resource, identifierUrl(resource)),
    maxResources,
  )
  const { schema } = record
  return html`<h2>${link(there.page(kind, id, at && version), html`<span dir="auto">${more.title ?? title}</span>`)}</h2>
${more.below}${described && descriptionLines(described, more.hasDescription)}<p class="dim">${joined(facts, ', ')}</p>
${resources && resources.length > 0 && html`<p>describes ${joined(resources, ', ')}</p>`}
${
  schema &&
  html`<p class="dim">Schema: ${link(there.page('schema', schema.schemaId, schema.version), html`<span dir="auto">${more.schemas?.get(schema.schemaId) ?? schema.schemaId}</span>, version ${schema.version}`)}</p>`
}`
}

/** People, year and licence. */
export function factsOf({ people, hasMorePeople, year, licence }: ListedDescription): HtmlPart {
  const named = [...people, ...(hasMorePeople ? ['…'] : [])]
  return joined(
    [named.length > 0 && joined(named.map(userText), '; '), year, licence && userText(licence)],
    ', ',
  )
}

/** People, year, licence; and the lines of {@link linesAbout}. */
function descriptionLines(described: ListedDescription, isTextShown: boolean | undefined): HtmlPart {
  const facts = factsOf(described)
  return html`${!isNothing(facts) && html`<p>${facts}</p>\n`}${linesAbout(described, isTextShown)}`
}

interface Lines {
  readonly beginning: HtmlPart
  readonly keywords: HtmlPart
}

/** Lines by descriptions that are in memory: lists show the newest records again and again. */
const knownLines = new WeakMap<ListedDescription, Lines>()

/** The beginning of the description in one line, unless it is shown elsewhere, and keywords. */
function linesAbout(described: ListedDescription, isTextShown = false): HtmlPart {
  const lines = knownLines.get(described) ?? linesOf(described)
  knownLines.set(described, lines)
  return html`${!isTextShown && lines.beginning}${lines.keywords}`
}

function linesOf({ text, keywords }: ListedDescription): Lines {
  const tags = keywords.map(keyword => html`<span class="tag" dir="auto">${keyword}</span>`)
  return {
    beginning: text !== undefined && html`<div class="beginning" dir="auto">${text}</div>`,
    keywords: tags.length > 0 && html`<div class="keywords">${joined(tags, ' ')}</div>`,
  }
}

function userText(text: string): HtmlPart {
  return html`<span dir="auto">${text}</span>`
}
