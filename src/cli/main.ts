import { type CommandContext, reportError } from './command-context.js'
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
