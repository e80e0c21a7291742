import type { Client } from '../../../core/access-control.js'
import type { Oid } from '../../../core/value-types.js'
import type { ObjectReader } from '../../../store/objects/object-reader.js'
import { readDirectory } from '../../../store/objects/tree-format.js'
import type { Repository } from '../../../store/repository/open-repository.js'
import type { ChangedFile } from './compare.js'
import type { Comparisons } from './comparisons.js'

/** Time limit in milliseconds for comparing one file without a git binary. */
const maxMilliseconds = 5000

/**
 * Compares a directory at two commits.
 * @param check reads the files that differ; called when the comparison may begin
 * @param client undefined: a command
 * @returns a unified diff; empty if nothing changed
 */
export async function diffDirectory(
  repository: Repository,
  directory: string,
  from: Oid,
  to: Oid,
  comparisons: Comparisons,
  check: () => Promise<void> = () => Promise.resolve(),
  client?: Client,
): Promise<string> {
  const { git, gitDir } = repository
  if (git === undefined) {
    await comparisons.read(check, client)
    const files = await changedFiles(repository, directory, from, to)
    return await comparisons.compare({ kind: 'text', files, patience: maxMilliseconds }, client)
  }
  const args = [
    // Ignores the user's configuration of `git diff`, which is for a terminal.
    ...['-c', 'core.quotePath=false', 'diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'],
    ...['--src-prefix=a/', '--dst-prefix=b/', from, to, '--', `:(literal)${directory}`],
  ]
  return await comparisons.git(git, gitDir, args, check, client)
}

async function changedFiles(
  { objects, history }: Repository,
  directory: string,
  from: Oid,
  to: Oid,
): Promise<readonly ChangedFile[]> {
  const [before, after] = await Promise.all(
    [from, to].map(async commit => readDirectory(objects, (await history.commit(commit)).tree, directory)),
  )
  const names = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])]
    .filter(name => before?.get(name)?.oid !== after?.get(name)?.oid)
    .sort((a, b) => (a < b ? -1 : 1))
  return await Promise.all(
    names.map(async name => {
      const [old, now] = await Promise.all(
        [before, after].map(files => contentOf(objects, files?.get(name)?.oid)),
      )
      return { path: `${directory}/${name}`, ...(old && { before: old }), ...(now && { after: now }) }
    }),
  )
}

async function contentOf(objects: ObjectReader, oid: Oid | undefined): Promise<Uint8Array | undefined> {
  return oid === undefined ? undefined : (await objects.read(oid)).bytes
}
