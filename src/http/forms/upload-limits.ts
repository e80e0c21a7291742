/** Limits of one request. Sizes are in bytes. */
export interface UploadLimits {
  /** A document, a schema document or one of its further files. */
  readonly document: number
  /** A record. */
  readonly record: number
  /** All parts of one request together: they are held in memory. */
  readonly request: number
  /** Number of parts. */
  readonly parts: number
}

const mebibyte = 1024 * 1024
const defaults = { document: 64 * mebibyte, record: mebibyte, parts: 1000 }

/** Adds defaults to the given limits. By default, a request may have twice the size of a document. */
export function uploadLimits(given: Partial<UploadLimits> = {}): UploadLimits {
  const { document = defaults.document } = given
  return { request: 2 * document, ...defaults, ...given }
}
