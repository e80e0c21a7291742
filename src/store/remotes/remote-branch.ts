import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { readRef } from '../refs/read-refs.js'
import type { Repository } from '../repository/open-repository.js'
import { unusableRepository } from '../repository-folder/inspect-folder.js'
import { resolveRemoteAddress } from './address.js'
import { guardLog } from './gc-protection.js'
import { openRemoteObjects, type RemoteObjects } from './missing-remote-objects.js'
import { type RemoteResult, runNetworkCommand } from './network-command.js'
import type { PushOutcome } from './push-outcome.js'

/** The served branch in another repository. */
export interface RemoteBranch {
  /** Address of that repository for messages, without a password. */
  readonly address: string
  /**
   * Fetches the branch and all tags without moving the local branch. Concurrent calls run one after another.
   * @param signal aborts the fetch
   * @returns the commit; undefined if the other repository has no such branch
   * @throws ProblemError `unavailable` with git's message
   */
  fetch(signal?: AbortSignal): Promise<Oid | undefined>
  /** Fast-forwards the remote branch to a local commit. Never forces. */
  push(to: Oid): Promise<PushOutcome>
  /** Protects pushed objects against a concurrent `git gc`, if the repository is on this machine. */
  guard(): Promise<void>
  readonly objects: Pick<RemoteObjects, 'has' | 'restore' | 'tryPush'>
  /** Aborts running commands and refuses new ones. */
  close(): Promise<void>
}

/** Ref to the last fetched commit. It keeps `git gc` from removing the commit. */
const fetchedRef = 'refs/git-metastore/remote'

/** Match git's messages after a push, and after a fetch, if the other repository lacks objects of its branch. */
const refusedForLoss = /unresolved deltas|bad object|missing necessary objects|missing (commit|tree|blob)/
const failedForLoss = /not our ref|bad (tree )?object|repository corruption/

/**
 * Opens the branch that has the name of the served branch in another repository. Does not contact that repository yet.
 * @param remote the name of a configured remote, a URL or a path
 * @throws ProblemError `unusable-repository` without a git binary and for an invalid address
 */
export async function openRemoteBranch(
  { git, gitDir, branch }: Pick<Repository, 'git' | 'gitDir' | 'branch'>,
  remote: string,
  to: 'fetch' | 'push',
): Promise<RemoteBranch> {
  const binary = git
  if (binary === undefined) throw gitBinaryRequired()
  const { argument, shown } = await resolveRemoteAddress(remote, { git: binary, gitDir }, to)
  const closing = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  let fetching: Promise<unknown> = Promise.resolve()

  async function run(
    args: readonly string[],
    signal?: AbortSignal,
    more?: NodeJS.ProcessEnv,
  ): Promise<RemoteResult> {
    if (closing.signal.aborted) throw new ProblemError('unavailable', 'The server is shutting down.')
    const signals = [closing.signal, ...(signal ? [signal] : [])]
    const running = runNetworkCommand(binary as string, gitDir, args, AbortSignal.any(signals), more)
    underWay.add(running)
    return await running.finally(() => underWay.delete(running))
  }

  async function fetch(signal: AbortSignal | undefined): Promise<Oid | undefined> {
    const options = [
      '--progress',
      '--no-write-fetch-head',
      '--no-auto-maintenance',
      '--no-recurse-submodules',
    ]
    const refs = [`+${branch}:${fetchedRef}`, '+refs/tags/*:refs/tags/*']
    const { code, stderr, said } = await run(
      ['fetch', ...options, '--no-prune', '--no-tags', '--refmap=', '--', argument, ...refs],
      signal,
    )
    if (code === 0) return readRef(gitDir, fetchedRef)
    if (stderr.includes(`couldn't find remote ref ${branch}`)) return undefined
    if (!failedForLoss.test(stderr)) throw unreachable(shown, said)
    if (to === 'push') await objects.request()
    throw lossy(shown, said)
  }

  async function push(refspecs: readonly string[], more?: NodeJS.ProcessEnv): Promise<PushOutcome> {
    const options = ['--porcelain', '--progress', '--no-verify', '--no-follow-tags', '--no-signed']
    const args = ['push', ...options, '--recurse-submodules=no', '--', argument, ...refspecs]
    return pushedBy(await run(args, undefined, more))
  }

  const objects = openRemoteObjects({
    git: binary,
    gitDir,
    branch,
    push,
    async hasRef(ref) {
      const { code, stdout } = await run(['ls-remote', '--', argument, ref])
      return code === 0 && stdout.length > 0
    },
  })

  return {
    address: shown,
    fetch(signal) {
      // One at a time, because each fetch writes the same refs.
      const fetched = fetching.then(() => fetch(signal))
      fetching = fetched.catch(() => undefined)
      return fetched
    },
    push: oid => push([`${oid}:${branch}`]),
    guard: () => guardLog(binary, shown),
    objects,
    async close() {
      closing.abort()
      await Promise.allSettled([...underWay, fetching])
    },
  }
}

