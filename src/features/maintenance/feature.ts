import { defineFeature } from '../../feature.js'

/** Commands that check a whole repository, restore what is damaged, and erase records. @see docs/run/repair.md */
export const maintenance = defineFeature({
  name: 'maintenance',
  commands: [
    {
      usage: 'verify',
      describe: 'Check every hash, record and document of every version, and the repository itself',
      load: async () => (await import('./verify/verify.js')).verifyCommand,
    },
    {
      usage: 'repair',
      describe: 'Find damaged and missing objects, and restore them from another copy',
      load: async () => (await import('./repair/repair.js')).repairCommand,
    },
    {
      usage: 'purge <id>',
      describe: 'Erase a record from the whole history; all later commits get new ids',
      load: async () => (await import('./purge/purge.js')).purgeCommand,
    },
  ],
})
