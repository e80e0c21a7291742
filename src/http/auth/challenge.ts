import { unversionedMounts } from '../mounts.js'

/** Whether git clients use the path. */
export function isGitPath(path: string): boolean {
  return unversionedMounts.some(mount => path.startsWith(`${mount}/repository.git/`))
}

/**
 * The value of the header `WWW-Authenticate` of a response with the status 401.
 * @param path of the request
 * @param bad whether the request has a token, which is not valid
 * @see RFC 6750 §3; RFC 7617 §2: Git prompts for a password only after a Basic challenge
 */
export function wwwAuthenticate(path: string, bad: boolean): string {
  const bearer = `Bearer realm="git-metastore"${bad ? ', error="invalid_token"' : ''}`
  return isGitPath(path) ? `Basic realm="git-metastore", charset="UTF-8", ${bearer}` : bearer
}
