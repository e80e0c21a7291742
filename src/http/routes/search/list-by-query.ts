import type { Context } from 'koa'
import type { PointExpression } from '../../../core/history-point.js'
import { malformedRequest } from '../../../core/problem.js'
import type { Collection } from '../../../core/records/collection.js'
import type { ListQuery, Sort } from '../../../core/records/list-query.js'
import { singleParameter } from '../../parameters/query-parameters.js'
import { queryParameter } from '../../parameters/request-parameter.js'
import type { ApiContext } from '../../route-context.js'
import { narrowingOfList, runSearch } from './run-search.js'
import { answerFoundRecords } from './search-answer.js'

/** The parameter `q` of a list of a collection. An empty value asks for the list without a search. */
export const queryOfList = queryParameter(
  'q',
  {
    component: 'queryOfList',
    isCut: true,
    description:
      'Only records that match this query (see `GET …/search`). If `sort` is absent, the best come first. The links to ' +
      'other pages are then those of a search.',
    schema: { type: 'string', examples: ['steel -draft'] },
  },
  (query, name) => singleParameter(query, name)?.trim() ?? '',
)

/** A list that is narrowed by a query. */
interface ListByQuery {
  readonly queryOfList: string
  readonly page: number
  readonly size: number
  readonly at: PointExpression | undefined
}

/**
 * Answers the records of a collection that match a query, in the form of the list.
 * @param versionsOf the record whose versions the request asks for
 * @throws ProblemError `malformed-request`, `not-found`, `page-out-of-range`, `unavailable`
 */
export async function answerListByQuery(
  ctx: Context,
  context: ApiContext,
  kind: Collection,
  { queryOfList: q, page, size, at }: ListByQuery,
  filters: ListQuery,
  versionsOf: string | undefined,
): Promise<void> {
  if (versionsOf !== undefined) {
    throw malformedRequest(
      'The parameter q searches the newest versions: ask for the versions of a record without it.',
    )
  }
  const found = await runSearch(ctx, context, {
    q,
    narrowing: narrowingOfList(filters),
    kinds: [kind],
    sort: filters.sort && sortKey(filters.sort),
    // The cursor of a search has another form than the cursor of a list.
    ...{ page, size, at, after: singleParameter(ctx.query, 'after') },
  })
  await answerFoundRecords(ctx, context, found, context.recordFormat.recordTypes[kind])
}

function sortKey({ by, direction }: Sort) {
  return { field: by === 'lastUpdate' ? 'updated' : by, order: direction }
}
