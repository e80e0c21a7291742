import type { Collection } from '../../../core/records/collection.js'
import { formatSecond, type Id, type Instant, type Version } from '../../../core/value-types.js'
import { Html, type HtmlPart, html, isNothing } from '../../../http/html-template.js'
import type { ProgramInfo } from '../../../http/route-context.js'
import { type IconName, icon, mark } from './icons.js'
import { link } from './identifier-links.js'
import { secondInWords } from './spoken-names.js'
import { stylesheet } from './stylesheet.js'

/** The parts that all pages share. */
export interface Frame {
  /** Beginning of the URLs of pages, such as `https://example.org/metastore`. */
  readonly root: string
  readonly build: ProgramInfo
  /** The search box of the page. Undefined: the server has no search. */
  readonly search: SearchBox | undefined
  readonly actions: readonly PageAction[]
  /** Pages of other features, in the header of every page. */
  readonly pages: readonly PageLink[]
  /** Path, below the root, of the page at which people log in. Undefined: there is none. */
  readonly login: string | undefined
}

/** A page that is about no single record. */
export interface PageLink {
  /** Path below the root of pages, without a slash at its beginning. */
  readonly path: string
  readonly text: string
}

/** A link of the dashboard to a page of another feature. */
export interface PageAction extends PageLink {
  /** What one adds there: the list of these records offers it, too. Absent: one adds nothing there. */
  readonly adds?: Collection
  readonly icon: IconName
}

/** Address of the page that compares two versions, below the root of pages. */
export type ComparisonAddress = (kind: Collection, id: Id, from: Version, to: Version) => string

export interface SearchBox {
  /**
   * Relative address of the results. It must have the origin of the page: the policy of pages forbids forms to another
   * origin, which a configured base URL may have.
   */
  readonly action: string
  /** The query in the box. */
  readonly query: string
  /** Names and values of parameters that the next search keeps. */
  readonly kept: readonly (readonly [name: string, value: string])[]
}

/** Path, below the root of pages, of the OpenSearch description. Browsers need it to search from their address bar. */
export const openSearchPath = '/opensearch.xml'
export const openSearchMediaType = 'application/opensearchdescription+xml'

/**
 * A complete page.
 * @param title plain text, for the title of the window
 * @param head further elements of the head
 */
export function page(frame: Frame, title: string, main: HtmlPart, head?: HtmlPart): string {
  const { root, build, search, pages, login } = frame
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${build.name}</title>
<link rel="icon" type="image/svg+xml" href="${root}/favicon.svg">
${search && html`<link rel="search" type="${openSearchMediaType}" title="${build.name}" href="${root}${openSearchPath}">\n`}${head}<style>${new Html(stylesheet)}</style>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header>
<div class="bar">
<a class="brand" href="${root}/dashboard">${mark}${build.name}</a>
<nav aria-label="Pages">
${link(`${root}/dashboard`, 'Dashboard')}
${link(`${root}/metadata-management`, 'Documents')}
${link(`${root}/schema-management`, 'Schemas')}
${pages.map(({ path, text }) => html`${link(`${root}/${path}`, text)}\n`)}</nav>
${search && searchBox(search)}${login !== undefined && html`<p class="session">${link(`${root}/${login}`, 'Log in')}</p>\n`}</div>
</header>
<main id="main">
${main}
</main>
<footer>${build.name}${build.version === undefined ? '' : ` ${build.version}`} · ${link(`${root}/swagger-ui.html`, 'Interface for programs')}</footer>
</body>
</html>
`.markup
}

/**
 * Limit of the characters in the search box. An address has up to nine bytes for each, and servers and proxies take 16 KiB
 * of address and headers.
 */
const maxSearchWords = 1000

/** A form that works without a script. */
function searchBox({ action, query, kept }: SearchBox): HtmlPart {
  return html`<form class="search" role="search" aria-label="All records" action="${action}">
<input type="search" name="q" value="${query}" maxlength="${maxSearchWords}" aria-label="Search words" placeholder="Search" autocapitalize="off">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}<button>Search</button>
</form>
`
}

/** The links to pages on which one adds records. @param adds undefined: records of any kind, not as buttons */
export function actionLinks({ root, actions }: Frame, adds?: Collection): readonly HtmlPart[] {
  return actions
    .filter(action => adds === undefined || action.adds === adds)
    .map(
      action =>
        html`<a${adds && html` class="button"`} href="${root}/${action.path}">${icon(action.icon)} ${action.text}</a>`,
    )
}

/** A section with a title; nothing if it has no content. */
export function section(id: string, title: string, content: HtmlPart): HtmlPart {
  if (isNothing(content)) return undefined
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}
</section>
`
}

/** A definition list. A name without a value is omitted. */
export function definitionList(rows: readonly (readonly [name: string, value: HtmlPart])[]): HtmlPart {
  const there = rows.filter(([, value]) => !isNothing(value))
  if (there.length === 0) return undefined
  return html`<dl>
${there.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`
}

/** A list element of several values; a single value without a list. */
export function list(items: readonly HtmlPart[] | undefined): HtmlPart {
  if (items === undefined || items.length <= 1) return items?.[0]
  return html`<ul>${items.map(item => html`<li>${item}</li>`)}</ul>`
}

/** Limit of the values of one member of a record that a page shows: a record may have tens of thousands. */
const maxShown = 100

/**
 * Renders the first values, and the number of the others.
 * @param max number of values that are rendered
 */
export function renderFirst<T>(
  values: readonly T[] | undefined,
  render: (value: T) => HtmlPart,
  max = maxShown,
): readonly HtmlPart[] | undefined {
  if (values === undefined || values.length <= max) return values?.map(render)
  return [...values.slice(0, max).map(render), `and ${values.length - max} more`]
}

/** A time in UTC, to the second: `14 Mar 2026, 09:26:53 UTC`. */
export function time(instant: Instant): HtmlPart {
  const machine = formatSecond(instant)
  return html`<time datetime="${machine}" class="when">${secondInWords(new Date(instant))}</time>`
}

/** Links to the previous and next pages of a list. @param page from 1 @param pages number of pages */
export function pager(page: number, pages: number, address: (page: number) => string): HtmlPart {
  if (pages <= 1) return undefined
  return html`<nav class="pager" aria-label="Pages of the list">
<span>Page ${page} of ${pages}</span>
${page > 1 && html`<a rel="prev" href="${address(page - 1)}">Previous page</a>`}
${page < pages && html`<a rel="next" href="${address(page + 1)}">Next page</a>`}
</nav>`
}