/**
 * Full name of another repository's default branch.
 * @param gitDir has the configured remotes; undefined if there is no local repository yet
 * @returns undefined if the branch has no commit yet
 * @throws ProblemError as {@link openRemoteBranch}; `unavailable` if the other repository cannot be reached
 */
export async function findRemoteDefaultBranch(
  git: string,
  gitDir: string | undefined,
  remote: string,
): Promise<string | undefined> {
  const place = gitDir === undefined ? undefined : { git, gitDir }
  const { argument, shown } = await resolveRemoteAddress(remote, place, 'fetch')
  const args = ['ls-remote', '--symref', '--', argument, 'HEAD', 'refs/heads/*']
  const { code, stdout, said } = await runNetworkCommand(git, gitDir, args)
  if (code !== 0) throw unreachable(shown, said)
  const text = stdout.toString()
  const commit = /^([0-9a-f]{40})\tHEAD$/m.exec(text)?.[1]
  if (commit === undefined) return undefined
  // A plain file server tells only the commit of HEAD, not the branch: take a branch with that commit.
  const leading = /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(text)
  // regexp-time: linear, as a line has to begin with the commit.
  return (leading ?? new RegExp(`^${commit}\t(refs/heads/\\S+)$`, 'm').exec(text))?.[1]
}

/** @see git-push(1), "OUTPUT" */
function pushedBy({ code, stdout, stderr, said }: RemoteResult): PushOutcome {
  if (code === 0) return { how: 'moved' }
  const [, verdict] = /^!\t[^\t]*\t(.*)$/m.exec(stdout.toString()) ?? []
  if (verdict === undefined || verdict.startsWith('[remote failure]')) return { how: 'unknown', said }
  if (verdict.startsWith('[rejected]')) return { how: 'elsewhere' }
  const lacksObjects = refusedForLoss.test(`${verdict}\n${stderr}`)
  return { how: 'refused', said: [verdict, ...remarksOf(stderr)].join(' '), lacksObjects }
}

/** Messages of the other repository, without reports of progress. */
function remarksOf(stderr: string): readonly string[] {
  const lines = [...stderr.matchAll(/^remote: (.*)$/gm)].map(([, line = '']) => line.trim())
  return lines.filter(line => line !== '' && !/\d% \(|\bdone\.?$/.test(line)).slice(0, 5)
}

function unreachable(address: string, said: string): ProblemError {
  return new ProblemError('unavailable', `${address} cannot be reached. Git says: ${said}`, { retryAfter: 5 })
}

function lossy(address: string, said: string): ProblemError {
  const message =
    `${address} lacks objects that its branch leads to; a \`git gc --prune=now\` there may have removed them. The server ` +
    `that stored them puts them back while it runs. Git says: ${said}`
  return new ProblemError('unavailable', message, { retryAfter: 5 })
}

export function gitBinaryRequired(): ProblemError {
  return unusableRepository(
    'Another repository can only be followed or pushed to with a git binary, of version 2.31 or newer.',
  )
}
