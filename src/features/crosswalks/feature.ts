import { defineFeature } from '../../feature.js'

/** What documents say about themselves: titles, people, dates, licences. @see docs/use/crosswalks.md */
export const crosswalks = defineFeature({
  name: 'crosswalks',
  needs: ['exports'],
  describeModule: new URL('./describe-in-thread.js', import.meta.url),
  commands: [
    {
      usage: 'describe <source>',
      describe: 'Show what a document says about itself: titles, creators, dates, licence',
      load: async () => (await import('./commands/describe.js')).describeCommand,
    },
  ],
  loadRoutes: async () => ({
    versionRoutes: (await import('./routes/crosswalk-routes.js')).crosswalkRoutes,
  }),
  open: async parts => (await import('./open-crosswalks.js')).openCrosswalks(parts),
})
