import { defineFeature } from '../../feature.js'
import { pagesOf } from '../pages/feature.js'
import { searchOf } from '../search/feature.js'
import type { SearchPageState } from './search-page-routes.js'

/** The page with search results, and the search box of all pages. @see docs/use/web-pages.md */
export const searchPage = defineFeature({
  name: 'search-page',
  needs: ['pages', 'search'],
  loadRoutes: async () => ({ routes: (await import('./search-page-routes.js')).searchPageRoutes }),
  async open(parts): Promise<{ readonly state: SearchPageState }> {
    const [pages, search] = [pagesOf(parts), searchOf(parts)]
    pages.shown.searchBox = search !== undefined
    return { state: { ...pages, search } }
  },
})
