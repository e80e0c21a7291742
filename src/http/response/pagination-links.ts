import type { ListPage } from '../../core/records/list-query.js'
import { formatCursor } from '../request/paging.js'

/** Characters of the header at most: programs and proxies take no more than 8 or 16 KiB of headers in all. */
const longestHeader = 4000

/** Parameters that say which part of a list, rather than of which list. */
const ofPage = ['page', 'size', 'at', 'after']

/**
 * The `Link` header of a page: `first`, `prev`, `next` and `last`, as far as there are such pages. All keep what else
 * the request asks for and name the commit whose list it is. The next page is told by where it begins besides, so that
 * nothing is left out or repeated when records that came before it are gone by then. Where filters make the addresses
 * long, only `next` is told, or nothing.
 * @param url address of the list, without its query
 * @returns undefined where it would be too long for a header
 * @see RFC 8288 §3
 */
export function pageLinks(url: string, querystring: string, page: ListPage<unknown>): string | undefined {
  const { offset, limit, total, commit, next } = page
  const kept = new URLSearchParams(querystring)
  for (const name of ofPage) kept.delete(name)

  function link(relation: string, number: number, after?: string): string {
    const query = new URLSearchParams(kept)
    query.set('page', String(number))
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
  return [all, ...onwards].find(header => header.length <= longestHeader)
}
