import { appendFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { run } from '../../../src/cli/main.js'
import { openTerminal } from '../../../src/cli/output/terminal.js'
import { keepLauncher } from '../../../src/store/process/launcher.js'
import type { Command } from './command-processes.js'
import { eventLoopVariable, recordHolds } from './event-loop-monitor.js'
import { keepThreads } from './kept-threads.js'
import { shareValidators } from './shared-validators.js'

/*
 * Runs commands of this build in turn for the parent process. A new process spends most of the processor time of a
 * short command on the start of Node.js and on loading modules. Standard output and standard error are pipes, as
 * without a terminal. `mark` and the exit code follow the output of a command in both. Standard input is a stream of
 * the bytes from the parent.
 */

const started = process.cwd()
/** Whether this process already compares answers of servers with the OpenAPI description. */
let isChecking = false

keepThreads()
shareValidators()
keepLauncher()
process.on('disconnect', () => process.exit())
process.on('message', (command: Command) => void carryOut(command))

async function carryOut({ program, args, cwd, env, input = '', mark }: Command): Promise<void> {
  process.chdir(cwd ?? started)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv = [process.execPath, program, ...args]
  Object.defineProperty(process, 'stdin', {
    value: Readable.from([Buffer.from(input, 'base64')], { objectMode: false }),
    configurable: true,
  })
  if (args[0] === 'serve' && process.env.WRONG_ANSWERS_FILE !== undefined) await checkAnswers()
  const holds = args[0] === 'serve' ? process.env[eventLoopVariable] : undefined
  const endRecording = holds === undefined ? undefined : recordHolds(holds)
  const code = await run(args, openTerminal(process.stdout, process.stderr))
  endRecording?.()
  for (const stream of [process.stdout, process.stderr]) stream.write(`${mark}${code}\n`)
}

/** Writes each difference between an answer and the description to the file that the command names, one per line. */
async function checkAnswers(): Promise<void> {
  if (isChecking) return
  isChecking = true
  const { interceptResponses } = await import('../answer-checks/intercept-answers.js')
  interceptResponses(wrong => {
    const file = process.env.WRONG_ANSWERS_FILE
    if (file !== undefined) appendFileSync(file, `${wrong}\n`)
  })
}
