import { defineFeature } from '../../feature.js'

/** Import of schemas and metadata from JSON lines or folders, and export. @see docs/use/interchange.md */
export const transfer = defineFeature({
  name: 'transfer',
  needs: ['exports'],
  commands: [
    {
      usage: 'import <source>',
      describe: 'Import schemas and metadata from JSON lines or from a folder',
      load: async () => (await import('./commands/import.js')).importCommand,
    },
    {
      usage: 'export',
      describe: 'Export all schemas and metadata',
      load: async () => (await import('./commands/export.js')).exportCommand,
    },
  ],
})
