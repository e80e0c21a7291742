import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { runGit } from '../process/git-command.js'
import { readRefs } from '../refs/list-refs.js'
import { resolveRemoteAddress } from '../remotes/address.js'
import { runNetworkCommand } from '../remotes/network-command.js'
import type { TemporaryRepository } from './temporary-repository.js'

/** Another repository, fetched whole into a store of its own: git has hashed every object on the way in. */
export interface FetchedCopy {
  readonly store: TemporaryRepository
  /** Where it is, without a password. */
  readonly address: string
  /** Its branches and tags. */
  readonly refs: ReadonlyMap<string, Oid>
  /** The branch its HEAD leads to, where it says so. */
  readonly head: string | undefined
}

/**
 * @param remote as a person names it
 * @param store an empty one
 * @throws ProblemError `unusable-repository` for what is no address, `unavailable` with git's words
 */
export async function fetchCopy(
  { git, gitDir }: { readonly git: string; readonly gitDir: string },
  remote: string,
  store: TemporaryRepository,
): Promise<FetchedCopy> {
  // A remote is known by its name where it is configured, and that is not where it is fetched into.
  const configured = await runGit(git, gitDir, ['remote', 'get-url', '--', remote])
  const text = configured.code === 0 ? configured.stdout.toString().trim() : remote
  const { argument, shown } = await resolveRemoteAddress(text, undefined, 'fetch')

  async function run(...args: readonly string[]): Promise<string> {
    const { code, stdout, said } = await runNetworkCommand(
      git,
      store.gitDir,
      args,
      new AbortController().signal,
    )
    if (code === 0) return stdout.toString()
    throw new ProblemError('unavailable', `${shown} cannot be fetched. Git says: ${said}`)
  }

  const told = await run('ls-remote', '--symref', '--', argument, 'HEAD')
  const options = ['--progress', '--no-write-fetch-head', '--no-auto-maintenance', '--no-tags']
  const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
  await run('fetch', ...options, '--no-recurse-submodules', '--', argument, ...refspecs)
  const refs = [...(await readRefs(store.gitDir))].map(([name, value]) => [name, value as Oid] as const)
  return {
    store,
    address: shown,
    refs: new Map(refs),
    head: /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(told)?.[1],
  }
}
