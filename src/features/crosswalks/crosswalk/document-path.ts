import type { TreeNode } from './tree-node.js'

/** A path into documents, as in searches: names joined by dots. */
export interface DocumentPath {
  readonly written: string
  readonly names: readonly string[]
  /** For each name, which of the nodes with the name counts, from 0; undefined for all of them. */
  readonly indexes: readonly (number | undefined)[]
}

/** The path `.` of the node itself. */
export const thisNode: DocumentPath = { written: '.', names: [], indexes: [] }

/** Limit of the characters of a path. */
const maxPathLength = 300

/** The path; undefined for a text that is none. @see docs/use/crosswalks.md#paths */
export function readPath(written: string): DocumentPath | undefined {
  if (written === '.') return thisNode
  if (written.length > maxPathLength) return undefined
  const parts = written.split('.').map(part => {
    const [, name = part, index] = /^(.*[^[])\[(\d{1,5})\]$/.exec(part) ?? []
    return { name, index: index === undefined ? undefined : Number(index) }
  })
  const names = parts.map(({ name }) => name)
  if (names.some(name => name.trim() === '' || name === '*')) return undefined
  return { written, names, indexes: parts.map(({ index }) => index) }
}

/** Counts the steps of one description, so that its work has an end. */
export interface Budget {
  steps: number
}

/**
 * Limit of the steps of one description: names that are looked for, nodes that are found, and texts that are read or
 * written.
 */
export const maxSteps = 250_000
/** Characters of a text that count as one step. */
const charactersOfStep = 64

/** The text of a node, which costs steps by its length; undefined without steps, too. */
export function textWithin({ text }: TreeNode, budget: Budget): string | undefined {
  if (text === undefined || budget.steps <= 0) return undefined
  spendOn(text, budget)
  return text
}

/** Takes the steps of a text. */
export function spendOn({ length }: string, budget: Budget): void {
  budget.steps -= Math.ceil(length / charactersOfStep)
}

/** The nodes at the path, in the order of the document. */
export function nodesAt(node: TreeNode, path: DocumentPath, budget: Budget): readonly TreeNode[] {
  if (budget.steps <= 0) return []
  budget.steps--
  const { names, indexes } = path
  const name = names[0]
  if (name === undefined) return [node]
  // Most paths have one name, and need no list of their own.
  if (names.length === 1) {
    const all = node.children(name)
    budget.steps -= 1 + all.length
    return indexed(all, indexes[0])
  }
  const found: TreeNode[] = []
  select(node, path, 0, budget, found)
  return found
}

function select(node: TreeNode, path: DocumentPath, from: number, budget: Budget, found: TreeNode[]): void {
  const { names, indexes } = path
  if (from === names.length) {
    found.push(node)
    return
  }
  for (let end = from + 1; end <= names.length; end++) {
    if (budget.steps <= 0) return
    const name = end === from + 1 ? (names[from] ?? '') : names.slice(from, end).join('.')
    const all = node.children(name)
    budget.steps -= 1 + all.length
    for (const child of indexed(all, indexes[end - 1])) select(child, path, end, budget, found)
    // A member of JSON may have dots in its name.
    if (all.length > 0 || !node.hasDottedNames) return
  }
}

function indexed(nodes: readonly TreeNode[], index: number | undefined): readonly TreeNode[] {
  return index === undefined ? nodes : nodes.slice(index, index + 1)
}
