import type { ParsedUrlQuery } from 'node:querystring'
import { collectionNames } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Version } from '../../core/value-types.js'
import { html } from '../../http/html-template.js'
import type { PageSection } from '../../http/route-context.js'
import type { PageAction, PageLink } from '../pages/html/html-layout.js'

/** What the dashboard and the lists offer. */
export const pageActions: readonly PageAction[] = [
  { adds: 'metadata', path: 'app/new', text: 'New document', icon: 'plus' },
  { adds: 'metadata', path: 'app/upload', text: 'Upload documents', icon: 'plus' },
  { adds: 'schema', path: 'app/schemas/new', text: 'Register a schema', icon: 'plus' },
  { path: 'app/search', text: 'List everything, and narrow it by checkboxes', icon: 'list' },
  { path: 'app/changes', text: 'Follow all changes, as they come', icon: 'document' },
]

/** What the header of every page of the server has. The application has the same links in its own header. */
export const pageLinks: readonly PageLink[] = [
  { path: 'app/search', text: 'Search and list' },
  { path: 'app/changes', text: 'What changed' },
  { path: 'app/drafts', text: 'Drafts' },
]

/** Pages of the server with a record, and the collections of these records. */
const landingPage = /^\/(?:(schema)|metadata)-landing-page(?:-v2)?$/

/** Lists of the server, and the searches of the application for the same records. */
const lists = new Map([
  ['/metadata-management', '/search?kind=metadata'],
  ['/schema-management', '/search?kind=schema'],
])

/**
 * Address of the application's page to log in, below the root of pages. From a list or the page of a record it leads on to
 * the same in the application, which reads it as the person.
 */
export function loginAddress(path: string, query: ParsedUrlQuery): string {
  const list = lists.get(path)
  if (list !== undefined) return `app/login?from=${encodeURIComponent(list)}`
  const found = landingPage.exec(path)
  const id = query.schemaId ?? query.id
  if (!found || typeof id !== 'string') return 'app/login'
  const version = typeof query.version === 'string' ? `?version=${encodeURIComponent(query.version)}` : ''
  const from = `/${found[1] ? 'schemas' : 'metadata'}/${encodeURIComponent(id)}${version}`
  const point = typeof query.at === 'string' ? `&at=${encodeURIComponent(query.at)}` : ''
  return `app/login?from=${encodeURIComponent(from)}${point}`
}

/**
 * The navigation of the page of a record: links into the application. They are relative to that page, which is directly
 * below the mount.
 * @param at the point of history of the page, at which nothing can be changed; undefined: now
 * @param isWithdrawn whether the newest version is, whatever the state of this one
 */
export function recordLinks(
  { kind, id, version }: Revision,
  at: string | undefined,
  isWithdrawn: boolean,
): PageSection {
  const page = pageOf(kind, id)
  const links = [
    ...(at === undefined ? changingLinks(kind, page, id, isWithdrawn) : []),
    [`${page}/versions`, 'Versions'],
    ...(version > 1 ? [[compareIn(page, version - 1, version), 'Compare']] : []),
    [`${page}/blame?version=${version}`, 'Who changed what'],
  ]
  return {
    id: 'application',
    title: 'History and changes',
    isNavigation: true,
    content: html`${links.map(([href = '', text]) => html`<a class="button" href="${atPoint(href, at)}">${text}</a>\n`)}
<noscript><p class="dim">These pages need JavaScript.</p></noscript>`,
  }
}

/** Address of the application's comparison of two versions, below the root of pages. @param at as in {@link recordLinks} */
export function comparisonAddress(
  { kind, id, version }: Revision,
  from: Version,
  at: string | undefined,
): string {
  return atPoint(compareIn(pageOf(kind, id), from, version), at)
}

function pageOf(kind: Revision['kind'], id: Id): string {
  return `app/${collectionNames[kind]}/${encodeURIComponent(id)}`
}

function compareIn(page: string, from: number, to: number): string {
  return `${page}/compare?from=${from}&to=${to}`
}

function atPoint(href: string, at: string | undefined): string {
  return at === undefined ? href : `${href}${href.includes('?') ? '&' : '?'}at=${encodeURIComponent(at)}`
}

/**
 * Links that change something.
 * @param page of the record in the application
 * @param isWithdrawn only its rights and its state can be changed then
 */
function changingLinks(
  kind: Revision['kind'],
  page: string,
  id: string,
  isWithdrawn: boolean,
): readonly (readonly string[])[] {
  const from = encodeURIComponent(id)
  const access = [`${page}/access`, 'Rights and state']
  if (isWithdrawn) return [access]
  return kind === 'metadata'
    ? [[`${page}/edit`, 'Edit'], [`app/new?from=${from}`, 'New document from this one'], access]
    : [
        [`app/new?schema=${from}`, 'New document of this schema'],
        [`${page}/edit`, 'New version'],
        [`${page}/impact`, 'What would break'],
        access,
      ]
}
