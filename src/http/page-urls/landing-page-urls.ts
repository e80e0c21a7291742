import { rememberingLast } from '../../core/data-structures/lazy-value.js'
import type { Collection } from '../../core/records/collection.js'
import type { Id, Version } from '../../core/value-types.js'

/**
 * Templates of the URLs of record pages, with the placeholders `$(id)` and `$(version)`.
 * @see docs/contract.md#landing-pages
 */
export interface LandingPages {
  readonly schema: string
  readonly metadata: string
  /** For requests to version 2 of the interface. */
  readonly schemaV2: string
  readonly metadataV2: string
}

export const defaultLandingPages: LandingPages = {
  schema: '/schema-landing-page?schemaId=$(id)&version=$(version)',
  metadata: '/metadata-landing-page?id=$(id)&version=$(version)',
  schemaV2: '/schema-landing-page-v2?schemaId=$(id)&version=$(version)',
  metadataV2: '/metadata-landing-page-v2?id=$(id)&version=$(version)',
}

/** The URLs of record pages. */
export interface LandingPageUrls {
  /**
   * The URL from the template, which may be relative.
   * @param id as in the request; the record need not exist
   * @param root base URL and mount of the request; a template that begins with a slash is relative to the part before
   *   `/api/…`
   * @param at the point of history in the request, which the page shows too
   */
  to(kind: Collection, id: string, version: Version | undefined, root: string, at?: string): string
  /** As {@link to}, but an absolute URL; undefined if the template does not give a valid URL. */
  url(kind: Collection, id: Id, version: Version, root: string, at?: string): string | undefined
}

/** Adds the parameter `at`, after the parameters and before the fragment of the template. */
function withPoint(url: string, at: string): string {
  const [address = '', ...fragment] = url.split(/(?=#)/)
  return `${address}${address.includes('?') ? '&' : '?'}at=${encodeURIComponent(at)}${fragment.join('')}`
}

function fillTemplate(template: string, id: string, version: Version | undefined): string {
  return template.replace(/\$\((id|version)\)/g, (_, name: string) =>
    name === 'id' ? encodeURIComponent(id) : String(version ?? ''),
  )
}

/** The origin, the path before `/api/…`, and the version of the interface. @param root base URL and mount of a request */
function partsOf(root: string) {
  const { origin, pathname } = new URL(root)
  const [, mount = '', number] = /^(.*?)(?:\/repository)?\/api\/v(\d+)$/.exec(pathname) ?? []
  return { origin, mount, isVersion2: number === '2' }
}

/**
 * A path and a query that a URL parser leaves as they are. Each GET has such an address in its `Link` header, and to parse
 * it twice takes a fortieth of the processor time of the event loop.
 * @see https://url.spec.whatwg.org/#concept-basic-url-parser
 */
const unchanged = /^(?:\/[\w-][\w.-]*)+(?:\?[\w.%&=-]*)?$/

export function openLandingPageUrls(pages: LandingPages): LandingPageUrls {
  const lastParts = rememberingLast(partsOf)

  function to(kind: Collection, id: string, version: Version | undefined, root: string, at?: string): string {
    const { mount, isVersion2 } = lastParts(root)
    const page = fillTemplate(pages[isVersion2 ? (`${kind}V2` as const) : kind], id, version)
    const url = page.startsWith('/') ? mount + page : page
    return at === undefined ? url : withPoint(url, at)
  }

  return {
    to,
    url(kind, id, version, root, at) {
      const page = to(kind, id, version, root, at)
      if (unchanged.test(page)) return lastParts(root).origin + page
      return URL.canParse(page, root) ? new URL(page, root).href : undefined
    },
  }
}
