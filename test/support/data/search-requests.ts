import type { Principal } from '../../../src/core/access-control.js'
import { parseQueryText } from '../../../src/search/query-text/parse-query-text.js'
import type { SearchRequest, SearchResult } from '../../../src/search/search-engine.js'
import type { Services } from '../../../src/service/services.js'

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
  { search }: Services,
  caller: Principal,
  text: string,
  more: Partial<SearchRequest> = {},
): Promise<SearchResult> {
  if (!search) throw new Error('The service has no search.')
  return await search.search(caller, searchRequest(text, more))
}
