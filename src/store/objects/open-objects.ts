import { openCatFile } from './cat-file-reader.js'
import { openIsomorphic } from './isomorphic-git-reader.js'
import type { ObjectReader } from './object-reader.js'

/** @param git path of the git binary; undefined where there is none */
export function openObjects(git: string | undefined, gitDir: string): ObjectReader {
  return git === undefined ? openIsomorphic(gitDir) : openCatFile(git, gitDir)
}
