import type { ServerResponse } from 'node:http'

/**
 * What a browser is told with every answer, if nothing of its own: to take it for what its type says, to run and load
 * nothing for it, to show it in no frame, and to hand it to no other site. Each costs every answer half a microsecond:
 * what matters to pages alone is with pages alone.
 * @see https://owasp.org/www-project-secure-headers/
 */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const

const pairs = Object.entries(securityHeaders)

/** For answers a browser shows as pages, and the links in them. */
export const pageHeaders = {
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const

export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of pairs) response.setHeader(name, value)
}
