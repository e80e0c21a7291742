import type { OptionTable, OptionValues, PositionalTable } from './arguments/option-table.js'
import type { CommonOptions } from './arguments/shared-options.js'
import type { CommandContext } from './command-context.js'

/** What a command line says, with the options of every command. */
export type CommandLine<T extends OptionTable> = OptionValues<T> & CommonOptions

/** What the command line of a command may have, and what the command does. */
export interface Command {
  /** Whether it works on a running server, too. */
  readonly takesUrl: boolean
  readonly positionals: PositionalTable
  readonly options: OptionTable
  /** Options that environment variables may set, beside those of every command. */
  readonly fromEnvironment: readonly string[]
  /** @param argv what yargs has read by the two tables */
  run(argv: never, context: CommandContext): Promise<void>
}

interface CommandDeclaration<P extends PositionalTable, O extends OptionTable> {
  readonly takesUrl?: boolean
  readonly positionals?: P
  readonly options?: O
  readonly fromEnvironment?: readonly (keyof O & string)[]
  run(argv: CommandLine<P & O>, context: CommandContext): Promise<void>
}

/** A command whose `run` gets its arguments with the types that the tables say. */
export function defineCommand<
  const P extends PositionalTable = Record<never, never>,
  const O extends OptionTable = Record<never, never>,
>(command: CommandDeclaration<P, O>): Command {
  return { takesUrl: false, positionals: {}, options: {}, fromEnvironment: [], ...command }
}
