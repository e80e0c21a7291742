import { type WrittenJson, WrittenNumber } from '../../../core/json/written-number.js'

/*
 * The common model of JSON and XML documents for comparison: named parts, ordered parts, and values.
 */

/** A part of a document. */
export interface TreeNode {
  /** Two nodes of one factory have the same number exactly if they have the same content. */
  readonly content: number
  /** `object`, `array` or `value`; the qualified name of an element; `text()`, `comment()`… */
  readonly kind: string
  /** The kind and an identifier, if there is one. Nodes with the same key correspond in two lists. */
  readonly key: string
  /** Parts without an order, by name: members of an object, attributes. */
  readonly members: ReadonlyMap<string, TreeNode>
  /** Ordered parts: items of an array, child nodes. */
  readonly items: readonly TreeNode[]
  /** The JSON value; the text of an attribute, text node or comment; null for an element. */
  readonly value: WrittenJson
}

/** Makes nodes. To compare the contents of two nodes of one factory means to compare two numbers. */
export type NodeFactory = (node: Omit<TreeNode, 'content'>) => TreeNode

export function openNodeFactory(): NodeFactory {
  const contents = new Map<string, number>()
  return node => {
    const text = contentOf(node)
    let content = contents.get(text)
    if (content === undefined) {
      content = contents.size
      contents.set(text, content)
    }
    const { kind, key, members, items, value } = node
    return { content, kind, key, members, items, value }
  }
}

export const noMembers: ReadonlyMap<string, TreeNode> = new Map()

/** A text that identifies the content of a node. Child nodes are in it as numbers, which keeps it short. */
function contentOf({ kind, members, items, value }: Omit<TreeNode, 'content'>): string {
  if (typeof value === 'string') return `${kind}"${value}`
  if (value instanceof WrittenNumber) return `${kind} ${value.canonical}`
  if (members.size === 0 && items.length === 0) {
    return typeof value === 'object' ? kind : `${kind} ${value}`
  }
  let text = kind
  for (const item of items) text += `,${item.content}`
  if (members.size === 0) return text
  const named: string[] = []
  for (const [name, member] of members) named.push(`${name.length} ${name}${member.content}`)
  return `${text}{${(named.length > 1 ? named.sort(byCharacters) : named).join()}`
}

function byCharacters(a: string, b: string): number {
  return a < b ? -1 : 1
}

/** Limit of the levels of a document that is compared, because the comparison is recursive. */
export const maxDepth = 512
