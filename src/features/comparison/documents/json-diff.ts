import { appendJsonPointer } from '../../../core/json/strict-json.js'
import { type WrittenJson, WrittenNumber } from '../../../core/json/written-number.js'
import { ProblemError } from '../../../core/problem.js'
import { maxDepth, type NodeFactory, noMembers, openNodeFactory, type TreeNode } from './document-tree.js'
import { type AlignSequences, openSequenceAligner } from './sequence-alignment.js'

/**
 * One change of a JSON document, to apply after the changes before it.
 * @see RFC 6902
 */
export type JsonChange =
  | { readonly op: 'add'; readonly path: string; readonly value: WrittenJson }
  | { readonly op: 'remove'; readonly path: string; readonly before: WrittenJson }
  | {
      readonly op: 'replace'
      readonly path: string
      readonly value: WrittenJson
      readonly before: WrittenJson
    }

/** An operation of a JSON Patch. @see RFC 6902 §4 */
type JsonPatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: WrittenJson }
  | { readonly op: 'remove'; readonly path: string }

/**
 * The tree of a JSON value, for comparisons. Objects with the same `id` or `@id` correspond in two arrays.
 * @throws ProblemError `too-large` for a value with too many levels
 */
export function jsonTree(createNode: NodeFactory, value: WrittenJson): TreeNode {
  function tree(value: WrittenJson, depth: number): TreeNode {
    if (depth > maxDepth) {
      throw new ProblemError(
        'too-large',
        `The document has more than ${maxDepth} levels of arrays and objects.`,
      )
    }
    if (typeof value !== 'object' || value === null || value instanceof WrittenNumber) {
      return createNode({ kind: 'value', key: 'value', members: noMembers, items: [], value })
    }
    if (Array.isArray(value)) {
      const items = (value as readonly WrittenJson[]).map(item => tree(item, depth + 1))
      return createNode({ kind: 'array', key: 'array', members: noMembers, items, value })
    }
    const members = new Map(
      Object.entries(value).map(([name, member]) => [name, tree(member, depth + 1)] as const),
    )
    const id = members.get('id')?.value ?? members.get('@id')?.value
    const key = isIdentifier(id) ? `object ${id}` : 'object'
    return createNode({ kind: 'object', key, members, items: [], value })
  }
  return tree(value, 0)
}

function isIdentifier(value: WrittenJson | undefined): value is string | number | WrittenNumber {
  return typeof value === 'string' || typeof value === 'number' || value instanceof WrittenNumber
}

/** The changes from one value to the other, in the order of the document. */
export function compareJson(before: WrittenJson, after: WrittenJson): readonly JsonChange[] {
  const createNode = openNodeFactory()
  return jsonChanges(openSequenceAligner(), jsonTree(createNode, before), jsonTree(createNode, after), '')
}

/** The changes between two nodes of one node factory. @param path JSON Pointer of the nodes */
export function jsonChanges(
  align: AlignSequences,
  before: TreeNode | undefined,
  after: TreeNode | undefined,
  path: string,
): readonly JsonChange[] {
  const changes: JsonChange[] = []
  function compare(before: TreeNode | undefined, after: TreeNode | undefined, path: string): void {
    if (before?.content === after?.content) return
    if (!before || !after || before.kind !== after.kind || before.kind === 'value') {
      changes.push(...replaceWhole(before, after, path))
      return
    }
    eachMember(before, after, (name, old, now) => compare(old, now, appendJsonPointer(path, name)))
    eachItem(align, before.items, after.items, (index, old, now) =>
      compare(old, now, appendJsonPointer(path, index)),
    )
  }
  compare(before, after, path)
  return changes
}

/** The change of a whole value. */
function replaceWhole(
  before: TreeNode | undefined,
  after: TreeNode | undefined,
  path: string,
): readonly JsonChange[] {
  if (before && after) return [{ op: 'replace', path, value: after.value, before: before.value }]
  if (after) return [{ op: 'add', path, value: after.value }]
  return before ? [{ op: 'remove', path, before: before.value }] : []
}

/** Visits the members that `after` lacks, then the members of `after` in their order. */
export function eachMember(
  before: TreeNode,
  after: TreeNode,
  visit: (name: string, before: TreeNode | undefined, after: TreeNode | undefined) => void,
): void {
  for (const [name, old] of before.members) if (!after.members.has(name)) visit(name, old, undefined)
  for (const [name, now] of after.members) visit(name, before.members.get(name), now)
}

/**
 * Visits the items of two lists in order: two corresponding items in one call, other items alone.
 * @param visit gets the index that the item has when the changes before it are applied
 */
export function eachItem(
  align: AlignSequences,
  before: readonly TreeNode[],
  after: readonly TreeNode[],
  visit: (index: number, before: TreeNode | undefined, after: TreeNode | undefined) => void,
): void {
  let index = 0
  for (const step of align(before, after)) {
    visit(index, step.before, step.after)
    if (step.after) index++
  }
}

export function toJsonPatch(changes: readonly JsonChange[]): readonly JsonPatchOperation[] {
  return changes.map(change =>
    change.op === 'remove'
      ? { op: change.op, path: change.path }
      : { op: change.op, path: change.path, value: change.value },
  )
}
