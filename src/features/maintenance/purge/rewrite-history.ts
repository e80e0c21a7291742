import { isDeepStrictEqual } from 'node:util'
import { type Oid, toOid } from '../../../core/value-types.js'
import { hashObject } from '../../../store/objects/hash-object.js'
import type { ObjectReader } from '../../../store/objects/object-reader.js'
import { emptyTreeBytes } from '../../../store/objects/tree-format.js'
import type { NewObject } from '../../../store/packs/pack-writer.js'
import { prefetch } from '../../../store/process/prefetch.js'
import { DirectoryRemoval } from './directory-removal.js'

/** A history without some directories. */
export interface RewrittenHistory {
  /** New names of changed commits by their old names; undefined if the commit and all its ancestors were dropped. */
  readonly renamed: ReadonlyMap<Oid, Oid | undefined>
  /** Number of dropped commits: they changed only the removed directories. */
  readonly dropped: number
  /** Number of commits that lost their signature. */
  readonly unsigned: number
  /** The removed directories, and all files and folders in them. */
  readonly erased: ReadonlySet<Oid>
  /** Those directories to remove that existed. */
  readonly touched: ReadonlySet<string>
}

interface RewriteOptions {
  readonly objects: Pick<ObjectReader, 'read'>
  /** The commits to rewrite; parents come before their children. */
  readonly commits: readonly Oid[]
  readonly directories: readonly string[]
  /** Writes a new object; called more than once for some objects. */
  readonly write: (object: NewObject) => Promise<void>
  readonly progress: (done: number, total: number) => void
}

/** Limit of concurrent reads of commits. */
const maxUnderWay = 256

/**
 * Rewrites commits with the same authors, committers, dates and messages, but without some directories. A commit
 * without these directories in its history stays unchanged.
 */
export async function rewriteHistory(options: RewriteOptions): Promise<RewrittenHistory> {
  const { objects, commits, directories, write, progress } = options
  const renamed = new Map<Oid, Oid | undefined>()
  const removal = new DirectoryRemoval(objects, directories, write)
  let [done, dropped, unsigned] = [0, 0, 0]

  /** Trees of visited and new commits. */
  const trees = new Map<Oid, Oid>()
  const nothing = hashObject('tree', emptyTreeBytes)
  const treeAt = (commit: Oid | undefined) => (commit === undefined ? nothing : trees.get(commit))

  async function rewrite(oid: Oid, old: Buffer): Promise<void> {
    const commit = parseCommit(old)
    trees.set(oid, commit.tree)
    const tree = await removal.treeWithout(commit.tree)
    const left = commit.parents.flatMap(parent =>
      renamed.has(parent) ? (renamed.get(parent) ?? []) : parent,
    )
    const parents = [...new Set(left)]
    if (tree === commit.tree && isDeepStrictEqual(parents, commit.parents)) return
    const didSomething = commit.tree !== treeAt(commit.parents[0])
    if (didSomething && parents.length <= 1 && tree === treeAt(parents[0])) {
      dropped++
      renamed.set(oid, parents[0])
      return
    }
    const bytes = encodeCommit(commit, tree, parents)
    const made = hashObject('commit', bytes)
    await write({ oid: made, type: 'commit', bytes })
    if (commit.signed) unsigned++
    renamed.set(oid, made)
    trees.set(made, tree)
  }

  for await (const [oid, { bytes }] of prefetch(commits, maxUnderWay, each => objects.read(each))) {
    await rewrite(oid, bytes)
    progress(++done, commits.length)
  }
  return { renamed, dropped, unsigned, erased: removal.erased, touched: removal.touched }
}

interface ParsedCommit {
  readonly tree: Oid
  readonly parents: readonly Oid[]
  /** The other headers, except those that `bound` matches, and the message, as a latin1 string. */
  readonly rest: string
  readonly signed: boolean
}

/** Headers that are valid for the original commit only: signatures, and signed tags of merges. */
const bound = /^(?:gpgsig(?:-sha256)?|mergetag) .*\n(?: .*\n)*/gm

/** @see git-commit-tree(1); gitformat-signature(5) */
function parseCommit(bytes: Buffer): ParsedCommit {
  const text = bytes.toString('latin1')
  const [head = '', tree = ''] = /^tree ([0-9a-f]{40})\n(?:parent [0-9a-f]{40}\n)*/.exec(text) ?? []
  const parents = [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, parent = '']) => toOid(parent))
  const end = text.indexOf('\n\n') + 1
  const headers = text.slice(head.length, end)
  const others = headers.replace(bound, '')
  return { tree: toOid(tree), parents, rest: others + text.slice(end), signed: /^gpgsig/m.test(headers) }
}

function encodeCommit({ rest }: ParsedCommit, tree: Oid, parents: readonly Oid[]): Buffer {
  const lines = [`tree ${tree}\n`, ...parents.map(parent => `parent ${parent}\n`)]
  return Buffer.from(lines.join('') + rest, 'latin1')
}

const tagSignature = /^-----BEGIN (?:PGP|SSH|SIGNED) (?:SIGNATURE|MESSAGE)-----[\s\S]*/m

/** Changes the target of an annotated tag and removes its signature. @see git-mktag(1) */
export function rewriteTag(bytes: Buffer, about: Oid): Buffer {
  const text = bytes.toString('latin1')
  return Buffer.from(
    text.replace(/^object [0-9a-f]{40}/, `object ${about}`).replace(tagSignature, ''),
    'latin1',
  )
}
