import { diffArrays } from 'diff'
import type { TreeNode } from './document-tree.js'

/** A place of two lists: what stands there before, after, or both, then they correspond. */
export interface AlignedPair {
  readonly before?: TreeNode
  readonly after?: TreeNode
}

/** Says which items of two lists correspond; what it answers is in the order of both. */
export type AlignSequences = (
  before: readonly TreeNode[],
  after: readonly TreeNode[],
) => readonly AlignedPair[]

/**
 * Comparisons of items that one comparison of two documents may cost, so that nobody waits for it: far more than
 * documents need that have a common past. It is counted, not timed, so that the answer is always the same.
 */
const patience = 20_000_000

/**
 * Items of the same content correspond, as many as can in their order; of what is left between them, items of the same
 * key. Where documents are too different for that, items of one key at the same place do.
 */
export function openSequenceAligner(): AlignSequences {
  let left = patience

  /** Runs of two lists of words in their order, or undefined where finding them would take too long. */
  function runsOf<T extends string | number>(
    before: readonly T[],
    after: readonly T[],
  ): readonly Run[] | undefined {
    const size = before.length + after.length
    const most = Math.floor(left / size)
    const runs = diffArrays([...before], [...after], { maxEditLength: most })
    const edits = runs?.reduce((sum, run) => sum + (run.added || run.removed ? run.count : 0), 0) ?? most
    left = Math.max(0, left - size * edits)
    return runs
  }

  function between(before: readonly TreeNode[], after: readonly TreeNode[]): readonly AlignedPair[] {
    if (before.length === 0) return after.map(node => ({ after: node }))
    if (after.length === 0) return before.map(node => ({ before: node }))
    const runs = runsOf(keys(before), keys(after))
    return runs ? walk(before, after, runs, apart) : atSamePlace(before, after)
  }

  return (before, after) => {
    const same = (a: number, b: number) => before[a]?.content === after[b]?.content
    const most = Math.min(before.length, after.length)
    let start = 0
    while (start < most && same(start, start)) start++
    let end = 0
    while (end < most - start && same(before.length - 1 - end, after.length - 1 - end)) end++
    const [middle, newMiddle] = [
      before.slice(start, before.length - end),
      after.slice(start, after.length - end),
    ]
    const runs =
      middle.length > 0 && newMiddle.length > 0 ? runsOf(contents(middle), contents(newMiddle)) : undefined
    return [
      ...before.slice(0, start).map((node, at) => pair(node, after[at])),
      ...(runs ? walk(middle, newMiddle, runs, between) : between(middle, newMiddle)),
      ...before.slice(before.length - end).map((node, at) => pair(node, after[after.length - end + at])),
    ]
  }
}

interface Run {
  readonly count: number
  readonly added: boolean
  readonly removed: boolean
}

/** @param gap what to make of neighbours that were removed and added */
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
      for (let at = 0; at < run.count; at++) steps.push(pair(before[from++], after[to++]))
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
  return Array.from({ length }, (_, at) => pair(before[at], after[at])).flatMap(step =>
    step.before && step.after && step.before.key !== step.after.key
      ? [{ before: step.before }, { after: step.after }]
      : [step],
  )
}

function pair(before: TreeNode | undefined, after: TreeNode | undefined): AlignedPair {
  return { ...(before && { before }), ...(after && { after }) }
}

function contents(nodes: readonly TreeNode[]): readonly number[] {
  return nodes.map(node => node.content)
}

function keys(nodes: readonly TreeNode[]): readonly string[] {
  return nodes.map(node => node.key)
}
