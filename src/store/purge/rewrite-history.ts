import { LRUCache } from 'lru-cache'
import { type Oid, toOid } from '../../core/value-types.js'
import { hashObject } from '../objects/hash-object.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { emptyTreeBytes, findTreeEntry, setTreeEntry, treeEntries, treeMode } from '../objects/tree-editor.js'
import type { NewObject } from '../packs/pack-writer.js'
import { prefetch } from '../process/prefetch.js'

/** A history without some directories. */
export interface RewrittenHistory {
  /** New names of changed commits; undefined: the commit and its ancestors were dropped. */
  readonly renamed: ReadonlyMap<Oid, Oid | undefined>
  /** Number of dropped commits, which changed only these directories. */
  readonly dropped: number
  /** Number of commits that lost their signature. */
  readonly unsigned: number
  /** Files and folders in these directories. */
  readonly erased: ReadonlySet<Oid>
  /** The directories that existed. */
  readonly touched: ReadonlySet<string>
}

interface RewriteOptions {
  readonly objects: Pick<ObjectReader, 'read'>
  /** Parents before their children. */
  readonly commits: readonly Oid[]
  readonly directories: readonly string[]
  /** Writes a new object; called more than once for some objects. */
  readonly write: (object: NewObject) => Promise<void>
  readonly progress: (done: number, total: number) => void
}

/** Limit of concurrent reads of commits. */
const mostUnderWay = 256
/** Limit of cached results for trees. */
const mostRemembered = 50_000

/**
 * Rewrites commits with the same authors, committers, dates and messages, but without some directories. A commit
 * without these directories in its history stays unchanged.
 */
export async function rewriteHistory(options: RewriteOptions): Promise<RewrittenHistory> {
  const { objects, commits, directories, write, progress } = options
  const renamed = new Map<Oid, Oid | undefined>()
  const erased = new Set<Oid>()
  const touched = new Set<string>()
  const known = new LRUCache<string, { readonly tree: Oid | undefined }>({ max: mostRemembered })
  const roots = new LRUCache<Oid, Oid>({ max: mostRemembered })
  let [done, dropped, unsigned] = [0, 0, 0]

  /** The tree made last: it may not be where it can be read yet. */
  let latest: NewObject | undefined

  async function readTree(oid: Oid): Promise<Buffer> {
    return latest?.oid === oid ? Buffer.from(latest.bytes) : (await objects.read(oid)).bytes
  }

  async function add(type: 'tree' | 'commit', bytes: Buffer): Promise<Oid> {
    const made = { oid: hashObject(type, bytes), type, bytes }
    if (type === 'tree') latest = made
    await write(made)
    return made.oid
  }

  async function note(oid: Oid, mode: string): Promise<void> {
    if (erased.has(oid)) return
    erased.add(oid)
    if (mode === treeMode)
      for (const entry of treeEntries(await readTree(oid))) await note(entry.oid, entry.mode)
  }

  /** @returns undefined where nothing is left of the tree */
  async function without(tree: Oid, path: string): Promise<Oid | undefined> {
    const key = `${tree} ${path}`
    const found = known.get(key) ?? { tree: await strip(tree, path) }
    known.set(key, found)
    return found.tree
  }

  async function strip(tree: Oid, path: string): Promise<Oid | undefined> {
    const end = path.indexOf('/')
    const name = Buffer.from(end < 0 ? path : path.slice(0, end)).toString('latin1')
    const bytes = await readTree(tree)
    const entry = findTreeEntry(bytes, name)
    if (!entry) return tree
    let left: Oid | undefined
    if (end < 0) await note(entry.oid, entry.mode)
    else left = entry.mode === treeMode ? await without(entry.oid, path.slice(end + 1)) : entry.oid
    if (left === entry.oid) return tree
    const stripped = setTreeEntry(bytes, name, left && { mode: treeMode, oid: left })
    return stripped.length === 0 ? undefined : await add('tree', stripped)
  }

  async function treeOf(tree: Oid): Promise<Oid> {
    const found = roots.get(tree)
    if (found) return found
    let left: Oid | undefined = tree
    for (const directory of directories) {
      const before: Oid | undefined = left
      left = before && (await strip(before, directory))
      if (left !== before) touched.add(directory)
    }
    const root = left ?? (await add('tree', emptyTreeBytes))
    roots.set(tree, root)
    return root
  }

  /** The tree of every commit passed, and of every one made. */
  const trees = new Map<Oid, Oid>()
  const nothing = hashObject('tree', emptyTreeBytes)
  const treeAt = (commit: Oid | undefined) => (commit === undefined ? nothing : trees.get(commit))

  async function take(oid: Oid, bytes: Buffer): Promise<void> {
    const commit = parseCommit(bytes)
    trees.set(oid, commit.tree)
    const tree = await treeOf(commit.tree)
    const left = commit.parents.flatMap(parent =>
      renamed.has(parent) ? (renamed.get(parent) ?? []) : parent,
    )
    const parents = [...new Set(left)]
    if (tree === commit.tree && same(parents, commit.parents)) return
    const didSomething = commit.tree !== treeAt(commit.parents[0])
    if (didSomething && parents.length <= 1 && tree === treeAt(parents[0])) {
      dropped++
      renamed.set(oid, parents[0])
      return
    }
    const made = await add('commit', encodeCommit(commit, tree, parents))
    if (commit.signed) unsigned++
    renamed.set(oid, made)
    trees.set(made, tree)
  }

  for await (const [oid, { bytes }] of prefetch(commits, mostUnderWay, each => objects.read(each))) {
    await take(oid, bytes)
    progress(++done, commits.length)
  }
  return { renamed, dropped, unsigned, erased, touched }
}

interface ParsedCommit {
  readonly tree: Oid
  readonly parents: readonly Oid[]
  /** All other headers and the message in latin1, without the headers of `bound`. */
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

function same(a: readonly Oid[], b: readonly Oid[]): boolean {
  return a.length === b.length && a.every((oid, at) => oid === b[at])
}
