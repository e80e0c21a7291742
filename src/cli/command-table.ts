import { forCommands } from '../feature.js'
import { features } from '../features.js'
import type { CommandEntry } from './command.js'
import type { CommandFeatures } from './command-context.js'

/** The commands of the core, in the order of the help. */
const coreCommands: readonly CommandEntry[] = [
  {
    usage: 'init [dir]',
    describe: 'Make a repository with a few examples',
    load: async () => (await import('./commands/init.js')).initCommand,
  },
  {
    usage: 'serve',
    describe: 'Serve a repository over HTTP; if there is none, make it from the template',
    load: async () => (await import('./commands/serve.js')).serveCommand,
  },
  {
    usage: 'register <schemaId> <file>',
    describe: 'Register a schema, with the files it refers to',
    load: async () => (await import('./commands/records/register.js')).registerCommand,
  },
  {
    usage: 'add <schemaId> <resource> <file>',
    describe: 'Add a metadata document that describes a resource',
    load: async () => (await import('./commands/records/add.js')).addCommand,
  },
  {
    usage: 'update <id> <file>',
    describe: 'Store a new version of a schema or metadata document',
    load: async () => (await import('./commands/records/update.js')).updateCommand,
  },
  {
    usage: 'get <id>',
    describe: 'Write a document to standard output, byte for byte',
    load: async () => (await import('./commands/records/get.js')).getCommand,
  },
  {
    usage: 'list [what]',
    describe: 'List the newest versions of schemas or metadata',
    load: async () => (await import('./commands/records/list.js')).listCommand,
  },
  {
    usage: 'validate <schemaId> <files..>',
    describe: 'Check whether documents are valid, and store nothing',
    load: async () => (await import('./commands/records/validate.js')).validateCommand,
  },
  {
    usage: 'restore <id> [from]',
    describe: 'Store the document of an older version again, as a new version',
    load: async () => (await import('./commands/records/restore.js')).restoreCommand,
  },
  {
    usage: 'log <id>',
    describe: 'List every revision of a record, newest first',
    load: async () => (await import('./commands/records/log.js')).logCommand,
  },
  {
    usage: 'status',
    describe: 'Show what is served, what breaks a rule, what is edited, and the sizes',
    load: async () => (await import('./commands/status.js')).statusCommand,
  },
  {
    usage: 'token <name>',
    describe: 'Make a token for a server with --auth, signed with the secret of the server',
    load: async () => (await import('./commands/token.js')).tokenCommand,
  },
]

/** What features do in commands. */
export const commandFeatures: CommandFeatures = { rules: features, toOpen: forCommands(features) }

/** Every command, in the order of the help. */
export const commandTable: readonly CommandEntry[] = [
  ...coreCommands,
  ...features.flatMap(({ commands }) => commands),
]
