import { tmpdir } from 'node:os'
import { gitEnvironment, notStarted } from '../git-commands/git-command.js'
import { runProgram } from '../process/launcher.js'
import type { ProgramResult } from '../process/run-program.js'
import { protocols, removePasswords } from './address.js'

/** Milliseconds without output after which a git network command is ended. */
const maxSilence = 60_000

/** Settings of all network commands, which override the configuration. */
const settings = [
  // Git keeps what it fetches as one pack, and the server merges packs.
  'fetch.unpackLimit=1',
  'fetch.fsckObjects=true',
  'gc.auto=0',
  'maintenance.auto=false',
  'core.fsync=all',
]

/**
 * Prevents prompts. Credentials come from git's configuration (`credential.helper`, `core.sshCommand`) and from the
 * keys of ssh.
 */
const noQuestions = {
  SSH_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
  GIT_ALLOW_PROTOCOL: protocols.join(':'),
}

/** The result of a network command. */
export interface RemoteResult extends ProgramResult {
  /** Git's message about a failure, without passwords. */
  readonly said: string
}

/**
 * Runs a git command that connects to another repository. It runs in its own session, so that it has no terminal and
 * its child processes end with it. It is ended after a minute without output, so the arguments must ask for progress.
 * @param gitDir undefined: there is no repository
 * @param more additional environment variables
 * @throws ProblemError `unavailable` if git cannot be started
 */
export async function runNetworkCommand(
  git: string,
  gitDir: string | undefined,
  args: readonly string[],
  signal?: AbortSignal,
  more: NodeJS.ProcessEnv = {},
): Promise<RemoteResult> {
  const told = settings.flatMap(setting => ['-c', setting])
  const place = gitDir === undefined ? [] : [`--git-dir=${gitDir}`]
  const program = {
    command: git,
    args: [...place, ...told, ...args],
    cwd: gitDir ?? tmpdir(),
    env: { ...gitEnvironment(), ...noQuestions, ...more },
    hasOwnSession: true,
    maxSilence,
  }
  const result = await runProgram(program, signal).catch(notStarted)
  return { ...result, said: result.isTooSilent ? silenceText(args) : complaintOf(result) }
}

function silenceText([command]: readonly string[]): string {
  return `git ${command} said nothing for ${maxSilence / 1000} seconds and was ended.`
}

/** The error lines of git's messages, without reports of progress. */
function complaintOf({ stderr, code }: ProgramResult): string {
  const lines = stderr.split(/[\r\n]+/).map(line => line.trim())
  const found = lines.filter(line => /^(fatal|error|remote: error|ssh|remote: fatal):/.test(line))
  const text = (found.length > 0 ? found : lines.slice(-1)).slice(0, 3).join(' ')
  return removePasswords(text) || `git ended with ${code ?? 'a signal'}.`
}
