import { defineFeature } from '../../feature.js'

/** Commands that check and commit edits of a work tree, and hooks that check them. @see docs/use/working-copy.md */
export const workingCopy = defineFeature({
  name: 'working-copy',
  commands: [
    {
      usage: 'check [range]',
      describe: 'Check commits of any clone against the rules of the repository',
      load: async () => (await import('./check.js')).checkCommand,
    },
    {
      usage: 'commit [paths..]',
      describe: 'Check the edits of the work tree, and commit them if they are valid',
      load: async () => (await import('./commit.js')).commitCommand,
    },
    {
      usage: 'hooks <action>',
      describe: 'Make git check every commit and every push against the rules of the repository',
      load: async () => (await import('./hooks.js')).hooksCommand,
    },
  ],
})
