import type { CoreParts } from '../../compose/compose.js'
import { titleInDocument } from '../../core/records/document-description.js'
import type { Revision } from '../../core/records/revision.js'
import type { OpenFeature } from '../../http/open-feature.js'
import type { Login } from './login.js'
import { openSchemaViews, type SchemaViews } from './outline/schema-views.js'
import { openPermissions, type Permissions } from './permissions.js'
import { type ListedPoints, openListedPoints } from './points/listed-points.js'
import { openStatistics, type ReadStatistics } from './statistics/statistics.js'
import { openTrials, type TryDocument } from './trials.js'

/** What the routes of the feature work with. */
export interface WebApi {
  readonly login: Login
  readonly permissions: Permissions
  readonly points: ListedPoints
  readonly statistics: ReadStatistics
  readonly tryDocument: TryDocument
  readonly views: SchemaViews
  /** The title in a document, if its record has none. */
  titleInDocument(revision: Revision): Promise<string | undefined>
}

/** Opens what applications in a browser ask for. */
export function openWebApi(parts: CoreParts, login: Login): OpenFeature<WebApi> {
  const views = openSchemaViews(parts)
  const permissions = openPermissions(parts)
  const points = openListedPoints(parts)
  const statistics = openStatistics(parts)
  return {
    state: {
      ...{ login, permissions, points, statistics, tryDocument: openTrials(parts), views },
      async titleInDocument(revision) {
        if (revision.kind !== 'metadata' || revision.record.titles !== undefined) return undefined
        const description = await parts.describe(revision)
        return description && titleInDocument(description)
      },
    },
    close: views.close,
  }
}
