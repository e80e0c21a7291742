import { diffArrays } from 'diff/lib/diff/array.js'
import type { TreeNode } from './document-tree.js'

/** Two corresponding items, or an item of one list without a counterpart. */
interface AlignedPair {
  readonly before?: TreeNode
  readonly after?: TreeNode
}

/** Finds the corresponding items of two lists. The result keeps the order of both. */
export type AlignSequences = (
  before: readonly TreeNode[],
  after: readonly TreeNode[],
) => readonly AlignedPair[]

/**
 * Limit of the comparisons of items for two documents, far more than two versions of a document need. It is a count and
 * not a time, so that the result is reproducible.
 */
const patience = 20_000_000

/**
 * First aligns as many items with the same content as possible, then items with the same key between them. If two lists
 * differ too much for that, it pairs items with the same key at the same index.
 */
export function openSequenceAligner(): AlignSequences {
  let left = patience

  /** Runs of common, removed and added entries; undefined if the limit is exceeded. */
  function runsOf(
    before: readonly TreeNode[],
    after: readonly TreeNode[],
    by: 'content' | 'key',
  ): readonly Run[] | undefined {
    const size = before.length + after.length
    const maxEdits = Math.floor(left / size)
    const values = (nodes: readonly TreeNode[]) => nodes.map(node => node[by])
    const runs = diffArrays(values(before), values(after), { maxEditLength: maxEdits })
    const edits = runs?.reduce((sum, run) => sum + (run.added || run.removed ? run.count : 0), 0) ?? maxEdits
    left = Math.max(0, left - size * edits)
    return runs
  }

  function between(before: readonly TreeNode[], after: readonly TreeNode[]): readonly AlignedPair[] {
    if (before.length === 0) return after.map(node => ({ after: node }))
    if (after.length === 0) return before.map(node => ({ before: node }))
    const runs = runsOf(before, after, 'key')
    return runs ? walk(before, after, runs, apart) : atSamePlace(before, after)
  }

  return (before, after) => {
    const same = (a: number, b: number) => before[a]?.content === after[b]?.content
    const shorter = Math.min(before.length, after.length)
    let start = 0
    while (start < shorter && same(start, start)) start++
    let end = 0
    while (end < shorter - start && same(before.length - 1 - end, after.length - 1 - end)) end++
    const [middle, newMiddle] = [
      before.slice(start, before.length - end),
      after.slice(start, after.length - end),
    ]
    const runs = middle.length > 0 && newMiddle.length > 0 ? runsOf(middle, newMiddle, 'content') : undefined
    return [
      ...before.slice(0, start).map((node, index) => pair(node, after[index])),
      ...(runs ? walk(middle, newMiddle, runs, between) : between(middle, newMiddle)),
      ...before
        .slice(before.length - end)
        .map((node, index) => pair(node, after[after.length - end + index])),
    ]
  }
}

interface Run {
  readonly count: number
  readonly added: boolean
  readonly removed: boolean
}

/**
 * Pairs the items of two lists along their common runs.
 * @param gap aligns items that were removed and added between two common runs
 */
function walk(
  before: readonly TreeNode[],
  after: readonly TreeNode[],
  runs: readonly Run[],
  gap: (before: readonly TreeNode[], after: readonly TreeNode[]) => readonly AlignedPair[],
): readonly AlignedPair[] {
  const steps: AlignedPair[] = []
  let [from, to, removed, added] = [0, 0, 0, 0]
  function close(): void {
    const [oldNodes, newNodes] = [before.slice(from, from + removed), after.slice(to, to + added)]
    for (const step of gap(oldNodes, newNodes)) steps.push(step)
    from += removed
    to += added
    removed = 0
    added = 0
  }
  for (const run of runs) {
    if (run.removed) removed += run.count
    else if (run.added) added += run.count
    else {
      close()
      for (let index = 0; index < run.count; index++) steps.push(pair(before[from++], after[to++]))
    }
  }
  close()
  return steps
}

function apart(before: readonly TreeNode[], after: readonly TreeNode[]): readonly AlignedPair[] {
  return [...before.map(node => ({ before: node })), ...after.map(node => ({ after: node }))]
}

function atSamePlace(before: readonly TreeNode[], after: readonly TreeNode[]): readonly AlignedPair[] {
  const length = Math.max(before.length, after.length)
  return Array.from({ length }, (_, index) => pair(before[index], after[index])).flatMap(step =>
    step.before && step.after && step.before.key !== step.after.key
      ? [{ before: step.before }, { after: step.after }]
      : [step],
  )
}

function pair(before: TreeNode | undefined, after: TreeNode | undefined): AlignedPair {
  return { ...(before && { before }), ...(after && { after }) }
}
