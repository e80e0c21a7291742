import type { Context } from 'koa'
import type { Oid } from '../../../core/value-types.js'
import { type Headers, headerRef } from '../../openapi/specification-types.js'
import { matchesIfNoneMatch } from '../../request/conditional-headers.js'

/** Headers of a list of all public records. */
export const publicHeaders: Headers = {
  ETag: headerRef('StateTag'),
  'Cache-Control': headerRef('CacheControl'),
}

/**
 * Sets the headers of a list of all public records, and answers 304 where the client has it already.
 * @param commit of the list; undefined for an empty repository
 */
export function isUnchangedSince(ctx: Context, commit: Oid | undefined): boolean {
  const tag = `"${commit ?? 'empty'}"`
  ctx.set('ETag', tag)
  ctx.set('Cache-Control', 'no-cache')
  if (!matchesIfNoneMatch(ctx.headers['if-none-match'], tag)) return false
  ctx.status = 304
  return true
}
