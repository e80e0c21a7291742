import { openCatFileReader } from './cat-file-reader.js'
import { openIsomorphicGitReader } from './isomorphic-git-reader.js'
import type { ObjectReader } from './object-reader.js'

/** @param git path of the git binary; undefined: work without git */
export function openObjectReader(git: string | undefined, gitDir: string): ObjectReader {
  return git === undefined ? openIsomorphicGitReader(gitDir) : openCatFileReader(git, gitDir)
}
