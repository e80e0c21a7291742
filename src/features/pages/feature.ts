import { defineFeature } from '../../feature.js'
import type { ExportsState } from '../exports/exports.js'
import { exportsOf } from '../exports/feature.js'

/** The pages of the server: dashboard, lists, search, the page of each record. They need no JavaScript. @see docs/use/web-pages.md */
export const pages = defineFeature({
  name: 'pages',
  needs: ['exports'],
  async loadRoutes() {
    const { allPageRoutes } = await import('./routes/all-page-routes.js')
    const { answerMissingAsPage } = await import('./routes/page-responses.js')
    return {
      routes: allPageRoutes,
      answerProblem: answerMissingAsPage,
      tags: [{ name: 'Pages', description: 'HTML pages. They need no JavaScript.' }],
    }
  },
  open: async (parts): Promise<{ readonly state: ExportsState }> => ({ state: exportsOf(parts) }),
})
