import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { runGit } from '../git-commands/git-command.js'
import { unusableRepository } from '../repository-folder/inspect-folder.js'

/** The address of another repository. */
interface RemoteAddress {
  /** Argument for git: the name of a configured remote, a URL or a path. */
  readonly argument: string
  /** Address for messages, without user name and password. */
  readonly shown: string
}

const url = /^[a-z][a-z0-9+.-]*:\/\//i
/** Matches `host:path`, but not a drive of Windows. @see git-clone(1), "GIT URLS" */
const scp = /^(?![a-z]:[\\/])[^/\\]+:/i
/** Matches a host or user name that a program, such as ssh, would take for an option. */
const optionAsHost = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?-/i
/** The allowed protocols. Others, such as `ext::`, can start any program. */
export const protocols: readonly string[] = ['file', 'git', 'http', 'https', 'ssh']

/** @throws RangeError for a text that is not an address, or with which git would start a program or use an option */
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

/** Removes user names and passwords from the URLs of a text. */
export function removePasswords(text: string): string {
  return text.replaceAll(/(\/\/)[^/@\s'"]+@/g, '$1')
}

/**
 * The address of a repository that the user has named. The URL of a configured remote is checked too.
 * @param text the name of a configured remote, a URL or a path
 * @param repository has the configured remotes; undefined: there is no repository yet
 * @param to the purpose, because a remote may have another URL for pushing
 * @throws ProblemError `unusable-repository` for an unsafe address and for an unknown name
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
  // A path with several parts may be on a disk that is not mounted at the moment.
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
