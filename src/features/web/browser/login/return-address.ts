import { serviceUrl } from '../api/service-url.js'

/** The path below which the pages of the application are, without a slash at its end. */
export const applicationPath = `${serviceUrl.pathname}app`

/**
 * The page to go back to after the login, as an address below that of the application: `/metadata/rod/edit?view=text`.
 * @param text as an address or the storage gives it, so from anybody
 * @returns undefined if it does not lead to another page of the application
 */
export function returnAddress(text: string | null | undefined): string | undefined {
  if (!text?.startsWith('/')) return undefined
  const base = new URL(applicationPath, serviceUrl)
  const url = URL.canParse(`${base.href}${text}`) ? new URL(`${base.href}${text}`) : base
  // The browser resolves `..` and drops tabs and line ends: only the result counts.
  if (url.origin !== base.origin || !url.pathname.startsWith(`${applicationPath}/`)) return undefined
  // The router adds the point of history that this document shows.
  url.searchParams.delete('at')
  const path = url.pathname.slice(applicationPath.length)
  return /^\/(?:\/|login$|callback$)/.test(path) ? undefined : `${path}${url.search}`
}

/** The page that is shown, to come back to it. */
export function currentAddress(): string {
  return `${location.pathname.slice(applicationPath.length)}${location.search}`
}
