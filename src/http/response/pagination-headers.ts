import { ProblemError } from '../../core/problem.js'
import { contentRange } from '../../core/records/list-page.js'
import type { ListPage } from '../../core/records/list-query.js'
import { formatCursor } from '../parameters/page-parameters.js'

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
      `The list ends before this page: it has ${page.total} records.`,
      { total: page.total },
    )
  }
  return contentRange(page)
}
