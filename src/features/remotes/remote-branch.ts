import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, symlink, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { makeTemporaryFolder } from '../../store/file-system/temporary-folder.js'
import { outputOf, runGit } from '../../store/git-commands/git-command.js'
import { quoteForShell } from '../../store/process/run-program.js'
import { metastoreFileName } from '../../store/records/repository-layout.js'
import { readRef } from '../../store/refs/read-refs.js'
import { resolveRemoteAddress } from '../../store/remotes/address.js'
import { type RemoteResult, runNetworkCommand } from '../../store/remotes/network-command.js'
import type { Repository } from '../../store/repository/open-repository.js'
import { unusableRepository } from '../../store/repository-folder/inspect-folder.js'

export type PushOutcome =
  | { readonly how: 'moved' }
  /** The other branch has commits that ours lacks; nothing was changed. */
  | { readonly how: 'elsewhere' }
  /** The other repository refused the push, for example by a hook or because of a lock. */
  | { readonly how: 'refused'; readonly said: string; readonly lacksObjects: boolean }
  /** No answer arrived; the push may have succeeded. */
  | { readonly how: 'unknown'; readonly said: string }

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

/**
 * Checks and restores the objects of a branch in another repository. A `git gc --prune=now` there can remove objects of
 * a push before the branch leads to them, and git moves the branch nevertheless.
 */
interface RemoteObjects {
  /**
   * Whether the other repository has a commit of its branch and the objects of that commit. To find out, pushes the
   * commit to a temporary ref, because git checks the objects before a ref moves. False also if another server has
   * reported by `request` that it could not fetch, until this process has restored the commit.
   */
  has(commit: Oid): Promise<boolean>
  /** Tries whether pushes are accepted: pushes a commit to a temporary ref. */
  tryPush(commit: Oid): Promise<PushOutcome>
  /** Sends all objects of a commit, also those that the other repository claims to have. */
  restore(commit: Oid): Promise<PushOutcome>
  /**
   * Asks other servers to restore the missing objects, by pushing a ref. If the commit of the branch itself is missing,
   * git refuses that push too, but then the other servers notice the loss themselves.
   */
  request(): Promise<void>
}

interface RemoteObjectsOptions {
  /** The git binary. */
  readonly git: string
  readonly gitDir: string
  readonly branch: string
  push(refspecs: readonly string[], more?: NodeJS.ProcessEnv): Promise<PushOutcome>
  /** Whether the other repository has a ref. */
  hasRef(ref: string): Promise<boolean>
}

/** Prefix of temporary refs. */
const momentaryRefs = 'refs/git-metastore/moment'
/** Limit of the temporary refs that are remembered for deletion, because a repository may refuse all deletions. */
const maxLeftRefs = 100
/** Name of the ref that a server pushes if it cannot fetch because objects are missing. */
const requestRef = 'refs/git-metastore/lacks-objects'

function openRemoteObjects(options: RemoteObjectsOptions): RemoteObjects {
  const { git, gitDir, branch, push, hasRef } = options
  /** The last commit that the other repository was found to have. */
  let proven: Oid | undefined
  /** The last restored commit. */
  let restored: Oid | undefined
  /** Temporary refs that the other repository may still have. */
  const leftRefs = new Set<string>()

  /** Pushes a commit to a temporary ref and deletes the ref. */
  async function pushForAMoment(commit: Oid, more?: NodeJS.ProcessEnv): Promise<PushOutcome> {
    const ref = `${momentaryRefs}/${randomBytes(6).toString('hex')}`
    const pushed = await push([`${commit}:${ref}`], more)
    const mayBeThere = pushed.how === 'moved' || pushed.how === 'unknown'
    if (mayBeThere && leftRefs.size < maxLeftRefs) leftRefs.add(ref)
    await deleteLeftRefs()
    return pushed
  }

  /** Deletes the refs. After a failure, the next `has` repeats this. Git accepts the deletion of a missing ref. */
  async function deleteLeftRefs(): Promise<void> {
    const refs = [...leftRefs]
    if (refs.length === 0) return
    const { how } = await push(refs.map(ref => `:${ref}`))
    if (how === 'moved') for (const ref of refs) leftRefs.delete(ref)
  }

  return {
    async has(commit) {
      await deleteLeftRefs()
      if (commit !== restored && (await hasRef(requestRef))) return false
      if (commit === proven) return true
      const pushed = await pushForAMoment(commit)
      if (pushed.how === 'refused' && pushed.lacksObjects) return false
      if (pushed.how !== 'unknown') proven = commit
      return true
    },
    tryPush: commit => pushForAMoment(commit),
    async restore(commit) {
      const pushed = await sendingAll(git, gitDir, more => pushForAMoment(commit, more))
      if (pushed.how !== 'moved') return pushed
      restored = commit
      if (await hasRef(requestRef)) await push([`:${requestRef}`])
      return pushed
    },
    async request() {
      // The ref may lead to any small object that exists in each repository.
      const { code, stdout } = await runGit(git, gitDir, ['rev-parse', `${branch}:${metastoreFileName}`])
      if (code === 0) await push([`+${stdout.toString().trim()}:${requestRef}`])
    },
  }
}

