import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { killGroup } from '../../../src/store/process/process-group.js'
import { wrongAnswersFile } from '../answer-checks/check-every-answer.js'
import { collectOutput } from './collecting-process.js'
import { beginCommand, runCommand } from './command-processes.js'

/** The output and the exit code of a finished process. */
export interface FinishedProcess {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Standard output as bytes. */
  readonly bytes: Buffer
}

export interface RunOptions {
  readonly cwd?: string
  /** Variables in addition to {@link testEnvironment}; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string | Uint8Array
}

export interface ServerOptions extends Omit<RunOptions, 'input'> {
  /**
   * Whether the server starts in a new process, for tests that inspect it. Default: only if its environment requires
   * that.
   */
  readonly ownProcess?: boolean
  /** Default: any free port. */
  readonly port?: number
}

/** A server in a process that runs nothing else. */
export interface RunningServer {
  /** The URL in the ready line. */
  readonly url: string
  readonly port: number
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  /** Ends the server, after some seconds with SIGKILL. */
  end(): Promise<unknown>
  /** Sends a signal to the server. @returns its whole output, and its exit code */
  stop(signal?: NodeJS.Signals): Promise<FinishedProcess>
}

const folders: string[] = []
const servers: RunningServer[] = []

/** Milliseconds after which a stopping server is killed. */
const maxStop = 4000

/** For `afterEach` or `after`: ends all servers and removes all folders. */
export async function stopProcesses(): Promise<void> {
  await Promise.all(servers.splice(0).map(server => server.end()))
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'git-metastore-cli-'))
  folders.push(folder)
  return folder
}

/**
 * Returns a port that was free a moment ago. It stands below the range from which systems choose ports, so no other test
 * gets it in the meantime.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000)
    const server = createServer()
    const isFree = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise(resolve => server.close(resolve))
    return port
  }
}

/** The script that runs the program of this build, bundled like the published program. */
export const programScript = fileURLToPath(new URL('../../program/program-entry.js', import.meta.url))

/** An environment without the git configuration of the user, and without variables that ask for colours. */
export const testEnvironment: Readonly<Record<string, string | undefined>> = {
  ...process.env,
  METASTORE_DATA: undefined,
  NO_COLOR: undefined,
  FORCE_COLOR: undefined,
  CI: undefined,
  WRONG_ANSWERS_FILE: wrongAnswersFile,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Jane',
  GIT_AUTHOR_EMAIL: 'jane@example.org',
  GIT_COMMITTER_NAME: 'Jane',
  GIT_COMMITTER_EMAIL: 'jane@example.org',
}

/** A new user's environment: git knows no name and no address, and does not guess them from the machine. */
export const withoutIdentity: Readonly<Record<string, string | undefined>> = {
  GIT_CONFIG_GLOBAL: undefined,
  XDG_CONFIG_HOME: undefined,
  GIT_AUTHOR_NAME: undefined,
  GIT_AUTHOR_EMAIL: undefined,
  GIT_COMMITTER_NAME: undefined,
  GIT_COMMITTER_EMAIL: undefined,
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'user.useConfigOnly',
  GIT_CONFIG_VALUE_0: 'true',
}

/**
 * Runs `git-metastore` to its end, in a reused process. A command with variables that a process reads at its start gets
 * a new process.
 */
export async function runMetastore(
  args: readonly string[],
  options: RunOptions = {},
): Promise<FinishedProcess> {
  const { cwd, env, input } = options
  if (Object.keys(env ?? {}).some(isReadAtStart))
    return runProgram(process.execPath, [programScript, ...args], options)
  const { code, stdout, stderr } = await runCommand({
    program: programScript,
    args,
    cwd,
    env: variables({ ...testEnvironment, ...env }),
    input: input === undefined ? undefined : Buffer.from(input as string).toString('base64'),
  })
  return finished(code, stdout, stderr)
}

