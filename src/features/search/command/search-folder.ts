import { endInOrder } from '../../../cli/sessions/end-in-order.js'
import { entryOf } from '../../../cli/sessions/local-repository.js'
import type { CoreParts } from '../../../compose/compose.js'
import { selfPrincipal } from '../../../core/access-control.js'
import { parsePoint } from '../../../core/history-point.js'
import { pageWindow } from '../../../core/records/list-page.js'
import { parseInstant } from '../../../core/value-types.js'
import { openSearchState, searchOfCommand } from '../open-search.js'
import { type NarrowingField, readSearch } from '../requests/narrowed-search.js'
import type { SearchService } from '../requests/search-service.js'
import { facetBounds, renderFacets } from '../routes/search-answer.js'
import { parseSort } from '../routes/search-parameters.js'
import type { Highlight } from '../search-engine.js'
import type { FoundRecord, SearchPage, SearchQuery } from './search-server.js'

/** Limit of the values of a facet that are returned. */
const facetSize = 20

/** Searches a repository on this disk. @throws ProblemError */
export async function searchFolder(parts: CoreParts, asked: SearchQuery): Promise<SearchPage> {
  const { state: search, close } = openSearchState(parts, searchOfCommand)
  return await endInOrder(() => find(search, asked), close)
}

async function find(search: SearchService, asked: SearchQuery): Promise<SearchPage> {
  const { from, until, sort, at, kinds, facets } = asked
  const { request, notes } = readSearch({
    q: asked.text,
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
      ...entryOf(revision),
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
