import type { Command } from './command.js'

/** A command in the help. Its module is loaded if the command line names it. */
export interface CommandEntry {
  /** The name of the command and its positional arguments, in the syntax of yargs. */
  readonly usage: string
  readonly describe: string
  load(): Promise<Command>
}

/** Every command, in the order of the help. */
export const commandTable: readonly CommandEntry[] = [
  {
    usage: 'init [dir]',
    describe: 'Make a repository, with a few examples in it',
    load: async () => (await import('./commands/init.js')).initCommand,
  },
  {
    usage: 'serve',
    describe: 'Serve a repository over HTTP; makes it from the template where there is none',
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
    describe: 'Store the next version of a schema or metadata document',
    load: async () => (await import('./commands/records/update.js')).updateCommand,
  },
  {
    usage: 'get <id>',
    describe: 'Write a document to standard output, byte for byte',
    load: async () => (await import('./commands/records/get.js')).getCommand,
  },
  {
    usage: 'list [what]',
    describe: 'List schemas or metadata, newest versions',
    load: async () => (await import('./commands/records/list.js')).listCommand,
  },
  {
    usage: 'validate <schemaId> <files..>',
    describe: 'Say whether documents are valid, storing nothing',
    load: async () => (await import('./commands/records/validate.js')).validateCommand,
  },
  {
    usage: 'restore <id>',
    describe: 'Store the document of an older version again, as a new version',
    load: async () => (await import('./commands/working-copy/restore.js')).restoreCommand,
  },
  {
    usage: 'log <id>',
    describe: 'List every revision of a record, newest first',
    load: async () => (await import('./commands/history/log.js')).logCommand,
  },
  {
    usage: 'diff <id> <from> <to>',
    describe: 'Show what changed between two versions of a record',
    load: async () => (await import('./commands/history/diff.js')).diffCommand,
  },
  {
    usage: 'blame <id>',
    describe: 'Say of each member of a document which version changed it last, and who made that',
    load: async () => (await import('./commands/history/blame-members.js')).blameCommand,
  },
  {
    usage: 'impact <schemaId> <file>',
    describe: 'Say which documents a new version of a schema would break, and change nothing',
    load: async () => (await import('./commands/impact.js')).impactCommand,
  },
  {
    usage: 'verify',
    describe: 'Check every hash, record and document of every version, and the repository itself',
    load: async () => (await import('./commands/verify.js')).verifyCommand,
  },
  {
    usage: 'check [range]',
    describe: 'Check commits by the rules of the repository, in any clone of it',
    load: async () => (await import('./commands/working-copy/check.js')).checkCommand,
  },
  {
    usage: 'commit [paths..]',
    describe: 'Check the edits of the work tree, and commit them if they are good',
    load: async () => (await import('./commands/working-copy/commit.js')).commitCommand,
  },
  {
    usage: 'hooks <action>',
    describe: 'Have git check every commit and every push by the rules of the repository',
    load: async () => (await import('./commands/working-copy/hooks.js')).hooksCommand,
  },
  {
    usage: 'status',
    describe: 'Show what is served, what breaks a rule, what is edited, and how large it all is',
    load: async () => (await import('./commands/status.js')).statusCommand,
  },
  {
    usage: 'token <name>',
    describe: 'Make a token for a server that runs with --auth, signed with the secret it has',
    load: async () => (await import('./commands/token.js')).tokenCommand,
  },
  {
    usage: 'repair',
    describe: 'Find objects that are damaged or missing, and restore them from another copy',
    load: async () => (await import('./commands/repair.js')).repairCommand,
  },
  {
    usage: 'import <source>',
    describe: 'Take over schemas and metadata: JSON lines, or a folder',
    load: async () => (await import('./commands/import.js')).importCommand,
  },
  {
    usage: 'export',
    describe: 'Hand over all schemas and metadata, for import or for others',
    load: async () => (await import('./commands/export.js')).exportCommand,
  },
  {
    usage: 'purge <id>',
    describe: 'Erase a record from the whole history, which makes all commits since it another history',
    load: async () => (await import('./commands/purge.js')).purgeCommand,
  },
]
