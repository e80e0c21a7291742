import type Router from '@koa/router'
import { unversionedMounts } from './mounts.js'
import { refuseAtOnCurrentOnly } from './request/at-parameter.js'
import type { UnversionedContext } from './route-context.js'
import { descriptionRoutes } from './routes/api-docs/docs-routes.js'
import { changesRoutes } from './routes/changes/change-feed-routes.js'
import { changeSetRoutes } from './routes/changes/change-set-routes.js'
import { smartHttpRoutes } from './routes/git/smart-http-routes.js'
import { pageRoutes } from './routes/html-pages/page-routes.js'
import { landingPageRoutes } from './routes/html-pages/record-page-routes.js'
import { actuatorRoutes } from './routes/operations/actuator-routes.js'
import { healthRoutes } from './routes/operations/health-routes.js'
import { metricsRoutes } from './routes/operations/metrics-routes.js'

/** All that is served beside the interface, under one mount. */
export function registerUnversionedRoutes(router: Router, site: UnversionedContext): void {
  healthRoutes(router, site)
  actuatorRoutes(router, site)
  metricsRoutes(router, site)
  landingPageRoutes(router, site)
  changesRoutes(router, site)
  changeSetRoutes(router, site)
  descriptionRoutes(router, site)
  pageRoutes(router, site)
  smartHttpRoutes(router, site)
  if (site.mount !== '') return
  for (const below of unversionedMounts.slice(1)) {
    router.get(below, refuseAtOnCurrentOnly, ctx => ctx.redirect(`${site.basesOf(ctx).canonical}${below}/`))
  }
}
