import { defineFeature } from '../../feature.js'

/** What applications in a browser need beside records: outlines of schemas. @see docs/use/interface.md#for-applications */
export const webApi = defineFeature({
  name: 'web-api',
  loadRoutes: async () => ({
    versionRoutes: (await import('./routes/web-api-routes.js')).webApiVersionRoutes,
  }),
  open: async parts => (await import('./open-web-api.js')).openWebApi(parts),
})
