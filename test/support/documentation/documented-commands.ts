import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { AssertionError, expect } from 'chai'
import { packageFolder } from '../../../src/cli/installed-package.js'
import { runCommand } from '../program/command-processes.js'
import { programScript, runProgram, withoutIdentity } from '../program/run-program.js'
import type { AskedCommand, CommandAnswer } from './ask-for-command.js'

/** A block of commands in a document, with the output that the next block shows. */
export interface DocumentedCommand {
  /** Line of the document, from 1. */
  readonly line: number
  readonly commands: string
  readonly shown: string | undefined
}

/**
 * Reads the `sh` blocks of a document of the project, in order. A block without a language directly behind it shows the
 * output of the commands.
 */
export async function readDocumentedCommands(document: string): Promise<readonly DocumentedCommand[]> {
  const page = await readFile(join(packageFolder(), document), 'utf8')
  const blocks = page.matchAll(/^```sh\n([\s\S]*?)^```\n(?:```\n([\s\S]*?)^```\n)?/gm)
  return [...blocks].map(found => ({
    line: page.slice(0, found.index).split('\n').length,
    commands: found[1] ?? '',
    shown: found[2],
  }))
}

/**
 * Puts `git-metastore` into `bin` of the folder, as a command and as the file of a clone. A command runs in a process
 * of {@link beginCommand}. A server gets its own process, so that signals reach it.
 */
export async function putProgramOnPath(folder: string): Promise<void> {
  const bin = join(folder, 'bin')
  const program = join(bin, 'git-metastore.js')
  await mkdir(bin)
  await writeFile(program, `await import(${JSON.stringify(pathToFileURL(programScript).href)})\n`)
  await writeFile(join(bin, 'git-metastore'), commandScript(program, await listenForCommands(program)), {
    mode: 0o755,
  })
}

function commandScript(program: string, socket: string): string {
  return (
    `#!/bin/sh\nif [ "$1" = serve ]; then exec node '${program}' "$@"; fi\n` +
    `exec node '${askScript}' '${socket}' "$@"\n`
  )
}

const askScript = fileURLToPath(new URL('./ask-for-command.js', import.meta.url))

/** Runs the commands that {@link askScript} asks for. @returns the path of a socket */
async function listenForCommands(program: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'commands-')), 'socket')
  const server = createServer({ allowHalfOpen: true }, socket => {
    const asked: Buffer[] = []
    socket.on('data', (bytes: Buffer) => asked.push(bytes))
    socket.on('end', async () => {
      const command = JSON.parse(Buffer.concat(asked).toString()) as AskedCommand
      const { code, stdout, stderr } = await runCommand({ program, ...command })
      const written = { code, stdout: stdout.toString('base64'), stderr: stderr.toString('base64') }
      socket.end(JSON.stringify(written satisfies CommandAnswer))
    })
  })
  await new Promise<void>(resolve => server.listen(path, resolve))
  server.unref()
  return path
}

/** A step that makes later steps find the program of {@link putProgramOnPath}. */
export const addProgramToPath: DocumentedCommand = {
  line: 0,
  commands: 'PATH="$PWD/bin:$PATH"',
  shown: undefined,
}

const mark = '--- end of a step ---'

/** Shell code that waits while the server locks the index. A person would type the next step only after that. */
const untilUnlocked = (folder: string) =>
  `for _ in $(seq 200); do [ -z "$(find '${folder}' -maxdepth 4 -name index.lock)" ] && break; sleep 0.05; done`

/**
 * Runs all steps in one bash, in order, and compares their output with the documented output. `…` matches any text. The
 * user is new: the home folder is empty, and git knows no name.
 * @param port the port of the server, which replaces 8040
 * @param env additional environment variables
 */
export async function runDocumentedCommands(
  steps: readonly DocumentedCommand[],
  cwd: string,
  port: number,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'steps-'))
  const script = join(home, 'steps.sh')
  const lines = steps
    .map(({ commands }) => `${untilUnlocked(cwd)}\n${commands}\necho; echo '${mark}'`)
    .join('\n')
    .replaceAll('8040', String(port))
  await writeFile(script, lines)
  const { stdout, stderr } = await runProgram('bash', ['-u', script], {
    cwd,
    env: { ...withoutIdentity, HOME: home, ...env },
  })
  const printed = stdout.split(`\n${mark}\n`)
  for (const [index, { line, commands, shown }] of steps.entries()) {
    const actual = (printed[index] ?? '').replaceAll(String(port), '8040').trim()
    if (shown === undefined) continue
    const pattern = shown.trim().split('…').map(literal).join('[\\s\\S]*?')
    if (!new RegExp(`^${pattern}$`).test(actual)) {
      throw new AssertionError(`line ${line} prints something else:\n${commands}\n${stderr}`, {
        actual,
        expected: shown.trim(),
        showDiff: true,
      })
    }
  }
  expect(printed, stderr).to.have.length(steps.length + 1)
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
