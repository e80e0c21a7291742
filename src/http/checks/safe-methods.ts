const safe = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Whether requests with this method only read. @see RFC 9110 §9.2.1 */
export function isSafe(method: string): boolean {
  return safe.has(method)
}
