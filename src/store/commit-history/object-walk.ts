import { type Oid, toOid } from '../../core/value-types.js'
import { type CommitInfo, parseCommit } from '../objects/commit-format.js'
import { hasObject, type ObjectReader } from '../objects/object-reader.js'
import { parseTree, type TextTreeEntry, treeMode } from '../objects/tree-format.js'
import type { CommitChanges, History, HistoryRelation, PathChange } from './first-parent-history.js'

const oidBytes = 20

/** Reads the history through objects, for machines without git. Much slower than git. */
export function openObjectWalkHistory(objects: ObjectReader): History {
  async function commit(oid: Oid): Promise<CommitInfo> {
    return parseCommit(oid, (await objects.read(oid)).bytes)
  }

  async function* walk(from: Oid | undefined, to: Oid, signal?: AbortSignal): AsyncGenerator<CommitChanges> {
    const chain = openOidStack()
    let next: Oid | undefined = to
    while (next !== undefined && next !== from) {
      signal?.throwIfAborted()
      chain.push(next)
      next = (await commit(next)).parents[0]
    }
    if (next !== from) throw new Error(`The commit ${from} is not on the first-parent chain of ${to}.`)
    let tree = from === undefined ? undefined : (await commit(from)).tree
    for (let oid = chain.pop(); oid !== undefined; oid = chain.pop()) {
      signal?.throwIfAborted()
      const info = await commit(oid)
      const changes: PathChange[] = []
      await compare(objects, tree, info.tree, '', changes)
      yield { commit: info, changes }
      tree = info.tree
    }
  }

  /**
   * Searches the first-parent chain of `now` first, because `old` is usually among its newest commits; then all other
   * ancestors.
   */
  async function relation(old: Oid, now: Oid, signal?: AbortSignal): Promise<HistoryRelation> {
    if (old === now) return 'same'
    if (!(await hasObject(objects, old))) return 'rewritten'
    const sides: Oid[] = []
    const seen = new Set<Oid>()
    for (let next: Oid | undefined = now; next !== undefined; ) {
      signal?.throwIfAborted()
      seen.add(next)
      const [first, ...others]: readonly Oid[] = await parentsOf(next)
      if (first === old) return 'ahead'
      sides.push(...others)
      next = first
    }
    return (await isAmong(sides, old, seen, signal)) ? 'merged' : 'rewritten'
  }

  /**
   * Whether `wanted` is one of the commits or an ancestor of one of them.
   * @param seen commits to skip
   */
  async function isAmong(
    commits: Oid[],
    wanted: Oid,
    seen: Set<Oid>,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    while (commits.length > 0) {
      signal?.throwIfAborted()
      const next = commits.pop() as Oid
      if (next === wanted) return true
      if (seen.has(next)) continue
      seen.add(next)
      commits.push(...(await parentsOf(next)))
    }
    return false
  }

  async function parentsOf(oid: Oid): Promise<readonly Oid[]> {
    return (await commit(oid)).parents
  }

  return {
    walk,
    relation,
    reaches: (tips, wanted, signal) => isAmong([...tips], wanted, new Set(), signal),
    commit,
  }
}

/** Adds the differences between two trees to `changes`. Skips equal subtrees. */
async function compare(
  objects: ObjectReader,
  before: Oid | undefined,
  after: Oid | undefined,
  folder: string,
  changes: PathChange[],
): Promise<void> {
  if (before === after) return
  const [old, now] = await Promise.all([entriesOf(objects, before), entriesOf(objects, after)])
  for (const entry of now.values()) {
    const previous = old.get(entry.textName)
    if (previous?.oid === entry.oid && previous.mode === entry.mode) continue
    const path = folder + entry.textName
    await compare(objects, subtree(previous), subtree(entry), `${path}/`, changes)
    if (!subtree(entry)) changes.push({ path, after: entry.oid, mode: entry.mode })
    else if (previous && !subtree(previous)) changes.push({ path })
  }
  for (const entry of old.values()) {
    if (now.has(entry.textName)) continue
    if (subtree(entry)) await compare(objects, entry.oid, undefined, `${folder}${entry.textName}/`, changes)
    else changes.push({ path: folder + entry.textName })
  }
}

async function entriesOf(
  objects: ObjectReader,
  tree: Oid | undefined,
): Promise<ReadonlyMap<string, TextTreeEntry>> {
  if (tree === undefined) return new Map()
  return new Map(parseTree((await objects.read(tree)).bytes).map(entry => [entry.textName, entry]))
}

function subtree(entry: TextTreeEntry | undefined): Oid | undefined {
  return entry?.mode === treeMode ? entry.oid : undefined
}

/** A stack with 20 bytes for each object name, because a chain may have a million commits. */
function openOidStack() {
  let bytes = Buffer.alloc(1024 * oidBytes)
  let size = 0
  return {
    push(oid: Oid): void {
      if (size === bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length)])
      size += bytes.write(oid, size, 'hex')
    },
    pop(): Oid | undefined {
      if (size === 0) return undefined
      size -= oidBytes
      return toOid(bytes.toString('hex', size, size + oidBytes))
    },
  }
}
