import { type Finding, findingInMessage, findingLine, ProblemError } from '../core/problem.js'
import { type ExitCode, exitCodeOf, exitCodes } from './output/exit-codes.js'
import type { Terminal } from './output/terminal.js'

/** What a command has beside its arguments: where it writes, and how it ends when that is neither good nor a problem. */
export interface CommandContext {
  readonly terminal: Terminal
  /** Sets the exit code the process ends with. */
  finish(code: ExitCode): void
  /** The data folder and the git binary that the command line names, once it has been read. */
  place?: Place
}

export interface Place {
  readonly data: string
  readonly git: string
}

/** A command line that is wrong, with what is wrong about it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** How the command is written, where something it needs was left out: `git-metastore diff <id> <from> <to>`. */
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
 * Tells a person, or a machine, why a command did not do what was asked.
 * @param place where the command worked
 * @returns the exit code that says the same
 */
export async function reportError(
  terminal: Terminal,
  error: unknown,
  json: boolean,
  place?: Place,
): Promise<ExitCode> {
  if (error instanceof ProblemError) {
    const { findings = place && error.kind === 'damaged' ? await damageFindings(place, error) : [] } =
      error.extra
    tell(terminal, json, error.kind, error.message, findings)
    return exitCodeOf(error.kind)
  }
  if (error instanceof UsageError) {
    tell(terminal, json, 'usage', error.message, [])
    if (!json && error.usage !== undefined) terminal.note(`Write it as: ${error.usage}`)
    if (!json) terminal.note('Run it with --help for what there is.')
    return exitCodes.usage
  }
  const { code, path, message, stack } = error as NodeJS.ErrnoException
  const reason = plainReasons[code ?? '']
  if (reason !== undefined)
    tell(terminal, json, 'failed', path === undefined ? `${reason}: ${message}` : `${reason}: ${path}`, [])
  else tell(terminal, json, 'failed', stack ?? String(error), [])
  return exitCodes.failed
}

/** What git says of the damage, and the records it concerns. */
async function damageFindings({ data }: Place, error: ProblemError): Promise<readonly Finding[]> {
  const { recordsOfLoss } = await import('../service/operations/damage-report.js')
  const said = error.cause instanceof Error ? error.cause.message.split('\n').slice(0, mostLines) : []
  return [...said.map(message => ({ message })), ...(await recordsOfLoss(data, error))]
}

/** Lines of what git says. */
const mostLines = 5

function tell(
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
  // The message may end with the first finding, which is said below, with its place.
  const repeated = findingInMessage(message, findings)
  const said = repeated === undefined ? message : message.slice(0, -repeated.length).trimEnd()
  const [only, ...others] = findings
  const alone = said === '' && only !== undefined
  terminal.note(`${terminal.paintNote('red', 'git-metastore:')} ${alone ? findingLine(only) : said}`)
  for (const finding of alone ? others : findings) terminal.note(`  ${findingLine(finding)}`)
}