/**
 * Runs a push that sends all objects of a commit. Git omits objects that the other repository claims to have, although
 * they may be lost, and no option changes that. So the push runs with another folder of git's programs, in which a
 * wrapper keeps the list of objects to omit from `git pack-objects`. This works over every transport.
 * @param push runs the push with the additional environment variables that it gets
 * @see git-pack-objects(1), "--revs"; git(1), "GIT_EXEC_PATH"
 */
async function sendingAll<T>(
  git: string,
  gitDir: string,
  push: (environment: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  const temporary = makeTemporaryFolder('push')
  const folder = temporary.path
  try {
    const found = outputOf(await runGit(git, gitDir, ['--exec-path']), '--exec-path')
    const programs = found.toString().trim()
    for (const name of await readdir(programs)) {
      if (name !== 'git') await symlink(join(programs, name), join(folder, name))
    }
    await writeFile(join(folder, 'git'), wrapperOf(join(programs, 'git')), { mode: 0o755 })
    return await push({ GIT_EXEC_PATH: folder })
  } finally {
    await temporary.remove()
  }
}

/**
 * A wrapper of git that removes lines beginning with `^`, the objects to omit, from the input of `git pack-objects`.
 * Only `git send-pack` calls `git pack-objects` with this first option.
 * @param git absolute path of git, because the folder of the wrapper is searched first
 */
function wrapperOf(git: string): string {
  const real = quoteForShell(git)
  return [
    '#!/bin/sh',
    'case "$*" in',
    `"pack-objects --all-progress-implied "*) sed '/^\\^/d' | exec ${real} "$@" ;;`,
    `*) exec ${real} "$@" ;;`,
    'esac',
    '',
  ].join('\n')
}

/**
 * Settings of git for a shared repository. By default, git unpacks a small push into loose objects, which `git gc
 * --prune=now` may remove before the branch leads to them. With these settings, each push stays a pack, which has a
 * `.keep` file until then. As there are more packs, the limit for automatic repacking is higher.
 * @see git-config(1)
 */
const settings = [
  ['receive.unpackLimit', '1'],
  ['gc.autoPackLimit', '500'],
  ['gc.pruneExpire', 'never'],
] as const

/**
 * Protects a repository on this machine against a concurrent `git gc` during a push. Existing settings stay. Does
 * nothing if the configuration cannot be written, or if the repository is on another machine.
 * @param address `shown` of {@link resolveRemoteAddress}
 */
async function guardLog(git: string, address: string): Promise<void> {
  const gitDir = folderAt(address)
  if (gitDir === undefined) return
  for (const [name, value] of settings) {
    const { code } = await runGit(git, gitDir, ['config', '--local', '--get', name])
    if (code === 1) await runGit(git, gitDir, ['config', '--local', name, value])
  }
}

/** Git directory of a repository. @returns undefined if the repository is on another machine or missing */
function folderAt(address: string): string | undefined {
  const path = address.startsWith('file://') ? fileURLToPath(address) : address
  if (!isAbsolute(path)) return undefined
  return [join(path, '.git'), path].find(folder => existsSync(join(folder, 'objects')))
}
