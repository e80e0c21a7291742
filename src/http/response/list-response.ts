import type { Context } from 'koa'
import type { LongList } from '../../catalog/read/long-list-reader.js'
import type { Collection } from '../../core/records/collection.js'
import type { ListPage } from '../../core/records/list-query.js'
import { chooseListType } from '../negotiation/content-negotiation.js'
import { type ApiContext, apiRootUrl } from '../route-context.js'
import { type ArrayEnclosure, type JsonText, jsonOfPieces, renderedPieces } from './json-array.js'
import { contentRangeOf, pageLinks } from './pagination-headers.js'
import { smallBody } from './send-body.js'

/** Answers with a list of records, with `Content-Range` and `Link`. @throws ProblemError `page-out-of-range` */
export async function answerList(
  ctx: Context,
  api: ApiContext,
  kind: Collection,
  page: ListPage | LongList,
): Promise<void> {
  const range = contentRangeOf(page)
  const list = await pageBody(ctx, api, page)
  ctx.vary('Accept')
  ctx.set('Content-Range', range)
  const links = pageLinks(api.basesOf(ctx).canonical + ctx.path, ctx.querystring, page)
  if (links !== undefined) ctx.set('Link', links)
  ctx.status = 200
  ctx.set('Content-Type', chooseListType(ctx.headers.accept, api.recordFormat.recordTypes[kind]))
  ctx.body = list
}

/**
 * The records of a page as a JSON array.
 * @param enclosure the texts before and after the records
 * @throws ProblemError `unavailable`
 */
export async function pageBody(
  ctx: Context,
  api: ApiContext,
  page: ListPage | LongList,
  enclosure?: ArrayEnclosure,
): Promise<JsonText> {
  const root = apiRootUrl(api, ctx)
  if (!('pieces' in page)) {
    const known = renderedPages.get(page)
    if (known && known.root === root && !enclosure) return known.text
    const text = await listBody(ctx, api, page.items, item => api.renderer.record(item, root), enclosure)
    if (typeof text === 'string' && !enclosure) renderedPages.set(page, { root, text })
    return text
  }
  // Reserves memory for the pieces that the thread has rendered, and for the piece that is being sent.
  const largest = page.items.reduce((max, [, bytes]) => Math.max(max, bytes), smallBody)
  api.responseMemory.enter(ctx)(4 * largest)
  return await jsonOfPieces(page.pieces(), enclosure)
}

/** The texts of pages that were rendered before. The catalog keeps a page until it changes (`catalog/read/revision-cache`). */
const renderedPages = new WeakMap<ListPage, { readonly root: string; readonly text: string }>()

/** A JSON array of items. @param enclosure the texts before and after the items @throws ProblemError `unavailable` */
export function listBody<T>(
  ctx: Context,
  { responseMemory, slices }: Pick<ApiContext, 'responseMemory' | 'slices'>,
  items: readonly T[],
  render: (item: T) => string,
  enclosure?: ArrayEnclosure,
): Promise<JsonText> {
  // Reserves memory for the next piece, and for the piece that is being sent.
  const onStream = (length: number) => responseMemory.enter(ctx)(2 * length)
  return jsonOfPieces(renderedPieces(items, render, slices), enclosure, onStream)
}
