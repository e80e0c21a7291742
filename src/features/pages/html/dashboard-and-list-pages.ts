import { findingLine } from '../../../core/problem.js'
import { type Collection, recordLabels } from '../../../core/records/collection.js'
import type { Page } from '../../../core/records/list-page.js'
import { relatedResources, stateOf } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import type { Oid } from '../../../core/value-types.js'
import { type HtmlPart, html, joined } from '../../../http/html-template.js'
import { addressesAt, type PageUrls } from '../../../http/page-urls/page-urls.js'
import type { Health, Warning } from '../../../service/operations/health-check.js'
import type { ListedDescription } from '../../exports/datacite/listed-description.js'
import { titleOf } from './display-names.js'
import { definitionList, type Frame, list, page, pager, renderFirst, section, time } from './html-layout.js'
import { identifierUrl, link, userLink } from './identifier-links.js'

/** Limit of the described resources that a list shows for one record. */
const maxResources = 10

/** Whether the newest commit of a listed record is not served. */
export type IsBroken = (revision: Revision) => boolean

/** What the documents of listed records say about themselves. */
export type ListedDescriptions = Pick<ReadonlyMap<Revision, ListedDescription>, 'get'>

/** What the dashboard shows. */
export interface DashboardView {
  readonly isBroken: IsBroken
  readonly schemas: Page<Revision>
  /** The latest records. */
  readonly metadata: Page<Revision>
  readonly described: ListedDescriptions
  readonly health: Health
}

/** The numbers of records, the latest records, and the state of the service. */
export function dashboardPage(frame: Frame, addresses: PageUrls, view: DashboardView): string {
  const { schemas, metadata, health } = view
  return page(
    frame,
    'Dashboard',
    html`<h1>Dashboard</h1>
<p>${link(`${frame.root}/schema-management`, countText('schema', schemas.total))},
${link(`${frame.root}/metadata-management`, countText('metadata', metadata.total))}.</p>
${
  schemas.total + metadata.total === 0 &&
  html`<p>There is nothing to show yet. Begin with a schema: <code>git-metastore register</code> stores one from a file, and ${link(`${frame.root}/swagger-ui.html`, 'the HTTP interface')} has forms to try.</p>`
}
${section('latest', 'Latest metadata documents', recordList(addresses, metadata, view))}
${section('schemas', 'Schemas', recordList(addresses, schemas, view))}
${section('health', 'Health', healthOf(addresses, health))}
${section(
  'programs',
  'For programs',
  html`<ul>
<li>${link(`${addresses.api}/schemas`, 'Schema records')} and ${link(`${addresses.api}/metadata`, 'metadata records')}, as JSON</li>
<li>${link(`${frame.root}/health`, 'Health')}, as JSON</li>
</ul>`,
)}`,
  )
}

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
  /** The requested point of history: its name in the request, and its commit. Undefined: today. */
  readonly at?: { readonly name: string; readonly commit: Oid }
}

/** All schemas, page by page. */
export function schemasPage(frame: Frame, addresses: PageUrls, view: ListView): string {
  return page(
    frame,
    'Schema Management',
    html`<h1>Schema Management</h1>
${pointNote(view, `${frame.root}/schema-management`)}
<p>${listCountText('schema', view)}</p>
${recordList(addresses, view.records, view)}
${pager(view.page, view.pages, number => `${frame.root}/schema-management?${pageQuery(view, number)}`)}`,
  )
}

/** The filters of the list of metadata documents; an empty text is no filter. */
export interface Narrowing {
  readonly schemaId: string
  readonly resourceId: string
}

/** The metadata documents, latest first, page by page, with a form for filters. */
export function metadataPage(
  frame: Frame,
  addresses: PageUrls,
  view: ListView,
  { schemaId, resourceId }: Narrowing,
): string {
  const isNarrowed = schemaId !== '' || resourceId !== ''
  const address = (number: number) =>
    `${frame.root}/metadata-management?${pageQuery(view, number, {
      ...(schemaId === '' ? {} : { schemaId }),
      ...(resourceId === '' ? {} : { resourceId }),
    })}`
  return page(
    frame,
    'Metadata Management',
    html`<h1>Metadata Management</h1>
${pointNote(view, `${frame.root}/metadata-management`)}
<form method="get" role="search" aria-label="This list">
${view.at && html`<input type="hidden" name="at" value="${view.at.commit}">`}
<label>Schema<input name="schemaId" value="${schemaId}" autocapitalize="off" spellcheck="false" placeholder="its id"></label>
<label>Resource that is described<input name="resourceId" value="${resourceId}" autocapitalize="off" spellcheck="false" placeholder="its identifier"></label>
<button>Show</button>
</form>
<p>${listCountText('metadata', view)}${isNarrowed && html`. ${link(`${frame.root}/metadata-management`, 'Show all')}`}</p>
${recordList(addresses, view.records, view)}
${pager(view.page, view.pages, address)}`,
  )
}

function countText(kind: Collection, total: number): string {
  const noun = recordLabels[kind].toLowerCase()
  return `${total} ${noun}${total === 1 ? '' : 's'}`
}

/** Counts as the dashboard does, which leaves deleted records out. */
function listCountText(kind: Collection, { records, revoked = 0 }: ListView): string {
  const count = countText(kind, records.total - revoked)
  return revoked === 0 ? count : `${count}, and ${revoked} deleted record${revoked === 1 ? '' : 's'}`
}

