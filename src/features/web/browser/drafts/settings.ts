/*
 * Choices that this browser keeps. A browser that keeps nothing has the usual ones.
 */

/** @returns undefined if nothing was chosen, or nothing is kept */
export function readSetting(key: string): string | undefined {
  return unlessForbidden(() => localStorage.getItem(key)) ?? undefined
}

export function keepSetting(key: string, value: string): void {
  unlessForbidden(() => localStorage.setItem(key, value))
}

/** What a storage gives; undefined if this browser keeps nothing. */
export function unlessForbidden<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}
