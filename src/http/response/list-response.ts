import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { LongList } from '../../catalog/read/long-list-reader.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import { contentRange } from '../../core/records/list-page.js'
import type { ListPage } from '../../core/records/list-query.js'
import { pluralize } from '../../core/text/pluralize.js'
import type { TimeSlices } from '../limits/time-slices.js'
import { chooseListType } from '../negotiation/content-negotiation.js'
import { formatCursor } from '../parameters/page-parameters.js'
import { type ApiContext, apiRootUrl } from '../route-context.js'
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

/** Characters after which a piece of a list ends. A list of several pieces is sent as a stream. */
const pieceLength = 64 * 1024

/** JSON text: a string if it is short, else a stream. */
export type JsonText = string | Readable

/** The texts before and after the items of an array, with its brackets. */
type ArrayEnclosure = readonly [start: string, end: string]

/**
 * A JSON array of rendered pieces, which contain the commas: a string if it is one piece, else a stream that gets the
 * next piece when the client has read the one before.
 * @param enclosure the text before the first item and after the last one, with the brackets
 * @param onStream called before a stream begins, with the length of the first piece
 */
async function jsonOfPieces(
  pieces: AsyncGenerator<string, void>,
  [start, end]: ArrayEnclosure = ['[', ']'],
  onStream?: (length: number) => void,
): Promise<JsonText> {
  const first = (await pieces.next()).value ?? ''
  const second = await pieces.next()
  if (second.done) return `${start}${first}${end}`
  onStream?.(first.length)
  async function* all(): AsyncGenerator<string> {
    yield `${start}${first}`
    yield second.value ?? ''
    yield* pieces
    yield end
  }
  return Readable.from(all(), { objectMode: false })
}

/**
 * The items as pieces of an array, which `render` turns into JSON text. Rendered items are released for the garbage
 * collector.
 */
async function* renderedPieces<T>(
  items: readonly T[],
  render: (item: T) => string,
  slices: TimeSlices,
): AsyncGenerator<string, void> {
  const left = items.toReversed()
  for (let comma = ''; left.length > 0; comma = ',')
    yield comma + (await slices.run(() => renderPiece(left, render)))
}

/** Takes items from the end of `left` and renders them, until the text is long enough. */
function renderPiece<T>(left: T[], render: (item: T) => string): string {
  const texts: string[] = []
  for (let length = 0; left.length > 0 && length < pieceLength; ) {
    const text = render(left.pop() as T)
    texts.push(text)
    length += text.length
  }
  return texts.join(',')
}

/** Limit of the characters of `Link`: programs and proxies accept 8 or 16 KiB for all headers together. */
const maxHeaderLength = 4000

/** Parameters of a request that name the page. The other parameters name the list. */
const ofPage = ['page', 'size', 'at', 'after']

/**
 * The `Link` header of a page: `first`, `prev`, `next` and `last`, if there are such pages. Each URL keeps the filters
 * of the request and names the commit of the list. The URL of the next page also has a cursor, so that no record is
 * missing or repeated if earlier records are deleted. If filters make the header too long, it has only `next`.
 * @param url URL of the list, without query
 * @returns undefined if `next` alone is too long for a header; on the last page, if all links together are too long
 * @see RFC 8288 §3
 */
export function pageLinks(url: string, querystring: string, page: ListPage<unknown>): string | undefined {
  const { offset, limit, total, commit, next } = page
  const kept = new URLSearchParams(querystring)
  for (const name of ofPage) kept.delete(name)

  function link(relation: string, pageNumber: number, after?: string): string {
    const query = new URLSearchParams(kept)
    query.set('page', String(pageNumber))
    query.set('size', String(limit))
    if (commit !== undefined) query.set('at', commit)
    if (after !== undefined) query.set('after', after)
    return `<${url}?${query.toString()}>; rel="${relation}"`
  }
  const number = Math.ceil(offset / limit)
  const isLast = offset + page.items.length >= total
  const onwards = isLast ? [] : [link('next', number + 1, next && formatCursor(next))]
  const all = [
    link('first', 0),
    ...(number > 0 ? [link('prev', number - 1)] : []),
    ...onwards,
    ...(total > 0 ? [link('last', Math.ceil(total / limit) - 1)] : []),
  ].join(', ')
  return [all, ...onwards].find(header => header.length <= maxHeaderLength)
}

/**
 * `Content-Range` of a page.
 * @throws ProblemError `page-out-of-range` for a page past the end of a list that is not empty
 */
export function contentRangeOf(page: ListPage<unknown>): string {
  // Entries after a cursor may have been deleted meanwhile. An empty page is then the end of the list.
  if (page.items.length === 0 && page.total > 0 && !page.continued) {
    throw new ProblemError(
      'page-out-of-range',
      `The list ends before this page: it has ${pluralize(page.total, 'record')}.`,
      { total: page.total },
    )
  }
  return contentRange(page)
}
