import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { type GitResult, gitEnvironment, gitUnavailable } from '../process/git-command.js'
import { asGroupLeader, killOnAbort } from '../process/process-group.js'
import { collect } from '../process/run-program.js'
import { protocols, removePasswords } from './address.js'

/** Milliseconds without a word after which a git that talks to another machine is ended. */
const longestSilence = 60_000

/** What every command that talks to another repository is told, over the configuration. */
const settings = [
  // One pack, as our own updates make it, and packs are merged by ourselves.
  'fetch.unpackLimit=1',
  'fetch.fsckObjects=true',
  'gc.auto=0',
  'maintenance.auto=false',
  'core.fsync=all',
]

/**
 * No terminal answers questions. Credentials are those that git's configuration names (`credential.helper`,
 * `core.sshCommand`), and the keys of ssh.
 */
const noQuestions = {
  SSH_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
  GIT_ALLOW_PROTOCOL: protocols.join(':'),
}

/** How a command that talked to another repository ended. */
export interface RemoteResult extends GitResult {
  /** What there is to say about a failure, in git's words and without passwords. */
  readonly said: string
}

/**
 * Runs a git command that talks to another repository, to its end: in a session of its own, so that no terminal is there
 * to ask in, and all it has started ends with it. It ends early when it says nothing for a minute: have it tell progress.
 * @param gitDir undefined: there is no repository
 * @param more of git's environment
 * @throws ProblemError `unavailable` where git cannot be started
 */
export async function runNetworkCommand(
  git: string,
  gitDir: string | undefined,
  args: readonly string[],
  signal: AbortSignal,
  more: NodeJS.ProcessEnv = {},
): Promise<RemoteResult> {
  const told = settings.flatMap(setting => ['-c', setting])
  const place = gitDir === undefined ? [] : [`--git-dir=${gitDir}`]
  const child = spawn(git, [...place, ...told, ...args], {
    cwd: gitDir ?? tmpdir(),
    env: { ...gitEnvironment(), ...noQuestions, ...more },
    windowsHide: true,
    ...asGroupLeader,
  })
  const silent = new AbortController()
  killOnAbort(child, AbortSignal.any([signal, silent.signal]))
  const silence = setTimeout(() => silent.abort(), longestSilence)
  child.stdout.on('data', () => silence.refresh())
  child.stderr.on('data', () => silence.refresh())
  try {
    const result = await collect(child).catch((error: Error) => {
      throw gitUnavailable(error)
    })
    return { ...result, said: silent.signal.aborted ? silenceText(args) : complaintOf(result) }
  } finally {
    clearTimeout(silence)
  }
}

function silenceText([command]: readonly string[]): string {
  return `git ${command} said nothing for ${longestSilence / 1000} seconds and was ended.`
}

/** The lines that say what is wrong, without those that say how far it has come. */
function complaintOf({ stderr, code }: GitResult): string {
  const lines = stderr.split(/[\r\n]+/).map(line => line.trim())
  const found = lines.filter(line => /^(fatal|error|remote: error|ssh|remote: fatal):/.test(line))
  const text = (found.length > 0 ? found : lines.slice(-1)).slice(0, 3).join(' ')
  return removePasswords(text) || `git ended with ${code ?? 'a signal'}.`
}
