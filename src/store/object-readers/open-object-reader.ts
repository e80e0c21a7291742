import type { ObjectReader } from '../objects/object-reader.js'
import { openCatFileReader } from './cat-file-reader.js'
import { openIsomorphicGitReader } from './isomorphic-git-reader.js'

/**
 * Reads objects by `git cat-file`, or by isomorphic-git if there is no git.
 * @param git path of the git binary; undefined: none
 */
export function openObjectReader(git: string | undefined, gitDir: string): ObjectReader {
  return git === undefined ? openIsomorphicGitReader(gitDir) : openCatFileReader(git, gitDir)
}
