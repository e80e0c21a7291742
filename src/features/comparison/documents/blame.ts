import { appendJsonPointer } from '../../../core/json/strict-json.js'
import type { TreeNode } from './document-tree.js'
import { type AlignSequences, openSequenceAligner } from './sequence-alignment.js'
import { childPaths } from './xml-diff.js'

/** A part of a document, and which of the successive states of the document changed the part last. */
export interface BlamedPart {
  /** JSON Pointer, or XPath of an element or attribute. */
  readonly path: string
  /** Index of the state; the newest state of the document is 0, the one before is 1. */
  readonly state: number
}

/**
 * Follows the parts of a document back through its former states: the contents that it had between two changes.
 *
 * A state has changed a part if the state before has no corresponding part, or one with other content. A change of a
 * part is therefore also a change of every part that contains it.
 */
interface BlameTracker {
  /** Number of parts for which no change was found yet. */
  readonly open: number
  /** Compares the oldest state so far with `before`, the state before it. */
  back(before: TreeNode): void
  /** The parts in the order of the document. Parts without a change belong to the oldest state. */
  blamed(): readonly BlamedPart[]
}

/** A part of the newest state. */
interface Part {
  readonly node: TreeNode
  /** Index of the state that changed the part last; undefined while it is unknown. */
  state: number | undefined
  readonly members: ReadonlyMap<string, Part>
  readonly items: readonly Part[]
  /** Index of the part among the items of the same array or element in the oldest state so far. */
  at: number
  /** The last change is known for the part and for all parts in it. */
  done: boolean
}

/**
 * Begins with the newest state. The caller passes the older states to `back`, one after the other.
 * @param newest its nodes and those of all other states come from one node factory
 */
export function openBlameTracker(newest: TreeNode): BlameTracker {
  let open = 0
  let oldest = newest
  let state = 0
  const align: AlignSequences = openSequenceAligner()

  function partOf(node: TreeNode, index: number): Part {
    open++
    const members = new Map([...node.members].map(([name, member]) => [name, partOf(member, 0)] as const))
    return { node, state: undefined, members, items: node.items.map(partOf), at: index, done: false }
  }
  const root = partOf(newest, 0)

  function settle(part: Part): void {
    if (part.state !== undefined) return
    part.state = state
    open--
  }
  function settleAll(part: Part): void {
    if (part.done) return
    settle(part)
    for (const inner of part.members.values()) settleAll(inner)
    for (const inner of part.items) settleAll(inner)
    part.done = true
  }

  function compare(part: Part, before: TreeNode | undefined, after: TreeNode | undefined): void {
    if (!before || !after || before.kind !== after.kind) {
      settleAll(part)
      return
    }
    if (before.content === after.content) return
    settle(part)
    for (const [name, inner] of part.members) {
      if (!inner.done) compare(inner, before.members.get(name), after.members.get(name))
    }
    if (part.items.some(inner => !inner.done)) compareItems(part, before, after)
    part.done = [...part.members.values(), ...part.items].every(inner => inner.done)
  }

  function compareItems(part: Part, before: TreeNode, after: TreeNode): void {
    const origins = originsOf(align(before.items, after.items))
    for (const inner of part.items) {
      if (inner.done) continue
      const origin = origins.get(inner.at)
      compare(inner, origin?.node, after.items[inner.at])
      if (origin) inner.at = origin.at
    }
  }

  return {
    get open() {
      return open
    },
    back(before) {
      compare(root, before, oldest)
      oldest = before
      state++
    },
    blamed() {
      const found: BlamedPart[] = []
      const isXml = root.node.kind === 'document'
      function collect(part: Part, path: string): void {
        if (!isXml || path !== '') found.push({ path, state: part.state ?? state })
        for (const [name, inner] of part.members)
          collect(inner, isXml ? `${path}/@${name}` : appendJsonPointer(path, name))
        const name = childPaths(path)
        part.items.forEach((inner, index) => {
          const here = isXml ? name(inner.node, true) : appendJsonPointer(path, index)
          // Text nodes and comments have no entries: the entry of their element covers them.
          if (!isXml || !inner.node.kind.endsWith(')')) collect(inner, here)
        })
      }
      collect(root, '')
      return found
    },
  }
}

/** For each item of the later state that corresponds to an earlier one, by index: the earlier item and its index. */
function originsOf(
  steps: ReturnType<AlignSequences>,
): ReadonlyMap<number, { readonly at: number; readonly node: TreeNode }> {
  const origins = new Map<number, { readonly at: number; readonly node: TreeNode }>()
  let [from, to] = [0, 0]
  for (const step of steps) {
    if (step.before && step.after) origins.set(to, { at: from, node: step.before })
    if (step.before) from++
    if (step.after) to++
  }
  return origins
}
