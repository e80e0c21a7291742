import type { UploadLimits } from './request/multipart-form.js'
import { type DescribedApiVersion, describedApiVersions } from './route/api-version.js'
import type { Route } from './route/route.js'
import type { ApiContext, UnversionedContext } from './route-context.js'
import { descriptionRoutes } from './routes/api-docs/docs-routes.js'
import { changesRoutes } from './routes/changes/change-feed-routes.js'
import { changeSetRoutes } from './routes/changes/change-set-routes.js'
import { smartHttpRoutes } from './routes/git/smart-http-routes.js'
import { pageRoutes } from './routes/html-pages/page-routes.js'
import { landingPageRoutes } from './routes/html-pages/record-page-routes.js'
import { actuatorRoutes } from './routes/operations/actuator-routes.js'
import { healthRoutes } from './routes/operations/health-routes.js'
import { metricsRoutes } from './routes/operations/metrics-routes.js'
import { historyRoutes } from './routes/records/history-routes.js'
import { impactRoutes } from './routes/records/impact-routes.js'
import { metadataRoutes } from './routes/records/metadata-routes.js'
import { schemaRoutes } from './routes/records/schema-routes.js'
import { tableRoutes } from './routes/records/table-routes.js'

/** All routes there are. */
export interface Routes {
  /** Of the versions of the interface, in the order of the description. */
  readonly versions: readonly {
    readonly api: DescribedApiVersion
    readonly routes: readonly Route<ApiContext>[]
  }[]
  /** All that is served beside the interface. */
  readonly unversioned: readonly Route<UnversionedContext>[]
}

/** @param limits of uploads, in bytes: descriptions of forms name them */
export function openRoutes(limits: UploadLimits): Routes {
  return {
    versions: describedApiVersions(limits).map(api => ({
      api,
      routes: [
        ...schemaRoutes(api),
        ...metadataRoutes(api),
        ...historyRoutes(api),
        ...impactRoutes(api),
        ...(api.version === 1 ? tableRoutes(api) : []),
      ],
    })),
    unversioned: [
      ...changesRoutes,
      ...changeSetRoutes,
      ...landingPageRoutes,
      ...pageRoutes,
      ...smartHttpRoutes,
      ...healthRoutes,
      ...metricsRoutes,
      ...actuatorRoutes,
      ...descriptionRoutes(),
    ],
  }
}
