import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Searches for a word without an index: git in the objects of the newest commit, and grep in the files of a work tree.
 */

/** @returns milliseconds of each run of `git grep` over all documents of the newest commit */
export function gitGrep(dir: string, word: string, repeats: number): readonly number[] {
  const args = ['grep', '-liw', word, 'HEAD', '--', '*/document.json']
  return Array.from({ length: repeats }, () => elapsed('git', args, dir))
}

/** Writes the files of the newest commit of a bare repository to a folder. */
export function writeWorkTree(dir: string, folder: string): void {
  const env = {
    ...process.env,
    GIT_DIR: dir,
    GIT_WORK_TREE: workTreeIn(folder),
    GIT_INDEX_FILE: join(folder, 'index'),
  }
  mkdirSync(workTreeIn(folder))
  execFileSync('git', ['read-tree', 'HEAD'], { env })
  execFileSync('git', ['checkout-index', '--all'], { cwd: workTreeIn(folder), env })
}

/** @returns milliseconds of each run of `grep -r` over the documents that {@link writeWorkTree} has written */
export function grepFiles(folder: string, word: string, repeats: number): readonly number[] {
  const args = ['-rliw', '--include=document.json', word, '.']
  return Array.from({ length: repeats }, () => elapsed('grep', args, workTreeIn(folder)))
}

const workTreeIn = (folder: string) => join(folder, 'tree')

function elapsed(program: string, args: readonly string[], cwd: string): number {
  const started = performance.now()
  execFileSync(program, args, { cwd, maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'inherit'] })
  return performance.now() - started
}
