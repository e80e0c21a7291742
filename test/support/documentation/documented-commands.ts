import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AssertionError, expect } from 'chai'
import { packageFolder } from '../../../src/cli/installed-package.js'
import { programScript, runProgram } from '../program/run-program.js'

/** A block of commands in a document, with the output shown behind it. */
export interface DocumentedCommand {
  /** Line of the document, from 1. */
  readonly line: number
  readonly commands: string
  readonly shown: string | undefined
}

/**
 * The `sh` blocks of a document of the project in their order. A block without a language that follows directly
 * shows what the commands print.
 */
export async function readDocumentedCommands(document: string): Promise<readonly DocumentedCommand[]> {
  const text = await readFile(join(packageFolder(), document), 'utf8')
  const blocks = text.matchAll(/^```sh\n([\s\S]*?)^```\n(?:```\n([\s\S]*?)^```\n)?/gm)
  return [...blocks].map(found => ({
    line: text.slice(0, found.index).split('\n').length,
    commands: found[1] ?? '',
    shown: found[2],
  }))
}

/** Puts `git-metastore` into the folder's `bin`, as a command and as the file a clone has. */
export async function putProgramOnPath(folder: string): Promise<void> {
  const script = `await import(${JSON.stringify(pathToFileURL(programScript).href)})\n`
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, 'bin', 'git-metastore.js'), script)
  const command = '#!/bin/sh\nexec node "$(dirname "$0")/git-metastore.js" "$@"\n'
  await writeFile(join(folder, 'bin', 'git-metastore'), command, { mode: 0o755 })
}

/** Has the steps after it find what {@link putProgramOnPath} has put there. */
export const addProgramToPath: DocumentedCommand = {
  line: 0,
  commands: 'PATH="$PWD/bin:$PATH"',
  shown: undefined,
}

const mark = '--- end of a step ---'

/** Whoever types the next step is no faster than a server that brings its work tree up to date, however slow the machine. */
const untilUnlocked = (folder: string) =>
  `for _ in $(seq 200); do [ -z "$(find '${folder}' -maxdepth 4 -name index.lock)" ] && break; sleep 0.05; done`

/**
 * Runs all steps in one bash, in order, and compares what they print with what is shown: `…` stands for anything.
 * @param port the one the server really has, in place of 8040
 * @param env more of the environment
 */
export async function runDocumentedCommands(
  steps: readonly DocumentedCommand[],
  cwd: string,
  port: number,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const script = steps
    .map(({ commands }) => `${untilUnlocked(cwd)}\n${commands}\necho; echo '${mark}'`)
    .join('\n')
    .replaceAll('8040', String(port))
  const { stdout, stderr } = await runProgram('bash', ['-u'], { cwd, env, input: script })
  const printed = stdout.split(`\n${mark}\n`)
  for (const [at, { line, commands, shown }] of steps.entries()) {
    const actual = (printed[at] ?? '').replaceAll(String(port), '8040').trim()
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
