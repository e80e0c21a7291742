import { findingLine } from '../../../core/problem.js'
import type { Page } from '../../../core/records/list-page.js'
import type { Revision } from '../../../core/records/revision.js'
import type { Oid } from '../../../core/value-types.js'
import { type HtmlPart, html, joined } from '../../../http/html-template.js'
import type { PageUrls } from '../../../http/page-urls/page-urls.js'
import type { Health, Warning } from '../../../service/operations/health-check.js'
import { authorInWords, titleOf } from './display-names.js'
import {
  actionLinks,
  definitionList,
  type Frame,
  list,
  page,
  renderFirst,
  section,
  time,
} from './html-layout.js'
import { icon } from './icons.js'
import { link } from './identifier-links.js'
import { countText, factsOf, type IsBroken, type ListedDescriptions, waysToAdd } from './list-pages.js'

/** What the dashboard shows. */
export interface DashboardView {
  readonly isBroken: IsBroken
  /** The latest records. */
  readonly schemas: Page<Revision>
  readonly metadata: Page<Revision>
  /** Authors of these records, by commit. */
  readonly authors: ReadonlyMap<Oid, string>
  readonly described: ListedDescriptions
  readonly health: Health
}

/** Limit of the changes on the dashboard. */
const maxChanges = 15

/** What there is, who changed what last, what one can do, and whether the service works. */
export function dashboardPage(frame: Frame, addresses: PageUrls, view: DashboardView): string {
  const { schemas, metadata, health } = view
  const { root } = frame
  const isEmpty = schemas.total + metadata.total === 0
  const count = (kind: 'schema' | 'metadata', total: number) => {
    const [number = '', ...noun] = countText(kind, total).split(' ')
    return html`<li><a href="${root}/${kind}-management"><strong>${number}</strong> ${noun.join(' ')}</a></li>\n`
  }
  return page(
    frame,
    'Dashboard',
    html`<h1>Dashboard</h1>
<ul class="numbers">
${count('metadata', metadata.total)}${count('schema', schemas.total)}</ul>
<div class="board">
<div>
${isEmpty ? emptyState(frame) : section('latest', 'What changed last', changes(addresses, view))}
</div>
<aside class="side" aria-label="What you can do, and how the service is">
${section('actions', 'What you can do', actions(frame))}
${section('health', 'Health', healthOf(addresses, health))}
${section(
  'programs',
  'For programs',
  html`<ul class="plain">
<li>${link(`${addresses.api}/schemas`, 'Schemas')} and ${link(`${addresses.api}/metadata`, 'documents')}, as JSON</li>
<li>${link(`${root}/health`, 'Health')}, as JSON</li>
<li>${link(`${root}/swagger-ui.html`, 'All requests, with forms to try them')}</li>
</ul>`,
)}
</aside>
</div>`,
  )
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function emptyState(frame: Frame): HtmlPart {
  return html`<div class="empty"><h2>Begin with a schema</h2>
<p>There is nothing to show yet. Begin with a schema: it says what documents have.</p>
${waysToAdd(frame, 'schema')}
<p>Then add documents. They are checked by their schema before they are stored.</p></div>`
}

function actions(frame: Frame): HtmlPart {
  const { root, search } = frame
  return html`<ul class="plain">
${actionLinks(frame).map(action => html`<li>${action}</li>\n`)}${search && html`<li><a href="${root}/search">${icon('search')}Search everything</a></li>\n`}<li><a href="${root}/metadata-management">${icon('list')}Browse the documents</a></li>
<li><a href="${root}/schema-management">${icon('schema')}Browse the schemas, and take one to start a document from</a></li>
${frame.actions.length === 0 && html`<li><a href="${root}/swagger-ui.html">${icon('plus')}Add a document or a schema by a form</a></li>\n`}</ul>`
}

/** The latest records of both kinds, each with who changed it. */
function changes(addresses: PageUrls, { schemas, metadata, ...view }: DashboardView): HtmlPart {
  const latest = [...schemas.items, ...metadata.items].sort((a, b) => b.time - a.time).slice(0, maxChanges)
  return html`<ol class="feed">
${latest.map(revision => html`<li>${changeOf(addresses, revision, view)}</li>\n`)}</ol>`
}

function changeOf(
  addresses: PageUrls,
  revision: Revision,
  { authors, described, isBroken }: Pick<DashboardView, 'authors' | 'described' | 'isBroken'>,
): HtmlPart {
  const { kind, id, version, time: when, commit, record } = revision
  const about = described.get(revision)
  const title = about?.title ?? titleOf(record)
  const author = authors.get(commit) ?? ''
  // Names of people stay as they are.
  const words = authorInWords(author)
  const who = words === author ? author : capitalized(words)
  const action = version === 1 ? 'added' : 'changed'
  const facts = [
    about && factsOf(about),
    version > 1 && `now version ${version}`,
    title !== id && html`<span class="mono">${id}</span>`,
    isBroken(revision) && html`<span class="tag">newest commit not served</span>`,
  ]
  return html`<p>${icon(kind === 'schema' ? 'schema' : 'document')} <span dir="auto">${who}</span> ${action} the ${kind === 'schema' ? 'schema' : 'document'} ${link(addresses.page(kind, id), html`<span dir="auto">${title}</span>`)}</p>
<p class="dim">${joined([time(when), ...facts], ' · ')}</p>`
}

/** Names of the checks and of the warnings on the dashboard. */
const labels: Readonly<Record<keyof Health['checks'] | Warning, string>> = {
  repository: 'Files of the repository',
  writable: 'Updates',
  catalog: 'Index of the records',
  branch: 'Branch that is served',
  edits: 'Commits by hand',
  records: 'Records',
}

function stateText({ ok, detail }: { readonly ok: boolean; readonly detail?: string }): HtmlPart {
  return joined([ok ? 'works' : 'does not work', detail], ': ')
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
  const details = definitionList([
    ...shown.map(([name, check]) => [labels[name as keyof typeof labels], stateText(check)] as const),
    ['Commits that break a rule', list(named)],
    ['Newest commit', head && html`<span class="mono">${head}</span>`],
    ['Other repository', remote && stateText(remote)],
  ])
  const isGood = status === 'UP' && isWell
  return html`<p>${isGood ? 'Everything works.' : html`<strong class="notice">${summary}</strong>`}</p>
<details${!isGood && html` open`}><summary>What is checked</summary>
${details}</details>`
}
