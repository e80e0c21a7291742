import { selfPrincipal } from '../../core/access-control.js'
import { parsePoint } from '../../core/history-point.js'
import { ProblemError } from '../../core/problem.js'
import { pageWindow } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import { parseInstant } from '../../core/value-types.js'
import { facetBounds, renderFacets } from '../../http/routes/search/search-answer.js'
import { parseSort } from '../../http/routes/search/search-parameters.js'
import { parseQueryText } from '../../search/query-text/parse-query-text.js'
import type { Highlight } from '../../search/search-engine.js'
import { type NarrowingField, searchRequest } from '../../service/search/narrowed-search.js'
import type { Services } from '../../service/services.js'
import type { FoundRecord, RecordSummary, SearchPage, SearchQuery } from './session.js'

/** Limit of the values of a facet that are returned. */
const facetSize = 20

/**
 * Searches a repository on this disk.
 * @param summarize what commands show of a revision
 * @throws ProblemError
 */
export async function searchServices(
  services: Services,
  asked: SearchQuery,
  summarize: (revision: Revision) => RecordSummary,
): Promise<SearchPage> {
  const { search } = services
  if (!search) throw new ProblemError('unavailable', 'This repository is open without a search.')
  const { condition, notes } = parseQueryText(asked.text)
  const { from, until, sort, at, kinds, facets } = asked
  const request = searchRequest({
    condition,
    kinds,
    narrowing: {
      values: new Map(Object.entries(asked.narrowing) as [NarrowingField, readonly string[]][]),
      from: from === undefined ? undefined : parseInstant(from, '--from'),
      until: until === undefined ? undefined : parseInstant(until, '--until'),
    },
    sort: sort === undefined ? undefined : parseSort(sort, '--sort'),
    window: pageWindow(asked.page, asked.size),
    ...{ facets, facetSize, highlight: true },
  })
  const found = await search.search(selfPrincipal, {
    ...request,
    ...(at !== undefined && { at: parsePoint(at) }),
  })
  const { total, totalIs, commit, upToDate } = found
  const entries = found.hits.map(
    ({ revision, score, highlights }): FoundRecord => ({
      ...summarize(revision),
      ...(score !== undefined && { score }),
      ...(highlights.length > 0 && { highlight: byField(highlights) }),
    }),
  )
  return {
    total,
    ...(totalIs === 'atLeast' && { totalIs }),
    ...(commit && { commit }),
    ...{ upToDate, notes: [...notes, ...(found.notes ?? [])], entries },
    ...(facets.length > 0 && { ...facetBounds(found.facets), facets: renderFacets(found.facets) }),
  }
}

function byField(highlights: readonly Highlight[]): NonNullable<FoundRecord['highlight']> {
  return Object.fromEntries(highlights.map(({ field, passages }) => [field, passages]))
}
