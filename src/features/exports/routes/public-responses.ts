import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { type Headers, headerRef } from '../../../http/openapi/specification-types.js'
import { answerRevalidated } from '../../../http/response/send-body.js'

/** Headers of a list of all public records. */
export const publicHeaders: Headers = {
  ETag: headerRef('StateTag'),
  'Cache-Control': headerRef('CacheControl'),
}

/**
 * Sets the headers of an answer about all public records, and answers 304 if the client has this answer already.
 * @param shown texts that change whenever the answer changes, but not when a record changes that is not public
 * @returns whether the client has the answer already
 */
export function answerUnchangedSince(ctx: Context, ...shown: readonly string[]): boolean {
  const digest = createHash('sha256').update(JSON.stringify(shown)).digest('hex')
  return answerRevalidated(ctx, `"${digest.slice(0, 40)}"`)
}
