import { defineFeature } from '../../feature.js'

/** The feed of all changes: page by page, with long polling, or as server-sent events. @see docs/use/changes.md */
export const changeFeed = defineFeature({
  name: 'change-feed',
  async loadRoutes() {
    const { changesRoutes } = await import('./change-feed-routes.js')
    const description = 'The changes of all records, for clients that follow them.'
    return { routes: changesRoutes, tags: [{ name: 'Change feed', description }] }
  },
  open: async parts => ({ state: (await import('./changes-since.js')).openChanges(parts) }),
})
