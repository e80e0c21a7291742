import { existsSync } from 'node:fs'
import yargs, { type Argv } from 'yargs'
import { nearestName } from '../core/nearest-name.js'
import { standardInput } from './arguments/input-file.js'
import type { OptionTable, PositionalTable } from './arguments/option-table.js'
import {
  commonOptionNames,
  dataFolder,
  environmentOf,
  variableOf,
  withCommonOptions,
} from './arguments/shared-options.js'
import type { Command, CommandEntry } from './command.js'
import { type CommandContext, UsageError } from './command-context.js'
import { commandTable, featuresOfCommands } from './command-table.js'
import { standardOutput } from './output/output-file.js'

/** The help of the whole program, as `git-metastore --help` prints it. */
export async function helpText(context: CommandContext): Promise<string> {
  return await (await parserOf([], context)).getHelp()
}

/**
 * Reads a command line.
 * @returns a function that runs the command; undefined if help or a completion script was printed instead
 * @throws UsageError
 */
export async function parseCommandLine(
  given: readonly string[],
  context: CommandContext,
): Promise<(() => Promise<void>) | undefined> {
  const args = withHelpAsOption(given)
  const parser = await parserOf(
    args.map((arg, index) => (arg === '-' ? streamAfter(args[index - 1]) : arg)),
    context,
  )
  try {
    await parser.parseAsync()
    return undefined
  } catch (error) {
    if (error instanceof ReadyToRun) return error.run
    if (error instanceof UsageError && error.message.startsWith(missing))
      error.usage = await usageOf(args, context)
    throw error
  }
}

/**
 * Turns `help list` into `list --help`.
 * @throws UsageError for help on an unknown command, for which yargs would print the general help
 */
function withHelpAsOption(given: readonly string[]): readonly string[] {
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  const [name = '-'] = args
  const asksForHelp = args.includes('--help') || args.includes('-h')
  if (asksForHelp && !name.startsWith('-') && !commandNames.includes(name))
    throw new UsageError(unknownCommand(name))
  return args
}

/** The name of the stream that `-` means. @param before the argument before it */
function streamAfter(before: string | undefined): string {
  return before === '-o' || before === '--output' ? standardOutput : standardInput
}

/**
 * A handler throws this when yargs has read and checked the command line. If a handler returns, yargs builds the help
 * text, which takes longer than reading the command line.
 */
class ReadyToRun extends Error {
  override readonly name = 'ReadyToRun'
  readonly run: () => Promise<void>

  constructor(run: () => Promise<void>) {
    super()
    this.run = run
  }
}

/** The first line of a command's help. */
async function usageOf([command = '']: readonly string[], context: CommandContext): Promise<string> {
  const help = await (await parserOf([command], context)).getHelp()
  return help.slice(0, help.indexOf('\n'))
}

async function parserOf(args: readonly string[], context: CommandContext): Promise<Argv> {
  const plain = yargs([...args])
    .scriptName('git-metastore')
    .usage(
      '$0 <command>\n\nA metadata and schema repository that keeps everything as files in a Git repository.',
    )
    .version(false)
    .exitProcess(false)
    .locale('en')
    // yargs accepts plural forms; its types do not have them.
    .updateStrings(wording as Record<string, string>)
    // Declared first: the help then lists a command's own options before the common ones.
    .group('help', 'Options:')
    .showHidden('show-hidden', 'With --help: show all options')
  const parser = withCommonOptions(plain, args)
  const options = new Set([...commonOptionNames, 'help', 'show-hidden'])
  for (const entry of commandTable) {
    const command = await addCommand(parser, entry, args, context)
    for (const name of Object.keys(command?.options ?? {})) options.add(name)
  }
  return parser
    .completion('completion', 'Print a script that completes commands in your shell')
    .demandCommand(1, 1, 'Name a command.', oneCommand)
    .strict()
    .check(argv => noteFolder(argv, context))
    .check(argv => refuseUnclear(argv, args))
    .help()
    .alias('help', 'h')
    .wrap(Math.min(100, context.terminal.columns ?? 100))
    .fail((message: string | undefined, error: Error | undefined) => {
      // yargs reports a wrong command line as a message or as an error named YError.
      if (error !== undefined && error.name !== 'YError') throw error
      throw new UsageError(withAdvice(message ?? error?.message ?? '', args, options))
    })
    .epilogue(
      [
        'The options of a command: git-metastore help <command>.',
        'Exit codes: 0 success; 1 it could not run; 2 wrong command line; 3 not found or refused;',
        '4 a document or schema is not valid, or verify, check, commit, impact or repair found something.',
        'Environment variables can set options: METASTORE_DATA, METASTORE_PORT… See docs/run/configuration.md.',
      ].join('\n'),
    )
}

/**
 * Loads a command's module if any argument is the command's name: options may stand before the name.
 * @returns the loaded command
 */
async function addCommand(
  parser: Argv,
  { usage, describe, load }: CommandEntry,
  args: readonly string[],
  context: CommandContext,
): Promise<Command | undefined> {
  const name = nameOf(usage)
  if (!args.includes(name)) {
    parser.command(usage, describe)
    return undefined
  }
  const command = await load()
  parser.command(
    usage,
    describe,
    plain => declare(plain, command),
    argv => {
      throw new ReadyToRun(() => command.run(argv as never, { ...context, features: featuresOfCommands }))
    },
  )
  return command
}

