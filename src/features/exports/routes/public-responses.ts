import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { linkPattern } from '../../../http/openapi/response-headers.js'
import { type Header, type Headers, headerRef } from '../../../http/openapi/specification-types.js'
import { answerRevalidated } from '../../../http/response/send-body.js'

/** Headers of exports, by name among the components of the OpenAPI description. */
export const exportHeaders: Readonly<Record<string, Header>> = {
  ExportTag: {
    description:
      'The state that was answered, and the format: the commit that made it and the name of the format, in double ' +
      'quotes. It also has a digest of the other sources of the export, such as related records.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-f]{40}-[a-z_-]+(-[0-9a-f]{16})?"$' },
    example: '"5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a-bibtex"',
  },
  StateTag: {
    description:
      'The state that was answered. It changes when something changes that callers without a token see, and stays the ' +
      'same when other records change.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-f]{40}"$' },
    example: '"5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a"',
  },
  Described: {
    description: 'Address of the landing page of the record.',
    required: true,
    schema: { type: 'string', pattern: linkPattern('describes') },
    example: '<http://localhost:8040/metadata-landing-page?id=overview-7>; rel="describes"; type="text/html"',
  },
}

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
