import { createTwoFilesPatch } from 'diff'
import type { Oid } from '../core/values.js'
import { decodeText, parseTree, treeMode } from '../store/object-formats.js'
import type { ObjectReader } from '../store/objects.js'
import type { Repository } from '../store/repository.js'
import type { Comparisons } from './comparisons.js'

/**
 * What changed in a directory between two commits, as unified text; empty where nothing did.
 * @param patience milliseconds the comparison of one file may take where there is no git binary
 * @param signal whoever wants it has gone
 */
export async function differenceOf(
  repository: Repository,
  directory: string,
  from: Oid,
  to: Oid,
  patience: number,
  comparisons: Comparisons,
  signal?: AbortSignal,
): Promise<string> {
  if (repository.git === undefined) return await compare(repository, directory, from, to, patience)
  const args = [
    // A person's configuration of `git diff` is for their terminal.
    ...['-c', 'core.quotePath=false', 'diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'],
    ...['--src-prefix=a/', '--dst-prefix=b/', from, to, '--', `:(literal)${directory}`],
  ]
  return await comparisons.run(repository.git, repository.gitDir, args, signal)
}

async function compare(
  repository: Repository,
  directory: string,
  from: Oid,
  to: Oid,
  patience: number,
): Promise<string> {
  const { objects, history } = repository
  const [before, after] = await Promise.all(
    [from, to].map(async commit => filesAt(objects, (await history.commit(commit)).tree, directory)),
  )
  const paths = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].sort((a, b) =>
    a < b ? -1 : 1,
  )
  const patches = paths.map(path => patchOf(objects, path, before?.get(path), after?.get(path), patience))
  return (await Promise.all(patches)).join('')
}

/** Blobs below a directory of a tree, by their path in the repository. */
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

async function patchOf(
  objects: ObjectReader,
  path: string,
  before: Oid | undefined,
  after: Oid | undefined,
  patience: number,
): Promise<string> {
  if (before === after) return ''
  const [old, now] = await Promise.all([before, after].map(oid => contentOf(objects, oid)))
  const head = `diff --git a/${path} b/${path}\n`
  const names = [before ? `a/${path}` : '/dev/null', after ? `b/${path}` : '/dev/null'] as const
  if (isBinary(old) || isBinary(now)) return `${head}Binary files ${names.join(' and ')} differ\n`
  const options = { context: 3, timeout: patience } as const
  const patch = createTwoFilesPatch(
    ...names,
    decodeText(old ?? empty),
    decodeText(now ?? empty),
    undefined,
    undefined,
    options,
  )
  if (patch === undefined) return `${head}Files ${names.join(' and ')} differ too much to compare\n`
  return head + patch.replace(/^=+\n/, '')
}

const empty = Buffer.alloc(0)

async function contentOf(objects: ObjectReader, oid: Oid | undefined): Promise<Buffer> {
  return oid === undefined ? empty : (await objects.read(oid)).bytes
}

/** Git's own guess: a zero among the first 8,000 bytes. */
function isBinary(bytes: Buffer | undefined): boolean {
  return bytes?.subarray(0, 8000).includes(0) ?? false
}
