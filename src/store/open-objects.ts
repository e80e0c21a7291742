import type { ObjectReader } from './objects.js'
import { openCatFile } from './objects-cat-file.js'
import { openIsomorphic } from './objects-isomorphic.js'

/** @param git path of the git binary; undefined where there is none */
export function openObjects(git: string | undefined, gitDir: string): ObjectReader {
  return git === undefined ? openIsomorphic(gitDir) : openCatFile(git, gitDir)
}
