import { openNodeFactory, type TreeNode } from './document-tree.js'
import { eachItem, eachMember } from './json-diff.js'
import { openSequenceAligner } from './sequence-alignment.js'
import { xmlTree } from './xml-tree-parser.js'

/**
 * One change of an XML document, to apply after the changes before it.
 * - `path`: an XPath of qualified names with positions among siblings of the same name: `/parcel/weight[2]/@unit`,
 *   `/parcel/text()[1]`. An added node has the path after the change.
 * - `position`: the position of an added node among the child nodes, from 1.
 * - `value`, `before`: the XML of an element, or the text of another node or an attribute.
 */
export type XmlChange =
  | { readonly op: 'add'; readonly path: string; readonly position?: number; readonly value: string }
  | { readonly op: 'remove'; readonly path: string; readonly before: string }
  | { readonly op: 'replace'; readonly path: string; readonly value: string; readonly before: string }

/**
 * The changes from one document to the other, in the order of the document. Ignores the order and quotes of attributes,
 * the notation of characters, and blank text between elements.
 */
export function compareXml(before: string, after: string): readonly XmlChange[] {
  const createNode = openNodeFactory()
  const changes: XmlChange[] = []
  eachXmlChange(xmlTree(createNode, before), xmlTree(createNode, after), change => changes.push(change))
  return changes
}

/**
 * Finds the changes as {@link compareXml} does, for two trees of one node factory.
 * @param report called with every change and its place
 */
export function eachXmlChange(
  before: TreeNode,
  after: TreeNode,
  report: (change: XmlChange, place: XmlPlace) => void,
): void {
  const align = openSequenceAligner()

  /** Reports the differences inside a pair of elements. @param within the ancestors; empty for the document itself */
  function compare(before: TreeNode, after: TreeNode, path: string, within: readonly TreeNode[]): void {
    const parents = { within: [...within, after], former: before }
    eachMember(before, after, (name, old, now) => {
      if (old?.content === now?.content) return
      const place = { ...parents, attribute: name }
      change(old, now, `${path}/@${name}`, place)
    })
    const name = childPaths(path)
    eachItem(align, before.items, after.items, (index, old, now) => {
      const node = now ?? old
      if (!node) return
      const here = name(node, now !== undefined)
      if (old?.content === now?.content) return
      if (old && now && !isText(now)) compare(old, now, here, parents.within)
      else change(old, now, here, parents, index + 1)
    })
  }

  function change(
    before: TreeNode | undefined,
    after: TreeNode | undefined,
    path: string,
    parents: Omit<XmlPlace, 'before' | 'after'>,
    position?: number,
  ): void {
    const place = { ...parents, ...(before && { before }), ...(after && { after }) }
    if (before && after) report({ op: 'replace', path, value: textOf(after), before: textOf(before) }, place)
    else if (before) report({ op: 'remove', path, before: textOf(before) }, place)
    else if (after) {
      report({ op: 'add', path, ...(position !== undefined && { position }), value: textOf(after) }, place)
    }
  }
  if (before.content !== after.content) compare(before, after, '', [])
}

/** The changed node or attribute, and its ancestors. */
export interface XmlPlace {
  readonly before?: TreeNode
  readonly after?: TreeNode
  /** The ancestors after the change, from the document to the parent. */
  readonly within: readonly TreeNode[]
  /** The parent before the change. */
  readonly former: TreeNode
  /** Name of the changed attribute. */
  readonly attribute?: string
}

/**
 * Returns a function that gives the path of a child node. Call it for all child nodes in their order. A node that does
 * not stay is not counted.
 * @param path path of the element; empty for the document, whose only element needs no position
 */
export function childPaths(path: string): (node: TreeNode, stays: boolean) => string {
  const counts = new Map<string, number>()
  return ({ kind }, stays) => {
    const number = (counts.get(kind) ?? 0) + 1
    if (stays) counts.set(kind, number)
    const alone = path === '' && !kind.endsWith(')')
    return alone ? `/${kind}` : `${path}/${kind}[${number}]`
  }
}

function isText({ kind }: TreeNode): boolean {
  return kind.endsWith(')')
}

/** The XML of an element, or the text of another node. */
function textOf(node: TreeNode): string {
  return typeof node.value === 'string' ? node.value : xmlOf(node)
}

function xmlOf(node: TreeNode): string {
  const { kind, members, items, value } = node
  if (typeof value === 'string') {
    if (kind === 'text()') return escaped(value, /[&<>\r]/g)
    if (kind === 'comment()') return `<!--${value}-->`
    const target = /^processing-instruction\((.*)\)$/.exec(kind)?.[1] ?? ''
    return `<?${target}${value === '' ? '' : ` ${value}`}?>`
  }
  const attributes = [...members].map(
    ([name, { value }]) => ` ${name}="${escaped(String(value), /[&<"\t\r\n]/g)}"`,
  )
  const start = `<${kind}${attributes.join('')}`
  return items.length === 0 ? `${start}/>` : `${start}>${items.map(xmlOf).join('')}</${kind}>`
}

const written: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string, characters: RegExp): string {
  return text.replace(characters, found => written[found] ?? `&#${found.charCodeAt(0)};`)
}
