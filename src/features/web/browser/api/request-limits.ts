/*
 * The limits of requests, which the document of the application names. A page tells what is too large before it sends
 * anything.
 */

const { maxDocument, maxRequest, maxParts } = document.getElementById('application')?.dataset ?? {}

/** Sizes are in bytes. */
export const requestLimits = {
  document: limitOf(maxDocument),
  /** All parts of a request together. */
  request: limitOf(maxRequest),
  /** Number of the parts of a request. */
  parts: limitOf(maxParts),
}

function limitOf(text: string | undefined): number {
  const limit = Number(text)
  return Number.isSafeInteger(limit) ? limit : Number.POSITIVE_INFINITY
}
