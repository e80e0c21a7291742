import type { CoreParts } from '../../compose/compose.js'
import type { OpenFeature } from '../../http/open-feature.js'
import { openSchemaViews, type SchemaViews } from './outline/schema-views.js'

/** What the routes of the feature work with. */
export interface WebApi {
  readonly views: SchemaViews
}

/** Opens what applications in a browser ask for. */
export function openWebApi(parts: CoreParts): OpenFeature<WebApi> {
  const views = openSchemaViews(parts)
  return { state: { views }, close: views.close }
}
