import type { Kind, Version } from '../core/values.js'

/** Where the page for people of a record is: `$(id)` and `$(version)` are filled in. @see contract, 7 */
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

/**
 * @param id as in the request: whether there is such a record, the page says
 * @param root base and mount of the request; a template that begins with a slash goes below what comes before
 *   `/api/…` in it
 */
export function landingUrl(
  pages: LandingPages,
  kind: Kind,
  id: string,
  version: Version | undefined,
  root: string,
): string {
  const { pathname } = new URL(root)
  const [, mount = '', number] = /^(.*?)(?:\/repository)?\/api\/v(\d+)$/.exec(pathname) ?? []
  const url = pages[number === '2' ? (`${kind}V2` as const) : kind]
    .replaceAll('$(id)', encodeURIComponent(id))
    .replaceAll('$(version)', version === undefined ? '' : String(version))
  return url.startsWith('/') ? mount + url : url
}
