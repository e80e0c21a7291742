import type Router from '@koa/router'
import type { Api } from './api.js'
import type { Metrics } from './metrics.js'
import { siteMounts } from './mounts.js'
import { ofNow } from './points.js'
import { actuatorRoutes } from './routes/actuator.js'
import { changeSetRoutes } from './routes/change-sets.js'
import { changesRoutes } from './routes/changes.js'
import { descriptionRoutes } from './routes/description.js'
import { healthRoutes } from './routes/health.js'
import { landingPageRoutes } from './routes/landing-pages.js'
import { metricsRoutes } from './routes/metrics.js'
import { pageRoutes } from './routes/pages.js'
import { repositoryRoutes } from './routes/repository.js'
import type { Waiting } from './waiting.js'

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
