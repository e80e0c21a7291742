import { unversionedMounts } from '../mounts.js'

/*
 * What a client that is not let in is told to send. Apart from the rest, as every answer with 401 has it.
 */

/** Says whether it is an address git clients speak to, under whatever mount of the site. */
export function isGitPath(path: string): boolean {
  return unversionedMounts.some(mount => path.startsWith(`${mount}/repository.git/`))
}

/**
 * The header `WWW-Authenticate` of a 401.
 * @param path of the request
 * @param bad a token was sent and is not valid
 * @see RFC 6750 §3; RFC 7617 §2: Git asks a person for a name and a password only where it is told of them
 */
export function wwwAuthenticate(path: string, bad: boolean): string {
  const bearer = `Bearer realm="git-metastore"${bad ? ', error="invalid_token"' : ''}`
  return isGitPath(path) ? `Basic realm="git-metastore", charset="UTF-8", ${bearer}` : bearer
}
