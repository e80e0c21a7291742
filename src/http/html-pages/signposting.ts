import { persistentIdentifier, type StoredRecord } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import type { Version } from '../../core/value-types.js'
import { mediaTypeOf } from '../record-formats/render-json-properties.js'
import { type HtmlPart, html } from './html-template.js'
import { identifierUrl } from './identifier-links.js'
import type { PageUrls } from './page-urls.js'

/** A typed link. @see RFC 8288 */
export interface Signpost {
  /** Absolute URL in ASCII. */
  readonly href: string
  readonly rel: string
  /** Media type of the target. */
  readonly type?: string
}

/** The versions before and after the shown one. */
export interface AdjacentVersions {
  readonly previous?: Version
  readonly next?: Version
}

/** Longer URLs are only on the page, because clients limit the length of headers. */
const longestTarget = 2000

/**
 * Links for programs that reach the page of a record.
 *
 * `cite-as` needs a persistent identifier: the URLs of this server are not persistent. Creators in records have no
 * identifiers, so there is no `author`.
 * @see https://signposting.org/FAIR/ level 1; RFC 5829 for the versions
 */
export function signpostsOf(
  revision: Revision,
  addresses: PageUrls,
  neighbours: AdjacentVersions = {},
): readonly Signpost[] {
  const { kind, id, version, record, documentType } = revision
  const item = addresses.item(kind, id, version)
  const { previous, next } = neighbours
  return [
    { rel: 'type', href: 'https://schema.org/AboutPage' },
    { rel: 'type', href: `https://schema.org/${kind === 'schema' ? 'DigitalDocument' : 'Dataset'}` },
    ...post('cite-as', citation(record)),
    { rel: 'describedby', href: item, type: addresses.recordTypes[kind] },
    { rel: 'item', href: item, type: mediaTypeOf[documentType] },
    ...post('license', licence(record)),
    ...(previous ? [{ rel: 'predecessor-version', href: addresses.page(kind, id, previous) }] : []),
    ...(next ? [{ rel: 'successor-version', href: addresses.page(kind, id, next) }] : []),
    { rel: 'latest-version', href: addresses.page(kind, id) },
  ]
}

function post(rel: string, href: string | undefined): readonly Signpost[] {
  return href === undefined || href.length > longestTarget ? [] : [{ rel, href }]
}

/** URL of the persistent identifier; undefined if there is none. */
export function citation(record: StoredRecord): string | undefined {
  const pid = persistentIdentifier(record)
  return pid && identifierUrl(pid.value, pid.identifierType)
}

/** URL of the first licence with one. */
function licence({ rights = [] }: StoredRecord): string | undefined {
  for (const { schemeUri, schemeId } of rights) {
    const url = identifierUrl(schemeUri ?? schemeId ?? '')
    if (url !== undefined) return url
  }
  return undefined
}

/** The links as the value of a `Link` header. */
export function linkHeader(signposts: readonly Signpost[]): string {
  return signposts
    .map(({ href, rel, type }) => `<${href}>; rel="${rel}"${type === undefined ? '' : `; type="${type}"`}`)
    .join(', ')
}

/** The links as elements of the head. */
export function linkElements(signposts: readonly Signpost[]): HtmlPart {
  return signposts.map(({ href, rel, type }) =>
    type === undefined
      ? html`<link rel="${rel}" href="${href}">\n`
      : html`<link rel="${rel}" href="${href}" type="${type}">\n`,
  )
}
