import type { Oid } from '../../core/value-types.js'
import { readBlobSizes } from '../../store/blobs/blob-sizes.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import { openGitLogHistory } from '../../store/commit-history/git-log.js'
import {
  type GitBounds,
  outputOf,
  runGit,
  startGit,
  streamGitOutput,
} from '../../store/git-commands/git-command.js'
import { openCatFileReader } from '../../store/object-readers/cat-file-reader.js'
import { serviceIdentity } from '../../store/objects/commit-format.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'

/** The repository together with the objects of a push in quarantine. */
export interface Quarantine {
  readonly objects: ObjectReader
  readonly history: History
  /** Sizes of blobs in bytes, without reading them. */
  sizes(blobs: readonly Oid[]): Promise<ReadonlyMap<Oid, number>>
  /**
   * Creates a commit in quarantine, with the tree of `theirs` and with `served` as its first parent. The writer would
   * make such a commit after the push, because the served head is not on the first-parent chain of `theirs`.
   */
  makeMergeCommit(served: Oid, theirs: Oid): Promise<Oid>
  close(): Promise<void>
}

/** An object that exceeds the size limit. */
export interface LargeObject {
  readonly oid: Oid
  readonly type: string
  readonly bytes: number
}

/**
 * Finds objects of a push that exceed a size limit, without reading their contents.
 * @param environment variables of git that name the object folders
 * @param maxBytesOf size limit in bytes by type
 * @param enough the search ends when this number of objects has been found
 * @param bounds of git
 */
export async function findLargeObjects(
  git: string,
  gitDir: string,
  environment: Readonly<Record<string, string>>,
  maxBytesOf: (type: string) => number,
  enough: number,
  bounds: GitBounds,
): Promise<readonly LargeObject[]> {
  const format = '--batch-check=%(objectsize) %(objecttype) %(objectname)'
  const args = ['cat-file', '--batch-all-objects', '--unordered', '--buffer', format]
  // Without the alternates, git lists the objects of the push only.
  const ofPush = { ...environment, GIT_ALTERNATE_OBJECT_DIRECTORIES: '' }
  const program = await startGit(git, gitDir, args, { environment: ofPush, bounds })
  const found: LargeObject[] = []
  let rest = ''
  for await (const chunk of streamGitOutput(program, 'cat-file')) {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [bytes = '', type = '', oid = ''] = line.split(' ')
      if (Number(bytes) > maxBytesOf(type)) found.push({ oid: oid as Oid, type, bytes: Number(bytes) })
    }
    if (found.length >= enough) break
  }
  return found.slice(0, enough)
}

/**
 * Opens the repository as git sees it during a push.
 * @param environment variables of git that name the object folders
 * @param bounds of each git process
 */
export function openQuarantine(
  git: string,
  gitDir: string,
  environment: Readonly<Record<string, string>>,
  bounds: GitBounds,
): Quarantine {
  const options = { environment, bounds }
  const objects = openCatFileReader(git, gitDir, options)
  return {
    objects,
    history: openGitLogHistory(git, gitDir, objects, options),
    sizes: blobs => readBlobSizes(git, gitDir, blobs, options),
    async makeMergeCommit(served, theirs) {
      const { tree } = await this.history.commit(theirs)
      const who = { GIT_AUTHOR_NAME: serviceIdentity.name, GIT_AUTHOR_EMAIL: serviceIdentity.email }
      const by = { GIT_COMMITTER_NAME: serviceIdentity.name, GIT_COMMITTER_EMAIL: serviceIdentity.email }
      const args = ['commit-tree', '-p', served, '-p', theirs, '-m', 'Continue the served history', tree]
      const result = await runGit(git, gitDir, args, {
        environment: { ...environment, ...who, ...by },
        bounds,
      })
      return outputOf(result, 'commit-tree').toString('latin1').trim() as Oid
    },
    close: () => objects.close(),
  }
}
