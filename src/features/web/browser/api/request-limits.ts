import { words } from '../words.js'

/*
 * The limits of requests, which the document of the application names. What is too large is told before anything is sent.
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

/** A request that the server would refuse because of its size. Nothing was sent. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
}

/** The parts of a form that are no documents, which have a limit of their own. */
const otherParts: ReadonlySet<string> = new Set(['record', 'changeset'])

/** A body, if the server takes one of this size. @throws TooLarge with the size and the limit */
export function withinLimits(body: unknown): FormData {
  if (!(body instanceof FormData)) throw new Error('A request has a form as its body.')
  let all = 0
  for (const [name, part] of body) {
    const size = typeof part === 'string' ? new Blob([part]).size : part.size
    all += size
    if (size > requestLimits.document && !otherParts.has(name))
      throw new TooLarge(words.tooLarge.document(words.size(size), words.size(requestLimits.document)))
  }
  if (all > requestLimits.request)
    throw new TooLarge(words.tooLarge.request(words.size(all), words.size(requestLimits.request)))
  return body
}
