import type { Context } from 'koa'
import type { Revision } from '../catalog/catalog.js'
import type { Api } from './api.js'
import { linkHeader, type Signpost } from './pages/signposting.js'
import { itemUrl } from './wire/urls.js'

/**
 * Leads a program that has a document to its record, and from both to the page that brings them together.
 * @param root base and mount of the request
 * @see https://signposting.org/FAIR/ 2.1: content and metadata resources
 */
export function linkItem(
  ctx: Context,
  api: Api,
  revision: Revision,
  of: 'record' | 'document',
  root: string,
): void {
  const { kind, id, version } = revision
  const href = api.landing.url(kind, id, version, root)
  const signposts: Signpost[] = []
  if (href !== undefined) {
    signposts.push({ rel: of === 'document' ? 'collection' : 'describes', href, type: 'text/html' })
  }
  if (of === 'document') {
    const [type = ''] = api.wire.recordTypes[kind]
    signposts.push({ rel: 'describedby', href: itemUrl(root, kind, id, version), type })
  }
  if (signposts.length > 0) ctx.set('Link', linkHeader(signposts))
}
