import { type CommandContext, reportError } from './command-context.js'
import { packageVersion } from './installed-package.js'
import { type ExitCode, exitCodes } from './output/exit-codes.js'
import { openTerminal, type Terminal } from './output/terminal.js'

/** Runs a command line in this process and ends it with its exit code. @param args without program and script */
export async function main(args: readonly string[]): Promise<void> {
  // A reader may close the pipe. The callback of `write` gets the error as well.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const code = await run(args, openTerminal(process.stdout, process.stderr))
  // The process ends here: timers of chokidar would keep it alive for another second.
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>(resolve => stream.write('', () => resolve()))
  }
  process.exit(code)
}

/** Runs a command line. @returns the exit code */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  // Handled before yargs: commands have an option `--version`, the version of a record.
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
    await terminal.print(packageVersion())
    return exitCodes.good
  }
  let code: ExitCode = exitCodes.good
  const context: CommandContext = {
    terminal,
    finish: ended => {
      code = ended
    },
  }
  try {
    const { helpText, parseCommandLine } = await import('./command-line.js')
    if (args.length === 0) {
      terminal.note(await helpText(context))
      return exitCodes.usage
    }
    const command = await parseCommandLine(args, context)
    await command?.()
    return code
  } catch (error) {
    return await reportError(terminal, error, args.includes('--json'), context.place)
  }
}
