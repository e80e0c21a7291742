import { once } from '../../core/data-structures/lazy-value.js'
import { defineFeature } from '../../feature.js'

/** What documents say about themselves: titles, people, dates, licences. @see docs/use/crosswalks.md */
export const crosswalks = defineFeature({
  name: 'crosswalks',
  needs: ['exports'],
  checkSchemaRecord: async schema => (await import('./check-crosswalk.js')).checkCrosswalk(schema),
  openForCommands: async parts => {
    const opened = once(async () => (await import('./open-descriptions.js')).openDescriptions(parts))
    return {
      async *describeEach(revisions) {
        yield* (await opened()).describeEach(revisions)
      },
    }
  },
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
