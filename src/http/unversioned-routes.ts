import type Router from '@koa/router'
import { siteMounts } from './mounts.js'
import { ofNow } from './request/at-parameter.js'
import type { Site } from './route-context.js'
import { descriptionRoutes } from './routes/api-docs/docs-routes.js'
import { changesRoutes } from './routes/changes/change-feed-routes.js'
import { changeSetRoutes } from './routes/changes/change-set-routes.js'
import { repositoryRoutes } from './routes/git/smart-http-routes.js'
import { pageRoutes } from './routes/html-pages/page-routes.js'
import { landingPageRoutes } from './routes/html-pages/record-page-routes.js'
import { actuatorRoutes } from './routes/operations/actuator-routes.js'
import { healthRoutes } from './routes/operations/health-routes.js'
import { metricsRoutes } from './routes/operations/metrics-routes.js'

/** All that is served beside the interface, under one mount. */
export function siteRoutes(router: Router, site: Site): void {
  healthRoutes(router, site)
  actuatorRoutes(router, site)
  metricsRoutes(router, site)
  landingPageRoutes(router, site)
  changesRoutes(router, site)
  changeSetRoutes(router, site)
  descriptionRoutes(router, site)
  pageRoutes(router, site)
  repositoryRoutes(router, site)
  if (site.mount !== '') return
  for (const below of siteMounts.slice(1)) {
    router.get(below, ofNow, ctx => ctx.redirect(`${site.basesOf(ctx).own}${below}/`))
  }
}
