import { collections } from '../../../core/records/collection.js'
import type { ApiContext } from '../../route-context.js'
import type { DescribedApiVersion } from '../../route-declaration/api-version.js'
import type { Route } from '../../route-declaration/route.js'
import { documentBlameRoute } from './document-blame-route.js'
import { versionDifferenceRoute } from './version-difference-route.js'
import { versionListRoute } from './version-list-route.js'

/** The versions of a record, the difference of two, and who changed each part last. @see docs/use/history.md */
export function historyRoutes(api: DescribedApiVersion): readonly Route<ApiContext>[] {
  return collections.flatMap(kind => [
    versionListRoute(api, kind),
    versionDifferenceRoute(api, kind),
    documentBlameRoute(api, kind),
  ])
}
