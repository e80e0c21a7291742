import { type ProgramContext, reportError } from './command-context.js'
import { packageVersion } from './installed-package.js'
import { type ExitCode, exitCodes } from './output/exit-codes.js'
import { openTerminal, outputProblem, type Terminal } from './output/terminal.js'

/** Runs a command line in this process and ends it with its exit code. @param args without program and script */
export async function main(args: readonly string[]): Promise<void> {
  // EPIPE: the reader closed the pipe, as it may. Others are kept here, because yargs, which prints help, ignores them.
  let unwritten: Error | undefined
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') unwritten ??= error
  })
  // If standard error cannot be written, the exit code is the only sign of a failure.
  process.stderr.on('error', () => undefined)
  const terminal = openTerminal(process.stdout, process.stderr)
  let code = await run(args, terminal)
  await flush(process.stdout)
  if (unwritten && code === exitCodes.good)
    code = await reportError(terminal, outputProblem(unwritten), args.includes('--json'))
  await flush(process.stderr)
  // The process ends here: timers of the file watcher (chokidar) would keep it alive for another second.
  process.exit(code)
}

/** Resolves when everything is written, or has failed. */
async function flush(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>(resolve => stream.write('', () => resolve()))
}

/** Runs a command line. @returns the exit code */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = exitCodes.good
  const context: ProgramContext = {
    terminal,
    finish: ended => {
      code = ended
    },
  }
  try {
    // Handled before yargs: commands have an option `--version`, the version of a record.
    if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
      await terminal.print(packageVersion())
      return code
    }
    const { helpText, parseCommandLine } = await import('./command-line.js')
    if (args.length === 0) {
      terminal.note(await helpText(context))
      return exitCodes.usage
    }
    const command = await parseCommandLine(args, context)
    await command?.()
    return code
  } catch (error) {
    return await reportError(terminal, error, args.includes('--json'), context.data)
  }
}
