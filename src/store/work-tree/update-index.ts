import * as fs from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Oid } from '../../core/value-types.js'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { endedGit, gitEnvironment, outputOf } from '../git-commands/git-command.js'
import { fileMode } from '../objects/tree-format.js'
import { runProgram } from '../process/launcher.js'
import type { Repository } from '../repository/open-repository.js'
import {
  type GitIndexEntry,
  indexEntriesIn,
  indexOfTree,
  listEntries,
  onCopyOfIndex,
  replaceIndex,
} from './index-file.js'
import { type FileUpdate, fileState, type UpdatedFiles } from './update-files.js'

/**
 * Updates the entries of these paths in `.git/index`. Works on a copy that then replaces the index, because git would
 * need to create the lock that the caller holds (`.git/index.lock`).
 *
 * The entry of a file with user edits gets our new blob too, unless the user has staged something. Then git shows the
 * edit as a change of the new content.
 * @param onLeft called with the skipped paths and their index entries before anything is changed; without a git binary
 *   no entries are known
 * @see git-update-index(1)
 */
export async function updateIndex(
  repository: Repository,
  updates: readonly FileUpdate[],
  brought: UpdatedFiles,
  onLeft: (left: readonly FileUpdate[], entries: ReadonlyMap<string, GitIndexEntry>) => void,
): Promise<void> {
  const byPath = new Map(updates.map(update => [update.path, update]))
  const left = brought.left.flatMap(path => byPath.get(path) ?? [])
  await onCopyOfIndex(repository, async copy => {
    if (repository.git) {
      const run = gitOnIndex(repository.git, repository, copy)
      const entries = indexEntriesIn(left.length > 0 ? await run(listEntries(brought.left)) : '')
      onLeft(left, entries)
      const ofOurs = left.filter(update => update.before.includes(entries.get(update.path)?.blob))
      await setEntries(run, ofOurs)
      await addFiles(run, [...brought.current.keys()])
      // `addFiles` made git read the files again. Edits that were made after our write must not be staged.
      await setEntries(run, await editedSince(repository.dir, brought.current, byPath))
    } else {
      onLeft(left, new Map())
      await withoutGit(dirname(copy), repository.dir, [
        ...[...brought.current.keys()].flatMap(path => byPath.get(path) ?? []),
        ...left,
      ])
    }
  })
}

/** Name that a damaged index gets in the staging folder when it is replaced. */
export const damagedIndex = 'index.damaged'

/**
 * Rebuilds `.git/index` from a tree, and keeps the damaged index in the staging folder. Edited files stay edited;
 * staged changes are no longer staged. The caller holds `.git/index.lock`.
 */
export async function rebuildIndex(repository: Repository, tree: Oid): Promise<void> {
  await replaceIndex(repository, async (made, index) => {
    await writeFile(made, await indexOfTree(repository.objects, tree))
    // Git adds the times of files to the entries, so that it does not have to read all files each time.
    if (repository.git)
      await gitOnIndex(repository.git, repository, made)(['update-index', '-q', '--refresh'], '', [0, 1])
    await undefinedIfMissingAsync(rename(index, join(repository.stagingDir, damagedIndex)))
  })
}

/** Runs git on a copy of the index. @returns its standard output */
type RunOnIndex = (args: readonly string[], input?: string, goodCodes?: readonly number[]) => Promise<string>

function gitOnIndex(git: string, repository: Repository, index: string): RunOnIndex {
  const env = {
    ...gitEnvironment(),
    GIT_DIR: repository.gitDir,
    GIT_WORK_TREE: repository.dir,
    GIT_INDEX_FILE: index,
  }
  // No fsync is needed, because the index is derived.
  const options = ['-c', 'core.fsync=none', '-c', 'core.fsmonitor=false', '-c', 'core.safecrlf=false']
  return async (args, input = '', goodCodes = [0]) => {
    const program = { command: git, args: [...options, ...args], cwd: repository.dir, env, input }
    const result = await endedGit(runProgram(program))
    return (goodCodes.includes(result.code) ? result.stdout : outputOf(result, `${args[0]}`)).toString()
  }
}

/** Sets entries to the new blobs, without reading the files. */
async function setEntries(run: RunOnIndex, updates: readonly FileUpdate[]): Promise<void> {
  if (updates.length === 0) return
  const input = updates.map(
    ({ path, after }) => `${after ? fileMode : 0} ${after ?? '0'.repeat(40)}\t${path}\0`,
  )
  await run(['update-index', '-z', '--index-info'], input.join(''))
}

/** Sets entries to the contents and times of the files, so that git does not read them each time. */
async function addFiles(run: RunOnIndex, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  const input = paths.map(path => `${path}\0`).join('')
  await run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], input)
}

async function editedSince(
  workTree: string,
  current: UpdatedFiles['current'],
  updates: ReadonlyMap<string, FileUpdate>,
): Promise<readonly FileUpdate[]> {
  const pauses = openEventLoopPauses()
  const edited: FileUpdate[] = []
  for (const [path, state] of current) {
    const update = updates.get(path)
    if (update && Buffer.compare(fileState(join(workTree, path)), state) !== 0) edited.push(update)
    await pauses.ifDue()
  }
  return edited
}

async function withoutGit(gitdir: string, dir: string, updates: readonly FileUpdate[]): Promise<void> {
  // Loaded on demand, because loading is slow and installations with git do not need it.
  const library = await import('isomorphic-git')
  const cache = {}
  for (const { path: filepath, after } of updates) {
    const where = { fs, dir, gitdir, cache, filepath, force: true }
    if (after === undefined) await library.updateIndex({ ...where, remove: true })
    else await library.updateIndex({ ...where, oid: after, mode: 0o100644, add: true })
  }
}
