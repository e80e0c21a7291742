import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quoteForShell } from '../../../src/store/process/run-program.js'

/*
 * Runs programs synchronously, from a small shell. `execFileSync` would copy the page tables of the process of the
 * tests, with its 200 MB: a git command would then take several times the processor time.
 */

/** An environment without the configuration of the user, in which Jane works. */
export const janesEnvironment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Jane',
  GIT_AUTHOR_EMAIL: 'jane@example.org',
  GIT_COMMITTER_NAME: 'Jane',
  GIT_COMMITTER_EMAIL: 'jane@example.org',
}

/**
 * Runs the file `call` for each line of the pipe `ask`, and writes the exit code to the pipe `answer`. Ends when the
 * process of the tests has closed `ask`.
 */
const loop = `exec 4>answer
while read -r _; do
  ( . ./call ) <input >output 2>complaint 4>&-
  echo "$?" >&4
done <ask`

interface Shell {
  readonly folder: string
  /** File descriptors of the pipes. */
  readonly ask: number
  readonly answer: number
}

let shell: Shell | undefined

/**
 * Runs git in the environment of Jane.
 * @returns standard output
 * @throws Error if it fails, with `status`, `stdout` and `stderr`
 */
export function gitSync(args: readonly string[], cwd = tmpdir(), input: string | Uint8Array = ''): Buffer {
  shell ??= openShell()
  const { folder, ask, answer } = shell
  writeFileSync(
    join(folder, 'call'),
    `cd ${quoteForShell(cwd)} && exec git ${args.map(quoteForShell).join(' ')}\n`,
  )
  writeFileSync(join(folder, 'input'), input)
  writeSync(ask, '\n')
  const status = Number(readLine(answer))
  const stdout = readFileSync(join(folder, 'output'))
  if (status === 0) return stdout
  const stderr = readFileSync(join(folder, 'complaint'))
  throw Object.assign(new Error(`Command failed: git ${args.join(' ')}\n${stderr}`), {
    status,
    stdout,
    stderr,
  })
}

function openShell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'git-metastore-shell-'))
  execFileSync('mkfifo', [join(folder, 'ask'), join(folder, 'answer')])
  const child = spawn('sh', ['-c', loop], { cwd: folder, env: janesEnvironment, stdio: 'ignore' })
  child.unref()
  // Each of them waits for the other side.
  const answer = openSync(join(folder, 'answer'), 'r')
  const ask = openSync(join(folder, 'ask'), 'w')
  process.once('exit', () => {
    closeSync(ask)
    rmSync(folder, { recursive: true, force: true })
  })
  return { folder, ask, answer }
}

function readLine(file: number): string {
  const bytes = Buffer.alloc(16)
  for (let length = 0; ; ) {
    const count = readSync(file, bytes, length, bytes.length - length, null)
    if (count === 0) throw new Error('The shell that runs programs for the tests has ended.')
    length += count
    if (bytes[length - 1] === 10) return bytes.toString('latin1', 0, length - 1)
  }
}