/** The name of a command. @param usage as in {@link CommandEntry} */
function nameOf(usage: string): string {
  return usage.split(' ')[0] ?? ''
}

function declare(parser: Argv, command: Command): Argv {
  const { positionals, options, fromEnvironment, takesUrl } = command
  if (!takesUrl) parser.hide('url')
  for (const [name, positional] of Object.entries(positionals)) parser.positional(name, positional)
  const lists = fromEnvironment.filter(name => options[name]?.array)
  const repeatable = new Set(['_', ...listsIn(positionals), ...listsIn(options)])
  return parser
    .config(environmentOf(fromEnvironment, lists))
    .options(options)
    .check(argv => refuseTwice(argv, repeatable))
    .check(argv => refuseUrl(argv, command))
}

const missing = 'Arguments are missing'
const oneCommand = 'Name only one command.'

/** Texts that replace messages of yargs. */
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
  'Invalid values:': 'Invalid value:',
  'Argument: %s, Given: %s, Choices: %s': '%s is %s, but must be one of %s.',
}

/** @param options names of the options that the command line may have */
function withAdvice(message: string, args: readonly string[], options: ReadonlySet<string>): string {
  const advice = folderAdvice(message, args) ?? adviceOfCommand(message, args) ?? optionAdvice(args, options)
  return commandAdvice(message, args) ?? [withMeantChoices(message), advice].join(' ').trimEnd()
}

/** The message with the choice that was probably meant after each value that is none. */
function withMeantChoices(message: string): string {
  const lines = message.split('\n').map(line => {
    const [before = '', choices] = line.split('", but must be one of ')
    const meant =
      choices && nearestName(before.slice(before.indexOf('"') + 1), choices.match(/[\w-]+/g) ?? [])
    return meant ? `${line} Did you mean ${meant}?` : line
  })
  return lines.join('\n')
}

const commandNames = [...commandTable.map(({ usage }) => nameOf(usage)), 'completion']

function unknownCommand(name: string): string {
  const meant = nearestName(name, commandNames)
  return `There is no command ${name}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
}

/** The message for an unknown command, with the command that was probably meant; undefined if the command is known. */
function commandAdvice(message: string, args: readonly string[]): string | undefined {
  if (commandNames.some(name => args.includes(name))) return undefined
  const unknown = message === oneCommand ? args.slice(0, 1) : namedIn(message)
  const name = args.find(arg => unknown.includes(arg) && !arg.startsWith('-'))
  return name === undefined ? undefined : unknownCommand(name)
}

/** The options that were probably meant by unknown ones; undefined if there are none. */
function optionAdvice(args: readonly string[], options: ReadonlySet<string>): string | undefined {
  for (const arg of args) {
    if (arg === '--') return undefined
    const [, name = ''] = /^--(?:no-)?([^=]+)/.exec(arg) ?? []
    const meant = options.has(kebab(name)) ? undefined : nearestName(name, options)
    if (meant !== undefined) return `Did you mean --${meant}?`
  }
  return undefined
}

/** The arguments that yargs calls unknown; options without their dashes. */
function namedIn(message: string): readonly string[] {
  return (
    /^There (?:is no option or argument|are no options or arguments) (.+)\.$/
      .exec(message)?.[1]
      ?.split(', ') ?? []
  )
}

/** Advice to write `--data` before a folder, as only `init` takes one without; undefined if the message names none. */
function folderAdvice(message: string, args: readonly string[]): string | undefined {
  const folder = args.find(arg => message.endsWith(` ${arg}.`) && existsSync(arg))
  return folder && `A data folder is given as --data ${folder}.`
}

function adviceOfCommand(message: string, args: readonly string[]): string | undefined {
  return commandTable.find(({ usage }) => args.includes(nameOf(usage)))?.advise?.(message, args)
}

/** Refuses a flag that is neither `true` nor `false`. yargs would take `METASTORE_AUTH=yes` for false: no tokens. */
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
        throw new UsageError(`${where} is "${word}", but must be true or false.`)
      }
    }
  }
  return true
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

/** Stores the data folder in the context. The report of an error reads the affected records there. */
function noteFolder({ data, url }: Readonly<Record<string, unknown>>, context: CommandContext): true {
  if (url === undefined && (data === undefined || typeof data === 'string')) context.data = dataFolder(data)
  return true
}

function refuseUrl({ data, url }: Readonly<Record<string, unknown>>, { takesUrl }: Command): true {
  if (url === undefined) return true
  if (takesUrl && data === undefined) return true
  throw new UsageError(
    takesUrl
      ? 'Give --data or --url, not both.'
      : 'This command asks no server: leave out --url, or give --data instead.',
  )
}

/** Names and aliases of options that accept several values. */
function listsIn(table: PositionalTable | OptionTable): readonly string[] {
  return Object.entries(table).flatMap(([name, { array, alias = [] }]) => (array ? [name, alias].flat() : []))
}

/** Refuses an option that is given twice. yargs turns its values into a list, whatever its type. */
function refuseTwice(argv: Readonly<Record<string, unknown>>, repeatable: ReadonlySet<string>): true {
  for (const [name, value] of Object.entries(argv)) {
    const option = kebab(name)
    if (Array.isArray(value) && !repeatable.has(option)) throw new UsageError(`--${option} is given twice.`)
  }
  return true
}
