import { collections } from '../../../core/records/collection.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import type { DescribedApiVersion } from '../../../http/route-declaration/api-version.js'
import type { Route } from '../../../http/route-declaration/route.js'
import type { WebApi } from '../open-web-api.js'
import { callerRoutes } from './caller-routes.js'
import { overviewRoute } from './overview-route.js'
import { permissionsRoute } from './permissions-route.js'
import { pointsRoute } from './points-route.js'
import { bundleRoute, outlineRoute } from './schema-view-routes.js'
import { statisticsRoute } from './statistics-route.js'
import { trialRoute } from './trial-route.js'

/** The routes for applications without an interface version. @see docs/use/interface.md#for-applications */
export const webApiRoutes = [...callerRoutes, pointsRoute, statisticsRoute]

/** The routes for applications in each version of the interface. */
export function webApiVersionRoutes(api: DescribedApiVersion): readonly Route<FeatureApiContext<WebApi>>[] {
  return [
    ...collections.flatMap(kind => [permissionsRoute(api, kind), overviewRoute(api, kind)]),
    outlineRoute(api),
    bundleRoute(api),
    trialRoute(api),
  ]
}
