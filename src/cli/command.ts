import type { OptionTable, OptionValues, PositionalTable } from './arguments/option-table.js'
import type { CommonOptions } from './arguments/shared-options.js'
import type { CommandContext } from './command-context.js'

/** The arguments of a command, with the common options. */
export type CommandLine<T extends OptionTable> = OptionValues<T> & CommonOptions

/** A command: its arguments and its implementation. */
export interface Command {
  /** Whether the command accepts `--url`, to work on a running server instead of a data folder. */
  readonly takesUrl: boolean
  readonly positionals: PositionalTable
  readonly options: OptionTable
  /** Names of the options in `options` that environment variables may set. */
  readonly fromEnvironment: readonly string[]
  /** Runs the command. @param argv the values of `positionals` and `options` */
  run(argv: never, context: CommandContext): Promise<void>
}

interface CommandDeclaration<P extends PositionalTable, O extends OptionTable> {
  readonly takesUrl?: boolean
  readonly positionals?: P
  readonly options?: O
  readonly fromEnvironment?: readonly (keyof O & string)[]
  run(argv: CommandLine<P & O>, context: CommandContext): Promise<void>
}

/** Makes a command. The types of the arguments of `run` follow from `positionals` and `options`. */
export function defineCommand<
  const P extends PositionalTable = Record<never, never>,
  const O extends OptionTable = Record<never, never>,
>(command: CommandDeclaration<P, O>): Command {
  return { takesUrl: false, positionals: {}, options: {}, fromEnvironment: [], ...command }
}

/** A command in the help. Its module is loaded only if the command line names the command. */
export interface CommandEntry {
  /** The name of the command and its positional arguments, in the syntax of yargs. */
  readonly usage: string
  readonly describe: string
  load(): Promise<Command>
  /** Advice on arguments that are refused. @param message what is wrong with them */
  advise?(message: string, args: readonly string[]): string | undefined
}

/** What a feature adds to `git-metastore status`. */
export interface StatusPart {
  /** Name of its member in JSON. */
  readonly member: string
  readonly value: unknown
  /** Lines for people. */
  readonly lines: readonly string[]
}