/** The note on a list that is not of today; undefined for today's list. */
function pointNote({ at }: ListView, today: string): HtmlPart {
  if (!at) return undefined
  return html`<p class="notice">This is the list at the point <strong>${at.name}</strong> of the history. ${link(today, 'The list as it is today')}</p>`
}

/** The query of the URL of another page of the same list. */
function pageQuery(
  { at }: ListView,
  number: number,
  narrowing: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ ...narrowing, page: String(number), ...(at && { at: at.commit }) })
  return query.toString()
}

/** @param at the point of history of the list; default: today */
function recordList(
  addresses: PageUrls,
  { items, offset }: Page<Revision>,
  { isBroken, at, described }: Pick<ListView, 'at' | 'isBroken' | 'described'>,
): HtmlPart {
  if (items.length === 0) return html`<p class="dim">None.</p>`
  return html`<ol class="records" start="${offset + 1}">
${items.map(revision => html`<li>${listEntry(addresses, revision, at?.commit, { isBroken: isBroken?.(revision), described: described?.get(revision) })}</li>\n`)}</ol>`
}

/**
 * A record in a list.
 * @param at the point of history whose list it is; undefined: now
 * @param more for a search: `title` is the title with the found words in `<mark>`, `below` is shown under it
 */
export function listEntry(
  addresses: PageUrls,
  { kind, id, version, record, time: when, documentType }: Revision,
  at: Oid | undefined,
  more: {
    readonly title?: HtmlPart
    readonly below?: HtmlPart
    readonly isBroken?: boolean | undefined
    readonly described?: ListedDescription | undefined
  } = {},
): HtmlPart {
  const there = at === undefined ? addresses : addressesAt(addresses, at)
  const { described } = more
  const title = described?.title ?? titleOf(record)
  const state = stateOf(record)
  const facts = [
    title !== id && html`<span class="mono">${id}</span>`,
    `version ${version}`,
    documentType,
    state !== 'VOLATILE' && html`<span class="tag">${state}</span>`,
    time(when),
    more.isBroken && html`<span class="tag">newest commit not served</span>`,
  ]
  const resources = renderFirst(
    relatedResources(record),
    resource => userLink(resource, identifierUrl(resource)),
    maxResources,
  )
  const { schema } = record
  return html`<p>${link(there.page(kind, id, at && version), html`<span dir="auto">${more.title ?? title}</span>`)}</p>
${more.below}${described && descriptionLines(described)}<p class="dim">${joined(facts, ', ')}</p>
${resources && resources.length > 0 && html`<p>describes ${joined(resources, ', ')}</p>`}
${
  schema &&
  html`<p>follows ${link(there.page('schema', schema.schemaId, schema.version), `${schema.schemaId}, version ${schema.version}`)}</p>`
}`
}

/** People, year, licence, the beginning of the description, and keywords. */
function descriptionLines({ people, year, licence, text, keywords }: ListedDescription): HtmlPart {
  const facts = [people.length > 0 && joined(people.map(userText), '; '), year, licence && userText(licence)]
  return html`${facts.some(Boolean) && html`<p>${joined(facts, ', ')}</p>\n`}${
    text !== undefined && html`<p dir="auto">${text}</p>\n`
  }${keywords.length > 0 && html`<p class="dim">${joined(keywords.map(userText), ', ')}</p>\n`}`
}

function userText(text: string): HtmlPart {
  return html`<span dir="auto">${text}</span>`
}

/** Names of the checks and of the warnings on the dashboard. */
const labels: Readonly<Record<keyof Health['checks'] | Warning, string>> = {
  repository: 'Files of the repository',
  writable: 'Updates',
  catalog: 'Catalog',
  branch: 'Served branch',
  edits: 'Commits by hand',
  records: 'Records',
}

function stateText({ ok, detail }: { readonly ok: boolean; readonly detail?: string }): HtmlPart {
  return joined([ok ? 'good' : 'not good', detail], ': ')
}

/** Limit of the records that the dashboard names because their newest commit is not served. */
const maxFaults = 20

function healthOf(
  addresses: PageUrls,
  { status, head, checks, warnings, faults, ofFeatures }: Health,
): HtmlPart {
  const remote = ofFeatures?.remote as Health['checks']['catalog'] | undefined
  const named = renderFirst(
    faults,
    ({ kind, id, directory, commit, findings: [first] }) => {
      const record = id === undefined ? directory : link(addresses.page(kind, id), id)
      return html`${record}: its newest commit <span class="mono">${commit.slice(0, 10)}</span> is not served: ${first && findingLine(first)}`
    },
    maxFaults,
  )
  const isWell = Object.values(warnings).every(({ ok }) => ok)
  const summary =
    status !== 'UP'
      ? 'The service does not work as it should.'
      : 'The service works, but something in the repository is not good.'
  // The list of the commits says more than the detail of the warning.
  const records = faults.length > 0 ? { ok: false } : warnings.records
  const all = { ...checks, branch: warnings.branch, edits: warnings.edits, records }
  const shown = Object.entries(all).filter(([name, { ok }]) => name in checks || !ok)
  return html`<p>${status === 'UP' && isWell ? 'Everything works.' : html`<strong class="notice">${summary}</strong>`}</p>
${definitionList([
  ...shown.map(([name, check]) => [labels[name as keyof typeof labels], stateText(check)] as const),
  ['Commits that break a rule', list(named)],
  ['Commit', head && html`<span class="mono">${head}</span>`],
  ['Other repository', remote && stateText(remote)],
])}`
}
