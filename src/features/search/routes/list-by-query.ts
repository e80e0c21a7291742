import { malformedRequest } from '../../../core/problem.js'
import type { Sort } from '../../../core/records/list-query.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import { singleParameter } from '../../../http/parameters/query-parameters.js'
import { queryParameter } from '../../../http/parameters/request-parameter.js'
import type { ListNarrowing } from '../../../http/route-declaration/list-narrowing.js'
import type { SearchState } from '../open-search.js'
import { narrowingOfList, runSearch } from './run-search.js'
import { answerFoundRecords } from './search-answer.js'

/** The parameter `q` of a list of a collection: the answer has the form of the list. An empty value has no effect. */
export const listSearch: ListNarrowing<FeatureApiContext<SearchState | undefined>> = {
  parameter: queryParameter(
    'q',
    {
      component: 'queryOfList',
      isCut: true,
      description:
        'Only records that match this query (see `GET …/search`). If `sort` is absent, the best come first. The links to ' +
        'other pages are then those of a search.',
      schema: { type: 'string', examples: ['steel -draft'] },
    },
    (query, name) => singleParameter(query, name)?.trim() || undefined,
  ),
  notFound: '`q` is asked of a server without a search',
  async answer(ctx, context, { kind, value: q, filters, versionsOf, page, size, at }) {
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
  },
}

function sortKey({ by, direction }: Sort) {
  return { field: by === 'lastUpdate' ? 'updated' : by, order: direction }
}
