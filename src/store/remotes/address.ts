import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { runGit } from '../process/git-command.js'
import { unusableRepository } from '../repository/inspect-folder.js'

/** Another repository, as a person names it: the name of a configured remote, a URL, or a path. */
export interface RemoteAddress {
  /** What git is told. */
  readonly argument: string
  /** What people are told: where it is, without a password. */
  readonly shown: string
}

const url = /^[a-z][a-z0-9+.-]*:\/\//i
/** `host:path`, but no drive of Windows. @see git-clone(1), "GIT URLS" */
const scp = /^(?![a-z]:[\\/])[^/\\]+:/i
/** A host, or somebody at one, whose name a program that is started would take for an option. */
const optionAsHost = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?-/i
/** The protocols that only say where a repository is; `ext::` and others of its kind say which program to start. */
export const protocols: readonly string[] = ['file', 'git', 'http', 'https', 'ssh']

/** @throws RangeError for what is no address of a repository, but has git start a program or take it for an option */
export function rejectUnsafeAddress(text: string): void {
  const scheme = url.test(text) ? text.slice(0, text.indexOf(':')).toLowerCase() : undefined
  const isOdd = text.trim() === '' || text.includes('\n') || text.includes('\0')
  if (isOdd || optionAsHost.test(text) || /^[a-z0-9]+::/i.test(text)) {
    throw new RangeError(
      `"${text}" is no repository: name a remote, a URL (https, ssh, git, file) or a path.`,
    )
  }
  if (scheme !== undefined && !protocols.includes(scheme)) {
    throw new RangeError(`"${removePasswords(text)}" is a URL of another kind than ${protocols.join(', ')}.`)
  }
}

/** Takes what stands before the host out of each URL of a text. */
export function removePasswords(text: string): string {
  return text.replaceAll(/(\/\/)[^/@\s'"]+@/g, '$1')
}

/**
 * @param repository where remotes may be configured; undefined: there is none yet
 * @param to whether it is to be pushed to: a remote may have another URL for that
 * @throws ProblemError `unusable-repository` for what {@link rejectUnsafeAddress} refuses, and for a name that nothing is known
 *   of
 */
export async function resolveRemoteAddress(
  text: string,
  repository: { readonly git: string; readonly gitDir: string } | undefined,
  to: 'fetch' | 'push',
): Promise<RemoteAddress> {
  insistOnHarmless(text)
  const args = ['remote', 'get-url', ...(to === 'push' ? ['--push'] : []), '--', text]
  const found = repository && (await runGit(repository.git, repository.gitDir, args))
  if (found?.code === 0) {
    const configured = found.stdout.toString().trim()
    insistOnHarmless(configured)
    return { argument: text, shown: removePasswords(configured) }
  }
  if (url.test(text) || scp.test(text)) return { argument: text, shown: removePasswords(text) }
  const path = resolve(text)
  // A folder of several names may be on a disk that is not there at the moment.
  if (!/[\\/]/.test(text) && !existsSync(path)) {
    throw unusableRepository(`"${text}" is neither a remote that is configured (git remote -v) nor a folder.`)
  }
  return { argument: path, shown: path }
}

function insistOnHarmless(text: string): void {
  try {
    rejectUnsafeAddress(text)
  } catch (error) {
    if (error instanceof RangeError) throw unusableRepository(error.message, error)
    throw error
  }
}