function isReadAtStart(name: string): boolean {
  return /^NODE_|^LD_|^TZ$|^METASTORE_PLAIN$/.test(name)
}

/** Removes undefined variables. */
function variables(all: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
}

/** Runs any program to its end. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env, input }: RunOptions = {},
): Promise<FinishedProcess> {
  const all = { ...testEnvironment, ...env }
  const { code, stdout, stderr } = await collectOutput({ command, args, cwd, env: all, input })
  return finished(code, stdout, stderr)
}

/** Starts `git-metastore serve` and waits for its ready line. */
export async function startServer(
  args: readonly string[],
  { ownProcess, port = 0, ...options }: ServerOptions = {},
): Promise<RunningServer> {
  const { cwd, env = {} } = options
  const command = ['serve', '--port', String(port), ...args]
  if (ownProcess ?? Object.keys(env).some(isReadAtStart))
    return await start(process.execPath, [programScript, ...command], options)
  const { child, stdout, stderr, ended } = beginCommand({
    program: programScript,
    args: command,
    cwd,
    env: variables({ ...testEnvironment, ...env }),
  })
  const end = ended.then(written => finished(written.code, written.stdout, written.stderr))
  const server = await whenReady(
    {
      child,
      end,
      stdout: () => stdout().toString(),
      stderr: () => stderr().toString(),
    },
    true,
  )
  servers.push(server)
  return server
}

/** Starts a program in a new process and waits for its ready line. */
export async function start(
  command: string,
  args: readonly string[],
  { cwd, env }: RunOptions = {},
): Promise<RunningServer> {
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...testEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own. Signals reach the whole group, as from a terminal, because npm does not forward all
    // of them.
    detached: true,
  })
  const end = ended(child)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (bytes: Buffer) => {
    stdout += bytes.toString()
  })
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr += bytes.toString()
  })
  const server = await whenReady({ child, end, stdout: () => stdout, stderr: () => stderr }, false)
  servers.push(server)
  return server
}

interface StartedProgram extends Pick<RunningServer, 'child' | 'stdout' | 'stderr'> {
  readonly end: Promise<FinishedProcess>
}

/** Waits for the ready line of a program. @param isKept whether the process remains when the program has ended */
async function whenReady(
  { child, end, stdout, stderr }: StartedProgram,
  isKept: boolean,
): Promise<RunningServer> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  end.then(over, over)
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /^listening on (http:\/\/\S+)$/m.exec(stdout())
      if (found?.[1] === undefined) return
      child.stdout?.off('data', look)
      resolve(found[1])
    }
    child.stdout?.on('data', look)
    end.then(({ code }) => {
      child.stdout?.off('data', look)
      reject(new Error(`The program ended with ${code} before it was ready:\n${stderr()}`))
    }, reject)
  })
  function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<FinishedProcess> {
    // Its child processes may still run and write to its output, so the end of the output decides.
    if (child.pid === undefined || isOver) return end
    // A reused process and its validation workers remain.
    if (isKept && signal !== 'SIGKILL') child.kill(signal)
    else killGroup(child.pid, signal)
    return end
  }
  return {
    url,
    port: Number(new URL(url).port),
    child,
    stdout,
    stderr,
    stop,
    async end() {
      // A server that ends in order leaves its process to the next command.
      if (isKept) {
        const late = setTimeout(() => void stop('SIGKILL'), maxStop)
        await stop()
        clearTimeout(late)
      } else await stop('SIGKILL')
    },
  }
}

function ended(child: ChildProcess): Promise<FinishedProcess> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (bytes: Buffer) => out.push(bytes))
  child.stderr?.on('data', (bytes: Buffer) => err.push(bytes))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => {
      resolve(finished(code, Buffer.concat(out), Buffer.concat(err)))
    })
  })
}

function finished(code: number | null, bytes: Buffer, stderr: Buffer): FinishedProcess {
  return { code, stdout: bytes.toString(), stderr: stderr.toString(), bytes }
}
