import { randomUUID } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { hashObject } from '../objects/hash-object.js'
import { emptyTreeBytes } from '../objects/tree-format.js'
import { metastoreFileName, parseRecordPath } from '../records/repository-layout.js'
import { copyIndex } from '../work-tree/index-file.js'
import { type Clone, commitOf, linesOrThrow } from './open-clone.js'
import type { ScratchRepository } from './scratch-repository.js'

/** The commit that `git commit` would create now. */
export interface DryRunCommit {
  /** The commit of HEAD; undefined if there is no commit yet. */
  readonly head: Oid | undefined
  readonly tree: Oid
  /** The commit in the scratch repository; undefined if it would change nothing. */
  readonly commit: Oid | undefined
  /** Paths that become symbolic links. */
  readonly links: readonly string[]
}

/**
 * What to commit: staged changes; all changes in the work tree; staged changes and some files; or only changes that
 * match some pathspecs.
 */
export type CommitSelection =
  | { readonly what: 'staged' | 'everything' }
  | { readonly what: 'staged-and' | 'only'; readonly paths: readonly string[] }

/**
 * Creates a commit as `git commit` would, with a temporary index. Git's attributes, filters and ignored files are
 * respected. The clone does not change.
 * @param instead other contents for files, by path; undefined removes a file
 * @throws ProblemError `unavailable` with git's message, for example about an unresolved merge
 */
export async function makeDryRunCommit(
  clone: Clone,
  scratch: ScratchRepository,
  parts: CommitSelection,
  instead: ReadonlyMap<string, Uint8Array | undefined> = new Map(),
): Promise<DryRunCommit> {
  const { workTree, gitDir } = clone
  if (workTree === undefined) {
    throw new ProblemError('malformed-request', `${clone.dir} has no work tree: name the commits to check.`)
  }
  const head = await commitOf(clone, 'HEAD')
  const index = join(scratch.folder, `index-${randomUUID()}`)
  const variables = { ...scratch.variables, GIT_DIR: gitDir, GIT_WORK_TREE: workTree, GIT_INDEX_FILE: index }
  const git = async (args: readonly string[], input?: string) =>
    linesOrThrow(await clone.git(['-C', workTree, ...args], variables, input), `git ${args.join(' ')}`)
  if (parts.what === 'only') {
    if (head !== undefined) await git(['read-tree', head])
  } else await borrowIndex(clone, index)
  if (parts.what === 'everything') await git(['add', '--all', '.'])
  else if ('paths' in parts && parts.paths.length > 0) await git(...gitAddArguments(parts))
  for (const [path, bytes] of instead) {
    if (bytes === undefined) {
      await git(['update-index', '--force-remove', '--', path])
      continue
    }
    const file = join(scratch.folder, `file-${randomUUID()}`)
    await writeFile(file, bytes)
    const [blob] = await git(['hash-object', '-w', '--no-filters', '--', file])
    await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`])
  }
  const tree = (await git(['write-tree']))[0] as Oid
  const before = head === undefined ? undefined : (await scratch.history.commit(head)).tree
  if (tree === before) return { head, tree, commit: undefined, links: [] }
  const commit = await scratch.commit(tree, head === undefined ? [] : [head])
  return {
    head,
    tree,
    commit,
    links: linksIn(
      await git(['diff-tree', '-r', '--raw', before ?? hashObject('tree', emptyTreeBytes), tree]),
    ),
  }
}

/** @see git-diff-tree(1), "Raw output format" */
function linksIn(lines: readonly string[]): readonly string[] {
  return lines.filter(line => /^:\d{6} 120000 /.test(line)).map(line => line.slice(line.indexOf('\t') + 1))
}

/** Arguments and input of `git add`. The paths are in the input, because a command line has a limit. */
export function gitAddArguments(
  parts: Extract<CommitSelection, { paths: unknown }>,
): [args: readonly string[], input: string] {
  return [
    [
      // The paths of `staged-and` name existing files and are not patterns.
      ...(parts.what === 'staged-and' ? ['--literal-pathspecs'] : []),
      ...['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'],
    ],
    `${parts.paths.join('\0')}\0`,
  ]
}

/** Copies the index. Inside a hook, `git commit` may use another index file. @see githooks(5), "pre-commit" */
async function borrowIndex({ dir, gitDir }: Clone, copy: string): Promise<void> {
  const named = process.env.GIT_INDEX_FILE
  const index = named ? resolve(dir, named) : join(gitDir, 'index')
  await undefinedIfMissingAsync(copyIndex(index, copy))
  // A split index has a second file in the same folder. @see git-update-index(1), "Split index"
  for (const name of (await undefinedIfMissingAsync(readdir(gitDir))) ?? []) {
    if (name.startsWith('sharedindex.')) await copyIndex(join(gitDir, name), join(dirname(copy), name))
  }
}

/** A file of the work tree or the index that differs from the last commit. */
export interface UncommittedEdit {
  /** Path relative to the work tree. */
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed' | 'conflict'
  /** Whether the file is part of a record, or is `metastore.json`. */
  readonly ours: boolean
  /** Whether the whole edit is in the index. */
  readonly staged: boolean
}

/**
 * Lists the files that `git status` reports, untracked files included. A bare repository has none.
 * @see git-status(1), "Short Format"
 */
export async function listUncommittedEdits(clone: Clone): Promise<readonly UncommittedEdit[]> {
  if (clone.workTree === undefined) return []
  const args = [
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=all',
    '--no-renames',
    '--ignore-submodules=none',
  ]
  const result = await clone.git(['-C', clone.workTree, ...args])
  linesOrThrow(result, 'git status')
  return result.stdout
    .toString()
    .split('\0')
    .filter(entry => entry !== '')
    .map(entry => {
      const path = entry.slice(3)
      return { path, change: changeOf(entry.slice(0, 2)), ours: isOurs(path), staged: entry[1] === ' ' }
    })
}

function isOurs(path: string): boolean {
  return path === metastoreFileName || parseRecordPath(path) !== undefined
}

function changeOf(letters: string): UncommittedEdit['change'] {
  if (letters.includes('U') || letters === 'AA' || letters === 'DD') return 'conflict'
  if (letters === '??' || letters.startsWith('A')) return letters.endsWith('D') ? 'removed' : 'added'
  return letters.includes('D') ? 'removed' : 'changed'
}
