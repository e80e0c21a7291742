import type { FeatureApiContext } from '../../../http/open-feature.js'
import type { DescribedApiVersion } from '../../../http/route-declaration/api-version.js'
import type { Route } from '../../../http/route-declaration/route.js'
import type { WebApi } from '../open-web-api.js'
import { bundleRoute, outlineRoute } from './schema-view-routes.js'

/** The routes for applications in each version of the interface. @see docs/use/interface.md#for-applications */
export function webApiVersionRoutes(api: DescribedApiVersion): readonly Route<FeatureApiContext<WebApi>>[] {
  return [outlineRoute(api), bundleRoute(api)]
}
