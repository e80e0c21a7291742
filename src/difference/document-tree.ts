/*
 * What JSON and XML documents have in common, as far as two of them are compared: parts with names, parts in an
 * order, and values.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }

/** A part of a document. */
export interface TreeNode {
  /** The same number for two nodes of one forest exactly when they have the same content. */
  readonly content: number
  /** `object`, `array` or `value`; the name of an element as it is written, `text()`, `comment()`… */
  readonly kind: string
  /** The kind, with what tells a node from others of its kind: of two lists, nodes of one key correspond. */
  readonly key: string
  /** Parts whose order says nothing, by name: members of an object, attributes. */
  readonly members: ReadonlyMap<string, TreeNode>
  /** Parts in their order: items of an array, child nodes. */
  readonly items: readonly TreeNode[]
  /** The whole of it as JSON; the text of an attribute, a text, a comment; null for an element. */
  readonly value: Json
}

/** Makes nodes whose contents can be compared with each other at no cost. */
export type NodeFactory = (node: Omit<TreeNode, 'content'>) => TreeNode

export function openForest(): NodeFactory {
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

/** The same text for nodes of the same content alone. There is one for each of very many nodes, so it is short. */
function contentOf({ kind, members, items, value }: Omit<TreeNode, 'content'>): string {
  if (typeof value === 'string') return `${kind}"${value}`
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

/** Levels a document may have to be compared: what follows its parts calls itself. */
export const maxDepth = 512
