import type { Oid } from '../../core/value-types.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { parseTree, treeMode } from '../../store/objects/tree-format.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Requester } from './client-processes.js'
import type { ChangedFile } from './compare.js'
import type { Comparisons } from './comparisons.js'

/** Time limit in milliseconds for comparing one file without a git binary. */
const patience = 5000

/**
 * Compares a directory at two commits.
 * @param check reads the files that differ; called when the comparison has a slot
 * @param requester undefined: a command
 * @returns a unified diff; empty if nothing changed
 */
export async function diffDirectory(
  repository: Repository,
  directory: string,
  from: Oid,
  to: Oid,
  comparisons: Comparisons,
  check: () => Promise<void> = () => Promise.resolve(),
  requester?: Requester,
): Promise<string> {
  const { git, gitDir } = repository
  if (git === undefined) {
    await comparisons.read(check, requester)
    const files = await changedFiles(repository, directory, from, to)
    return await comparisons.compare({ kind: 'text', files, patience }, requester)
  }
  const args = [
    // Ignores the user's configuration of `git diff`, which is for a terminal.
    ...['-c', 'core.quotePath=false', 'diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'],
    ...['--src-prefix=a/', '--dst-prefix=b/', from, to, '--', `:(literal)${directory}`],
  ]
  return await comparisons.git(git, gitDir, args, check, requester)
}

async function changedFiles(
  { objects, history }: Repository,
  directory: string,
  from: Oid,
  to: Oid,
): Promise<readonly ChangedFile[]> {
  const [before, after] = await Promise.all(
    [from, to].map(async commit => filesAt(objects, (await history.commit(commit)).tree, directory)),
  )
  const paths = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])]
    .filter(path => before?.get(path) !== after?.get(path))
    .sort((a, b) => (a < b ? -1 : 1))
  return await Promise.all(
    paths.map(async path => {
      const [old, now] = await Promise.all([before, after].map(files => contentOf(objects, files?.get(path))))
      return { path, ...(old && { before: old }), ...(now && { after: now }) }
    }),
  )
}

/** Blobs below a directory of a tree, by path in the repository. */
async function filesAt(objects: ObjectReader, tree: Oid, directory: string): Promise<Map<string, Oid>> {
  let oid: Oid | undefined = tree
  for (const name of directory.split('/')) {
    if (oid === undefined) break
    oid = parseTree((await objects.read(oid)).bytes).find(entry => entry.name === name)?.oid
  }
  const files = new Map<string, Oid>()
  if (oid !== undefined) await collect(objects, oid, directory, files)
  return files
}

async function collect(
  objects: ObjectReader,
  tree: Oid,
  prefix: string,
  files: Map<string, Oid>,
): Promise<void> {
  for (const { name, mode, oid } of parseTree((await objects.read(tree)).bytes)) {
    if (mode === treeMode) await collect(objects, oid, `${prefix}/${name}`, files)
    else files.set(`${prefix}/${name}`, oid)
  }
}

async function contentOf(objects: ObjectReader, oid: Oid | undefined): Promise<Uint8Array | undefined> {
  return oid === undefined ? undefined : (await objects.read(oid)).bytes
}
