import { defineFeature } from '../../feature.js'
import { comparisonOf } from '../comparison/feature.js'
import { pagesOf } from '../pages/feature.js'
import type { ComparisonPageState } from './comparison-page-routes.js'

/** The page that compares two versions, without a script. @see docs/use/web-pages.md#compare-two-versions */
export const comparisonPage = defineFeature({
  name: 'comparison-page',
  needs: ['pages', 'comparison'],
  loadRoutes: async () => ({ routes: (await import('./comparison-page-routes.js')).comparisonPageRoutes }),
  async open(parts): Promise<{ readonly state: ComparisonPageState }> {
    const { comparisonAddress } = await import('./comparison-page.js')
    const pages = pagesOf(parts)
    pages.shown.comparisonOf = comparisonAddress
    return { state: { ...pages, ...comparisonOf(parts) } }
  },
})
