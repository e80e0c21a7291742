import type { ComposedServices } from '../../../src/compose/compose.js'
import type { Principal } from '../../../src/core/access-control.js'
import { searchOf } from '../../../src/features/search/feature.js'
import { parseQueryText } from '../../../src/features/search/query-text/parse-query-text.js'
import type { SearchRequest, SearchResult } from '../../../src/features/search/search-engine.js'

/** Makes a search request from the text of a search box. */
export function searchRequest(text: string, more: Partial<SearchRequest> = {}): SearchRequest {
  return {
    condition: parseQueryText(text).condition,
    kinds: ['schema', 'metadata'],
    sort: [{ field: 'score', order: 'desc' }],
    window: { offset: 0, limit: 100 },
    facets: [],
    highlight: false,
    ...more,
  }
}

/** Searches with the text of a search box. */
export async function searchText(
  { parts }: Pick<ComposedServices, 'parts'>,
  caller: Principal,
  text: string,
  more: Partial<SearchRequest> = {},
): Promise<SearchResult> {
  const search = searchOf(parts)
  if (!search) throw new Error('The service has no search.')
  return await search.search(caller, searchRequest(text, more))
}
