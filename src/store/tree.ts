import type { Oid } from '../core/values.js'

/*
 * Trees as the raw bytes Git stores, edited in place of being parsed and built anew: a tree on the path of an update
 * has some dozen entries, of which one changes. Names are byte strings (latin1): a person's file may have a name that
 * is no UTF-8, and must keep it. @see gitformat-pack(5); git-mktree(1) for the order of entries
 */

export const fileMode = '100644'
export const treeMode = '40000'

export interface TreeSlot {
  readonly mode: string
  readonly oid: Oid
}

export const emptyTree = Buffer.alloc(0)

/** The entry with the name, or undefined. */
export function findEntry(tree: Buffer, name: string): TreeSlot | undefined {
  const found = seek(tree, Buffer.from(name, 'latin1'))
  if (!found) return undefined
  return {
    mode: tree.toString('latin1', found.start, found.name - 1),
    oid: tree.toString('hex', found.end - 20, found.end) as Oid,
  }
}

/** The tree with the entry set, or without it where `slot` is undefined. */
export function withEntry(tree: Buffer, name: string, slot: TreeSlot | undefined): Buffer {
  const bytes = Buffer.from(name, 'latin1')
  const old = seek(tree, bytes)
  const rest = old ? Buffer.concat([tree.subarray(0, old.start), tree.subarray(old.end)]) : tree
  if (!slot) return rest
  const entry = Buffer.concat([Buffer.from(`${slot.mode} ${name}\0`, 'latin1'), Buffer.from(slot.oid, 'hex')])
  const key = sortKey(bytes, slot.mode)
  let at = 0
  while (at < rest.length) {
    const next = entryAt(rest, at)
    const mode = rest.toString('latin1', next.start, next.name - 1)
    if (Buffer.compare(sortKey(rest.subarray(next.name, next.end - 21), mode), key) > 0) break
    at = next.end
  }
  return Buffer.concat([rest.subarray(0, at), entry, rest.subarray(at)])
}

/** Every entry in order. */
export function* entriesOf(tree: Buffer): Generator<TreeSlot & { readonly name: string }> {
  for (let at = 0; at < tree.length; ) {
    const next = entryAt(tree, at)
    yield {
      mode: tree.toString('latin1', next.start, next.name - 1),
      name: tree.toString('latin1', next.name, next.end - 21),
      oid: tree.toString('hex', next.end - 20, next.end) as Oid,
    }
    at = next.end
  }
}

/** Git sorts a tree's entries by bytes, folders as if their names ended with a slash. */
function sortKey(name: Buffer, mode: string): Buffer {
  return mode === treeMode ? Buffer.concat([name, Buffer.from('/')]) : name
}

/** Offsets of one entry: its mode, its name, and what follows it. */
interface Offsets {
  readonly start: number
  readonly name: number
  readonly end: number
}

function entryAt(tree: Buffer, start: number): Offsets {
  const name = tree.indexOf(0x20, start) + 1
  return { start, name, end: tree.indexOf(0, name) + 21 }
}

function seek(tree: Buffer, name: Buffer): Offsets | undefined {
  for (let at = 0; at < tree.length; ) {
    const next = entryAt(tree, at)
    if (tree.compare(name, 0, name.length, next.name, next.end - 21) === 0) return next
    at = next.end
  }
  return undefined
}
