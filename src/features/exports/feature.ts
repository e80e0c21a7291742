import type { CoreParts } from '../../compose/compose.js'
import { defineFeature } from '../../feature.js'
import type { ExportsState } from './exports.js'

/** Formats of others for records: DataCite, DCAT, citations, crates; the catalogue and the sitemap. @see docs/use/exports.md */
export const exports = defineFeature({
  name: 'exports',
  async loadRoutes() {
    const { catalogRoutes } = await import('./routes/catalog-routes.js')
    const { exportHeaders } = await import('./routes/public-responses.js')
    const { exportRoutes } = await import('./routes/record-export-routes.js')
    const { sitemapRoutes } = await import('./routes/sitemap-routes.js')
    return {
      routes: [...catalogRoutes, ...sitemapRoutes],
      versionRoutes: exportRoutes,
      components: { headers: exportHeaders },
    }
  },
  async open(parts) {
    const { openExports } = await import('./exports.js')
    return openExports(parts)
  },
})

/** The exports, for features that need them. */
export function exportsOf(parts: Pick<CoreParts, 'stateOf'>): ExportsState {
  return parts.stateOf('exports') as ExportsState
}
