import yargs, { type Argv } from 'yargs'
import { standardInput } from './arguments/input-file.js'
import { dataFolder, variableOf, withCommonOptions } from './arguments/shared-options.js'
import { type CommandContext, reportError, UsageError } from './command-context.js'
import { withExportCommand } from './commands/export.js'
import { withHistoryCommands } from './commands/history.js'
import { withImpactCommand } from './commands/impact.js'
import { withImportCommand } from './commands/import.js'
import { withInitCommand } from './commands/init.js'
import { withPurgeCommand } from './commands/purge.js'
import { withRecordCommands } from './commands/records.js'
import { withRepairCommand } from './commands/repair.js'
import { withServeCommand } from './commands/serve.js'
import { withStatusCommand } from './commands/status.js'
import { withTokenCommand } from './commands/token.js'
import { withVerifyCommand } from './commands/verify.js'
import { withCheckCommand } from './commands/working-copy/check.js'
import { withCommitCommand } from './commands/working-copy/commit.js'
import { withHooksCommand } from './commands/working-copy/hooks.js'
import { withRestoreCommand } from './commands/working-copy/restore.js'
import { packageVersion } from './installed-package.js'
import { type ExitCode, exitCodes } from './output/exit-codes.js'
import { openTerminal, type Terminal } from './output/terminal.js'

/** Runs a command line in this process and ends it with its exit code. @param args without program and script */
export async function main(args: readonly string[]): Promise<void> {
  // A reader that has had enough closes the pipe; that is its right. What is written meets the error itself.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const code = await run(args, openTerminal(process.stdout, process.stderr))
  // All is closed, but chokidar's timers keep a process alive for a second after its watchers are.
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>(resolve => stream.write('', () => resolve()))
  }
  process.exit(code)
}

/** @returns the exit code */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  // Taken before yargs: `--version` is an option of commands, the version of a record.
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
    await terminal.print(packageVersion())
    return exitCodes.good
  }
  let code: ExitCode = exitCodes.good
  const program: CommandContext = {
    terminal,
    finish: ended => {
      code = ended
    },
  }
  try {
    const parser = parserOf(
      args.map(arg => (arg === '-' ? standardInput : arg)),
      program,
    )
    if (args.length === 0) {
      terminal.note(await parser.getHelp())
      return exitCodes.usage
    }
    await parser.parseAsync()
    return code
  } catch (error) {
    if (error instanceof UsageError && error.message.startsWith(missing))
      error.usage = await usageOf(args, program)
    return await reportError(terminal, error, args.includes('--json'), program.place)
  }
}

/** The first line of a command's help. */
async function usageOf([command = '']: readonly string[], program: CommandContext): Promise<string> {
  const help = await parserOf([command], program).getHelp()
  return help.slice(0, help.indexOf('\n'))
}

function parserOf(args: readonly string[], program: CommandContext): Argv {
  const plain = yargs([...args])
    .scriptName('git-metastore')
    .usage(
      '$0 <command>\n\nA metadata and schema repository that keeps everything as files in a Git repository.',
    )
    .version(false)
    .exitProcess(false)
    .locale('en')
    // Its types know nothing of plurals; it does.
    .updateStrings(wording as Record<string, string>)
    // Named here, so that a command's own options come before those of every command.
    .group('help', 'Options:')
    .showHidden('show-hidden', 'With --help: the rarer options too')
  const parser = withCommonOptions(plain, args)
  withInitCommand(parser, program)
  withServeCommand(parser, program)
  withRecordCommands(parser, program)
  withRestoreCommand(parser, program)
  withHistoryCommands(parser, program)
  withImpactCommand(parser, program)
  withVerifyCommand(parser, program)
  withCheckCommand(parser, program)
  withCommitCommand(parser, program)
  withHooksCommand(parser, program)
  withStatusCommand(parser, program)
  withTokenCommand(parser, program)
  withRepairCommand(parser, program)
  withImportCommand(parser, program)
  withExportCommand(parser, program)
  withPurgeCommand(parser, program)
  return parser
    .completion('completion', 'Print a script that completes commands in your shell')
    .demandCommand(1, 1, 'Say which command.', 'One command at a time.')
    .recommendCommands()
    .strict()
    .check(refuseTwice)
    .check(argv => notePlace(argv, program))
    .check(argv => refuseUnclear(argv, args))
    .help()
    .alias('help', 'h')
    .wrap(Math.min(100, program.terminal.columns ?? 100))
    .fail((message: string | undefined, error: Error | undefined) => {
      // What yargs has to say about a command line comes as a message, or as an error of its own.
      throw error === undefined || error.name === 'YError' ? new UsageError(message ?? error?.message) : error
    })
    .epilogue(
      [
        'Exit codes: 0 good; 1 it could not run; 2 wrong command line; 3 not found or refused;',
        '4 a document or schema is not valid, or verify, check, commit, impact or repair found something.',
        'Options can be set in the environment too: METASTORE_DATA, METASTORE_PORT… See docs/configuration.md.',
      ].join('\n'),
    )
}

const missing = 'Arguments are missing'

/** What yargs says about a wrong command line, in our words. */
const wording: Readonly<Record<string, string | { readonly one: string; readonly other: string }>> = {
  'Not enough arguments following: %s': 'The option --%s needs a value.',
  'Not enough non-option arguments: got %s, need at least %s': {
    one: `${missing}: %s given, %s needed.`,
    other: `${missing}: %s given, %s needed.`,
  },
  'Unknown argument: %s': {
    one: 'There is no option or argument %s.',
    other: 'There are no options or arguments %s.',
  },
  'Did you mean %s?': 'There is no such command. Did you mean %s?',
  'Invalid values:': 'Not possible:',
  'Argument: %s, Given: %s, Choices: %s': '%s is %s, and has to be one of %s.',
}

const repeatable = new Set([
  '_',
  'files',
  'paths',
  'message',
  'm',
  'schema',
  'resource',
  'former-base-url',
  'trusted-proxy',
  'role',
  'group',
  'cors-origin',
])

/** yargs reads any value but `true` as false: `METASTORE_AUTH=yes` would turn authentication off. */
function refuseUnclear(argv: Readonly<Record<string, unknown>>, args: readonly string[]): true {
  for (const [name, value] of Object.entries(argv)) {
    if (typeof value !== 'boolean') continue
    const option = kebab(name)
    const variable = variableOf(option)
    const words = [
      ...args
        .filter(arg => /^--[^=]+=/.test(arg) && kebab(arg.slice(2, arg.indexOf('='))) === option)
        .map(arg => [`--${option}`, arg.slice(arg.indexOf('=') + 1)] as const),
      [variable, process.env[variable] || 'true'] as const,
    ]
    for (const [where, word] of words) {
      if (word !== 'true' && word !== 'false') {
        throw new UsageError(`${where} is "${word}", and has to be true or false.`)
      }
    }
  }
  return true
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

/** Keeps the data folder, in which the report of an error looks up the records it concerns. */
function notePlace(argv: Readonly<Record<string, unknown>>, program: CommandContext): true {
  const { data, url, git } = argv
  if (url === undefined && (data === undefined || typeof data === 'string'))
    program.place = { data: dataFolder(data), git: String(git) }
  return true
}

/** yargs makes a list of an option that is given twice, whatever its type. */
function refuseTwice(argv: Readonly<Record<string, unknown>>): true {
  for (const [name, value] of Object.entries(argv)) {
    const option = kebab(name)
    if (Array.isArray(value) && !repeatable.has(option)) throw new UsageError(`--${option} is given twice.`)
  }
  return true
}
