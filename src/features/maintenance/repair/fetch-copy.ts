import { ProblemError } from '../../../core/problem.js'
import type { Oid } from '../../../core/value-types.js'
import { runGit } from '../../../store/git-commands/git-command.js'
import { readAllRefs } from '../../../store/refs/list-refs.js'
import { resolveRemoteAddress } from '../../../store/remotes/address.js'
import { runNetworkCommand } from '../../../store/remotes/network-command.js'
import type { TemporaryRepository } from './temporary-repository.js'

/** Another repository, fetched into a temporary repository. Git has checked the hash of each object. */
export interface FetchedCopy {
  readonly store: TemporaryRepository
  /** Address of the other repository, without a password. */
  readonly address: string
  /** Branches and tags of the other repository, by their full names. */
  readonly refs: ReadonlyMap<string, Oid>
  /** Full name of the default branch of the other repository; undefined if it is unknown. */
  readonly head: string | undefined
}

/**
 * Fetches all branches and tags of another repository.
 * @param remote the name of a configured remote, a URL or a path
 * @param store an empty repository
 * @throws ProblemError `unusable-repository` for an invalid address, `unavailable` with git's message
 */
export async function fetchCopy(
  { git, gitDir }: { readonly git: string; readonly gitDir: string },
  remote: string,
  store: TemporaryRepository,
): Promise<FetchedCopy> {
  // The name of a configured remote is resolved here, because the temporary repository has no remotes.
  const configured = await runGit(git, gitDir, ['remote', 'get-url', '--', remote])
  const text = configured.code === 0 ? configured.stdout.toString().trim() : remote
  const { argument, shown } = await resolveRemoteAddress(text, undefined, 'fetch')

  async function run(...args: readonly string[]): Promise<string> {
    const { code, stdout, said } = await runNetworkCommand(git, store.gitDir, args)
    if (code === 0) return stdout.toString()
    throw new ProblemError('unavailable', `${shown} cannot be fetched. Git says: ${said}`)
  }

  const told = await run('ls-remote', '--symref', '--', argument, 'HEAD')
  const options = ['--progress', '--no-write-fetch-head', '--no-auto-maintenance', '--no-tags']
  const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
  await run('fetch', ...options, '--no-recurse-submodules', '--', argument, ...refspecs)
  const refs = [...(await readAllRefs(store.gitDir))].map(([name, value]) => [name, value as Oid] as const)
  return {
    store,
    address: shown,
    refs: new Map(refs),
    head: /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(told)?.[1],
  }
}
