import type { DataCiteDocument } from '../../../core/records/datacite-document.js'
import { persistentIdentifier, type StoredRecord } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import { identifierIri } from '../../../core/text/iri.js'
import { mediaTypeWith, type WebLink } from '../../../core/text/web-link.js'
import type { Version } from '../../../core/value-types.js'
import { type HtmlPart, html } from '../../../http/html-template.js'
import type { PageUrls } from '../../../http/page-urls/page-urls.js'
import { mediaTypeOf } from '../../../http/record-formats/render-json-properties.js'
import { agentAddress } from '../datacite/agent-addresses.js'
import { isAccessRight } from '../datacite/rights.js'
import { type ExportFormat, exportFormat, exportFormats } from '../export-formats.js'

/** The versions before and after the shown one. */
export interface AdjacentVersions {
  readonly previous?: Version
  readonly next?: Version
}

/** Limit of the characters of the `Link` header of a page. Further links are in the linkset and in the head of the page. */
export const maxLinkHeaderLength = 4000

/** Limit of the characters of a link's URL, as clients limit headers. A longer URL is only in the text of the page. */
const maxTargetLength = 2000

/**
 * Links for programs that reach the page of a record. Formats that most clients know come first.
 *
 * `cite-as` needs a persistent identifier: the URLs of this server are not persistent.
 * @param document the DataCite document, which has authors and licences that the document of the record names
 * @see https://signposting.org/FAIR/ levels 1 and 2; RFC 5829 for the versions
 */
export function signpostsOf(
  revision: Revision,
  addresses: PageUrls,
  { previous, next }: AdjacentVersions,
  document?: DataCiteDocument,
): readonly WebLink[] {
  const { kind, id, version, record, documentType } = revision
  const item = addresses.item(kind, id, version)
  const formatUrl = (name: string) => addresses.export(kind, id, name, version)
  return [
    // The linkset has all links, so it comes before links that may be too long for the header.
    { rel: 'linkset', href: formatUrl('linkset'), type: exportFormat('linkset').mediaType },
    { rel: 'type', href: 'https://schema.org/AboutPage' },
    { rel: 'type', href: `https://schema.org/${kind === 'schema' ? 'DigitalDocument' : 'Dataset'}` },
    ...linkIfPresent('cite-as', persistentUrl(record)),
    { rel: 'describedby', href: item, type: addresses.recordTypes[kind] },
    { rel: 'item', href: item, type: mediaTypeOf[documentType] },
    ...authorsOf(document),
    ...linkIfPresent('license', licenceUrl(record) ?? licenceOf(document)),
    ...(previous ? [{ rel: 'predecessor-version', href: addresses.page(kind, id, previous) }] : []),
    ...(next ? [{ rel: 'successor-version', href: addresses.page(kind, id, next) }] : []),
    { rel: 'latest-version', href: addresses.page(kind, id) },
    ...exportFormats
      .filter(({ name }) => !name.startsWith('linkset'))
      .map(({ name, mediaType, ...others }: ExportFormat) => ({
        rel: 'describedby',
        href: formatUrl(name),
        type: mediaType,
        ...(others.profile !== undefined && { profile: others.profile }),
      })),
  ]
}

function linkIfPresent(rel: string, href: string | undefined): readonly WebLink[] {
  return href === undefined || href.length > maxTargetLength ? [] : [{ rel, href }]
}

/** URL of the persistent identifier; undefined if there is none. */
export function persistentUrl(record: StoredRecord): string | undefined {
  const pid = persistentIdentifier(record)
  return pid && identifierIri(pid.value, pid.identifierType)
}

/** URL of the first licence with one. */
function licenceUrl({ rights = [] }: StoredRecord): string | undefined {
  for (const { schemeUri, schemeId } of rights) {
    const url = identifierIri(schemeUri ?? schemeId ?? '')
    if (url !== undefined) return url
  }
  return undefined
}

/** Limit of the authors that are linked. */
const maxAuthors = 100

/** Links to creators whose identifiers have an address. */
function authorsOf(document: DataCiteDocument | undefined): readonly WebLink[] {
  const creators = document?.creators.slice(0, maxAuthors) ?? []
  return creators.flatMap(creator => linkIfPresent('author', agentAddress(creator)))
}

/** URL of the first licence that the document of the record names. */
function licenceOf(document: DataCiteDocument | undefined): string | undefined {
  return document?.rightsList.find(right => !isAccessRight(right) && right.rightsUri)?.rightsUri
}

/** The links as elements of the head. */
export function linkElements(signposts: readonly WebLink[]): HtmlPart {
  return signposts.map(({ href, rel, type, profile }) => {
    // HTML has no attribute for a profile, so it is a parameter of the type.
    const whole = type && mediaTypeWith(type, profile)
    return whole === undefined
      ? html`<link rel="${rel}" href="${href}">\n`
      : html`<link rel="${rel}" href="${href}" type="${whole}">\n`
  })
}
