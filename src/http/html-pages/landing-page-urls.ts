import { LRUCache } from 'lru-cache'
import type { Collection } from '../../core/records/collection.js'
import type { Id, Version } from '../../core/value-types.js'

/**
 * Where the page for people of a record is: `$(id)` and `$(version)` are filled in.
 * @see docs/contract.md#landing-pages
 */
export interface LandingPages {
  readonly schema: string
  readonly metadata: string
  /** Where the request came to version 2 of the interface. */
  readonly schemaV2: string
  readonly metadataV2: string
}

export const defaultLandingPages: LandingPages = {
  schema: '/schema-landing-page?schemaId=$(id)&version=$(version)',
  metadata: '/metadata-landing-page?id=$(id)&version=$(version)',
  schemaV2: '/schema-landing-page-v2?schemaId=$(id)&version=$(version)',
  metadataV2: '/metadata-landing-page-v2?id=$(id)&version=$(version)',
}

/** The way to the pages of records. */
export interface LandingPageUrls {
  /**
   * As the template says it: absolute or not.
   * @param id as in the request: whether there is such a record, the page says
   * @param root base and mount of the request; a template that begins with a slash goes below what comes before
   *   `/api/…` in it
   * @param at the point of history the request names, which the page is to show too
   */
  to(kind: Collection, id: string, version: Version | undefined, root: string, at?: string): string
  /** The same as an absolute URL; undefined where it is none, as a template may be anything. */
  url(kind: Collection, id: Id, version: Version, root: string, at?: string): string | undefined
}

/** What is read from a root. */
interface Place {
  readonly origin: string
  /** Path of what comes before `/api/…`. */
  readonly mount: string
  readonly isVersion2: boolean
}

/** Roots that are remembered: what a request says of its host is up to the client. */
const rememberedRoots = 100

/** A path and a query that stand in an URL as they are. */
const plain = /^(?:\/[\w~-][\w.~-]*)+\?[\w.*=&-]*$/

function readPlace(root: string): Place {
  const { origin, pathname } = new URL(root)
  const [, mount = '', number] = /^(.*?)(?:\/repository)?\/api\/v(\d+)$/.exec(pathname) ?? []
  return { origin, mount, isVersion2: number === '2' }
}

/** The address with the parameter `at`, whatever parameters and fragment a template gives it. */
function withPoint(url: string, at: string): string {
  const [address = '', ...fragment] = url.split(/(?=#)/)
  return `${address}${address.includes('?') ? '&' : '?'}at=${encodeURIComponent(at)}${fragment.join('')}`
}

/** A template as what stands between its gaps, and the gaps. */
function partsOf(template: string): readonly string[] {
  return template.split(/(\$\(id\)|\$\(version\))/)
}

function filled(parts: readonly string[], id: string, version: Version | undefined): string {
  let text = ''
  for (const part of parts) {
    if (part === '$(id)') text += encodeURIComponent(id)
    else if (part === '$(version)') text += version ?? ''
    else text += part
  }
  return text
}

export function openLandingPageUrls(pages: LandingPages): LandingPageUrls {
  const places = new LRUCache<string, Place>({ max: rememberedRoots, memoMethod: readPlace })
  const parts = {
    schema: partsOf(pages.schema),
    metadata: partsOf(pages.metadata),
    schemaV2: partsOf(pages.schemaV2),
    metadataV2: partsOf(pages.metadataV2),
  }

  function to(kind: Collection, id: string, version: Version | undefined, root: string, at?: string): string {
    const { mount, isVersion2 } = places.memo(root)
    const page = filled(parts[isVersion2 ? (`${kind}V2` as const) : kind], id, version)
    const url = page.startsWith('/') ? mount + page : page
    return at === undefined ? url : withPoint(url, at)
  }

  return {
    to,
    url(kind, id, version, root, at) {
      const page = to(kind, id, version, root, at)
      if (plain.test(page)) return places.memo(root).origin + page
      return URL.canParse(page, root) ? new URL(page, root).href : undefined
    },
  }
}
