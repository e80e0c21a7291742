import type Router from '@koa/router'
import type { Waiting } from './limits/long-lived-responses.js'
import { siteMounts } from './mounts.js'
import type { Metrics } from './observability/prometheus-metrics.js'
import { ofNow } from './request/at-parameter.js'
import type { Api } from './route-context.js'
import { descriptionRoutes } from './routes/api-docs/docs-routes.js'
import { changesRoutes } from './routes/changes/change-feed-routes.js'
import { changeSetRoutes } from './routes/changes/change-set-routes.js'
import { repositoryRoutes } from './routes/git/smart-http-routes.js'
import { pageRoutes } from './routes/html-pages/page-routes.js'
import { landingPageRoutes } from './routes/html-pages/record-page-routes.js'
import { actuatorRoutes } from './routes/operations/actuator-routes.js'
import { healthRoutes } from './routes/operations/health-routes.js'
import { metricsRoutes } from './routes/operations/metrics-routes.js'

/** What answers beside the interface itself. */
export interface Site
  extends Pick<Api, 'services' | 'callerOf' | 'basesOf' | 'limits' | 'names' | 'answerRoom'> {
  /** One of {@link siteMounts}. */
  readonly mount: (typeof siteMounts)[number]
  readonly build: Build
  /** Shared by all mounts. */
  readonly waiting: Waiting
  /** Undefined: nothing is measured. */
  readonly metrics: Metrics | undefined
}

/** The program that serves. */
export interface Build {
  readonly name: string
  readonly version?: string
}

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
