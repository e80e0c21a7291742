import type { CoreParts } from '../../compose/compose.js'
import { defineFeature } from '../../feature.js'
import { exportsOf } from '../exports/feature.js'
import type { PagesState } from './routes/page-responses.js'

/** The pages of the server: dashboard, lists, the page of each record. They need no JavaScript. @see docs/use/web-pages.md */
export const pages = defineFeature({
  name: 'pages',
  needs: ['exports'],
  async loadRoutes() {
    const { allPageRoutes } = await import('./routes/all-page-routes.js')
    const { answerMissingAsPage, pageHeaderComponents } = await import('./routes/page-responses.js')
    return {
      routes: allPageRoutes,
      answerProblem: answerMissingAsPage,
      components: { headers: pageHeaderComponents },
      tags: [{ name: 'Pages', description: 'HTML pages. They need no JavaScript.' }],
    }
  },
  open: async (parts): Promise<{ readonly state: PagesState }> => ({
    state: {
      ...exportsOf(parts),
      async findSchemas(caller, typed) {
        const { findSchemas } = await import('./routes/schemas-by-title.js')
        return await findSchemas(parts, caller, typed)
      },
      shown: { searchBox: false, draw: undefined, actions: [], pages: [] },
    },
  }),
})

/** The pages, for features that need them. */
export function pagesOf(parts: Pick<CoreParts, 'stateOf'>): PagesState {
  return parts.stateOf('pages') as PagesState
}
