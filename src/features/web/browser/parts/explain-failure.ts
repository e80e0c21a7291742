import { refusalInWords } from '../../../pages/html/spoken-names.js'
import { isBusy, Refusal } from '../api/client.js'
import { words } from '../words.js'

/** A sentence about a failure. The server's own words come last, because they are exact. */
export function explanationOf(error: unknown): string {
  if (error instanceof TypeError)
    return isMissingScript(error) && navigator.onLine ? words.failure.outdated : words.failure.notConnected
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : String(error)
  const { status, message } = error
  if (status === 404) return `${words.failure.noRecord} ${message}`
  const plain = refusalInWords(message)
  if (status === 401 || status === 403) return plain ?? `${words.failure.forbidden} ${message}`
  if (isBusy(error)) return `${words.failure.busy} ${message}`
  return plain === undefined ? message : `${plain} ${message}`
}

/** Whether a script of a page could not be loaded. Each browser says that in words of its own about a module. */
export function isMissingScript(error: unknown): boolean {
  return error instanceof TypeError && /\bmodule\b/i.test(error.message)
}

/** The title of a page about a record; one that cannot be read has no pages. @param error of reading it */
export function titleOfPage(error: unknown, title: string): string {
  return error instanceof Refusal && error.status === 404 ? words.failure.missingTitle : title
}
