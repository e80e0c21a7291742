import type { FeatureToOpen } from '../compose/compose.js'
import { type Finding, findingInMessage, findingLine, ProblemError } from '../core/problem.js'
import type { RecordHooks } from '../service/rules/record-hooks.js'
import { type ExitCode, exitCodeOf, exitCodes } from './output/exit-codes.js'
import type { Terminal } from './output/terminal.js'

/** What features do in commands, which open none of them whole. */
export interface CommandFeatures {
  /** Their rules for records. */
  readonly rules: readonly RecordHooks[]
  /** Connect a data folder, and open what describes documents over its services. */
  readonly toOpen: readonly FeatureToOpen[]
}

/** What the program has before it knows the command. */
export interface ProgramContext {
  readonly terminal: Terminal
  /** Sets the exit code of the process, if the command does not throw. */
  finish(code: ExitCode): void
  /** The data folder. Undefined with `--url`, and until the command line is parsed. */
  data?: string
}

/** What a command gets in addition to its arguments. */
export interface CommandContext extends ProgramContext {
  readonly features: CommandFeatures
}

/** A wrong command line. The message says what is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** The usage of the command, if arguments are missing: `git-metastore diff <id> <from> <to>`. */
  usage?: string
}

const plainReasons: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied',
  EPERM: 'Permission denied',
  EROFS: 'The disk is read-only',
  ENOSPC: 'The disk is full',
  EMFILE: 'Too many files are open',
}

/**
 * Writes an error to standard error.
 * @param json whether as JSON
 * @param data the data folder of the command
 * @returns the exit code for the error
 */
export async function reportError(
  terminal: Terminal,
  error: unknown,
  json: boolean,
  data?: string,
): Promise<ExitCode> {
  if (error instanceof ProblemError) {
    const {
      findings = data !== undefined && error.kind === 'damaged' ? await damageFindings(data, error) : [],
    } = error.extra
    printError(terminal, json, error.kind, error.message, findings)
    return exitCodeOf(error.kind)
  }
  if (error instanceof UsageError) {
    printError(terminal, json, 'usage', error.message, [])
    if (!json && error.usage !== undefined) terminal.note(`Usage: ${error.usage}`)
    if (!json) terminal.note('See --help for all commands and options.')
    return exitCodes.usage
  }
  const { code, path, message, stack, syscall } = error as NodeJS.ErrnoException
  const reason = plainReasons[code ?? '']
  const said = reason === undefined ? (stack ?? String(error)) : `${reason}: ${path ?? message}`
  const text = syscall === 'uv_cwd' ? 'The current folder was removed. Change to another folder.' : said
  printError(terminal, json, 'failed', text, [])
  return exitCodes.failed
}

/** The first lines of git's message about damage, and the affected records. */
async function damageFindings(data: string, error: ProblemError): Promise<readonly Finding[]> {
  const { recordsOfLoss } = await import('../service/operations/records-of-loss.js')
  const said = error.cause instanceof Error ? error.cause.message.split('\n').slice(0, maxLines) : []
  return [...said.map(message => ({ message })), ...(await recordsOfLoss(data, error))]
}

/** Limit of the lines of git's message that a report repeats. */
const maxLines = 5

function printError(
  terminal: Terminal,
  json: boolean,
  kind: string,
  message: string,
  findings: readonly Finding[],
) {
  if (json) {
    terminal.note(JSON.stringify({ kind, message, ...(findings.length === 0 ? {} : { findings }) }))
    return
  }
  // The message may end with the first finding. It is cut off: the finding follows below, with its place.
  const repeated = findingInMessage(message, findings)
  const said = repeated === undefined ? message : message.slice(0, -repeated.length).trimEnd()
  const [only, ...others] = findings
  const alone = said === '' && only !== undefined
  terminal.note(`${terminal.paintNote('red', 'git-metastore:')} ${alone ? findingLine(only) : said}`)
  for (const finding of alone ? others : findings) terminal.note(`  ${findingLine(finding)}`)
}
