import type { CoreParts } from '../../compose/compose.js'
import { collections } from '../../core/records/collection.js'
import { defineFeature } from '../../feature.js'
import type { Comparison } from './open-comparison.js'

/** What changed between versions, who changed it, and what a change of a schema would break. @see docs/use/history.md */
export const comparison = defineFeature({
  name: 'comparison',
  commands: [
    {
      usage: 'diff <id> <from> <to>',
      describe: 'Show what changed between two versions of a record',
      load: async () => (await import('./commands/diff.js')).diffCommand,
    },
    {
      usage: 'blame <id>',
      describe: 'Show for each member of a document the version that changed it last, and its author',
      load: async () => (await import('./commands/blame-members.js')).blameCommand,
    },
    {
      usage: 'impact <schemaId> <file>',
      describe: 'Find the documents that a new version of a schema would break, and store nothing',
      load: async () => (await import('./commands/impact.js')).impactCommand,
    },
  ],
  async loadRoutes() {
    const { documentBlameRoute } = await import('./routes/document-blame-route.js')
    const { impactRoutes } = await import('./routes/impact-routes.js')
    const { versionDifferenceRoute } = await import('./routes/version-difference-route.js')
    return {
      versionRoutes: api => [
        ...collections.flatMap(kind => [versionDifferenceRoute(api, kind), documentBlameRoute(api, kind)]),
        ...impactRoutes(api),
      ],
    }
  },
  open: async parts => ({ state: (await import('./open-comparison.js')).openComparison(parts) }),
})

/** What compares versions, for features that need it. */
export function comparisonOf(parts: Pick<CoreParts, 'stateOf'>): Comparison {
  return parts.stateOf('comparison') as Comparison
}
