import type { Context } from 'koa'
import type { WalkedPage } from '../../../service/exports/public-records.js'
import { type Headers, headerRef } from '../../openapi/specification-types.js'
import { matchesIfNoneMatch } from '../../request/conditional-headers.js'

/** Headers of a list of all public records. */
export const publicHeaders: Headers = {
  ETag: headerRef('StateTag'),
  'Cache-Control': headerRef('CacheControl'),
}

/**
 * Sets the headers of a list of all public records, and answers 304 where the client has it already.
 * The number of records is part of the tag: a record that is no longer public leaves the list without a public commit.
 */
export function isUnchangedSince(
  ctx: Context,
  { commit, total }: Pick<WalkedPage, 'commit' | 'total'>,
): boolean {
  const tag = commit === undefined ? '"empty"' : `"${commit}-${total}"`
  ctx.set('ETag', tag)
  ctx.set('Cache-Control', 'no-cache')
  if (!matchesIfNoneMatch(ctx.headers['if-none-match'], tag)) return false
  ctx.status = 304
  return true
}
