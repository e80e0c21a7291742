import { collections } from '../../../core/records/collection.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import type { DescribedApiVersion } from '../../../http/route-declaration/api-version.js'
import type { Route } from '../../../http/route-declaration/route.js'
import type { Comparison } from '../open-comparison.js'
import { documentBlameRoute } from './document-blame-route.js'
import { impactRoutes } from './impact-routes.js'
import { versionDifferenceRoute } from './version-difference-route.js'

/** The routes of differences, blame and impact. @see docs/use/history.md */
export function comparisonRoutes(api: DescribedApiVersion): readonly Route<FeatureApiContext<Comparison>>[] {
  return [
    ...collections.flatMap(kind => [versionDifferenceRoute(api, kind), documentBlameRoute(api, kind)]),
    ...impactRoutes(api),
  ]
}
