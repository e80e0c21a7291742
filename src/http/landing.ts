import type { Kind, Version } from '../core/values.js'

/** Where the page for people of a record is: `$(id)` and `$(version)` are filled in. @see contract, 7 */
export interface LandingPages {
  readonly schema: string
  readonly metadata: string
}

export const defaultLandingPages: LandingPages = {
  schema: '/schema-landing-page?schemaId=$(id)&version=$(version)',
  metadata: '/metadata-landing-page?id=$(id)&version=$(version)',
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
  const url = pages[kind]
    .replaceAll('$(id)', encodeURIComponent(id))
    .replaceAll('$(version)', version === undefined ? '' : String(version))
  return url.startsWith('/') ? new URL(root).pathname.replace(/(?:\/repository)?\/api\/v\d+$/, '') + url : url
}
