import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'

/*
 * The command `git-metastore` of documented steps. It asks the test to run the command. It imports no module of the
 * program, because loading the program takes ten times as long.
 */

/** A command that is sent to the test as JSON. */
export interface AskedCommand {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Standard input in base64. */
  readonly input: string
}

/** The output of a command in base64, and its exit code: null if a signal ended it. */
export interface CommandAnswer {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const [path = '', ...args] = process.argv.slice(2)
const input = (await buffer(process.stdin)).toString('base64')
const socket = connect({ path, allowHalfOpen: true })
const env = process.env as Record<string, string>
socket.end(JSON.stringify({ args, cwd: process.cwd(), env, input } satisfies AskedCommand))
const { code, stdout, stderr } = JSON.parse(await text(socket)) as CommandAnswer
process.stdout.write(Buffer.from(stdout, 'base64'))
process.stderr.write(Buffer.from(stderr, 'base64'))
process.exitCode = code ?? 1
