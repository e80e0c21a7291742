import { stateOf } from '../../core/records/record.js'
import { defineFeature } from '../../feature.js'
import { pagesOf } from '../pages/feature.js'
import { loginOf } from '../web-api/feature.js'

/** The browser application: an editor, versions, comparisons, blame, restoring. @see docs/use/web-application.md */
export const web = defineFeature({
  name: 'web',
  needs: ['pages', 'web-api'],
  loadRoutes: async () => ({ routes: (await import('./application-routes.js')).applicationRoutes }),
  async open(parts) {
    const { browserFiles } = await import('./browser-files.js')
    const { comparisonAddress, loginAddress, pageActions, pageLinks, recordLinks } = await import(
      './record-links.js'
    )
    const application = browserFiles()
    if (!application && parts.serving)
      parts.report('the browser application was not built: only the plain pages are served')
    const { shown } = pagesOf(parts)
    const login = loginOf(parts)
    if (application) {
      shown.actions.push(...pageActions)
      shown.pages.push(...pageLinks)
      shown.applicationComparisonOf = comparisonAddress
    }
    if (application && login.tokens) shown.loginFor = loginAddress
    return {
      state: { ...pagesOf(parts), application, login },
      async sections(revision, caller, at) {
        if (!application) return []
        const { kind, id } = revision
        const newest = at === undefined ? parts.collections[kind].read(caller, id) : revision
        return [recordLinks(revision, at, stateOf(newest.record) === 'REVOKED')]
      },
    }
  },
})
