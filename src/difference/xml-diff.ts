import { openForest, type TreeNode } from './document-tree.js'
import { eachItem, eachMember } from './json-diff.js'
import { openSequenceAligner } from './sequence-alignment.js'
import { xmlTree } from './xml-tree-parser.js'

/**
 * One change of an XML document, to be made after those before it.
 * - `path`: an XPath of names as they are written, counted among siblings of the same name: `/parcel/weight[2]/@unit`,
 *   `/parcel/text()[1]`; of what is added, the one it has then.
 * - `position`: of a node that is added: its place among the child nodes, from 1.
 * - `value`, `before`: XML of an element; else the text of the node or attribute.
 */
export type XmlChange =
  | { readonly op: 'add'; readonly path: string; readonly position?: number; readonly value: string }
  | { readonly op: 'remove'; readonly path: string; readonly before: string }
  | { readonly op: 'replace'; readonly path: string; readonly value: string; readonly before: string }

/**
 * What makes the one document of the other, in the order of the document. Order and quotes of attributes, how
 * characters are written, and blank text between elements do not count.
 */
export function compareXml(before: string, after: string): readonly XmlChange[] {
  const plant = openForest()
  const changes: XmlChange[] = []
  eachXmlChange(xmlTree(plant, before), xmlTree(plant, after), change => changes.push(change))
  return changes
}

/** @param tell is told of every change, with its place */
export function eachXmlChange(
  before: TreeNode,
  after: TreeNode,
  tell: (change: XmlChange, place: XmlPlace) => void,
): void {
  const align = openSequenceAligner()

  /** @param within elements it stands in; none is the document itself */
  function compare(before: TreeNode, after: TreeNode, path: string, within: readonly TreeNode[]): void {
    const parents = { within: [...within, after], former: before }
    eachMember(before, after, (name, old, now) => {
      if (old?.content === now?.content) return
      const place = { ...parents, attribute: name }
      change(old, now, `${path}/@${name}`, place)
    })
    const name = childPaths(path)
    eachItem(align, before.items, after.items, (at, old, now) => {
      const node = now ?? old
      if (!node) return
      const here = name(node, now !== undefined)
      if (old?.content === now?.content) return
      if (old && now && !isText(now)) compare(old, now, here, parents.within)
      else change(old, now, here, parents, at + 1)
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
    if (before && after) tell({ op: 'replace', path, value: textOf(after), before: textOf(before) }, place)
    else if (before) tell({ op: 'remove', path, before: textOf(before) }, place)
    else if (after) {
      tell({ op: 'add', path, ...(position !== undefined && { position }), value: textOf(after) }, place)
    }
  }
  if (before.content !== after.content) compare(before, after, '', [])
}

/** What a change is about, and where that stands. */
export interface XmlPlace {
  readonly before?: TreeNode
  readonly after?: TreeNode
  /** Elements it stands in as they are afterwards, outermost first; the document itself is the first. */
  readonly within: readonly TreeNode[]
  /** The innermost of them as it was. */
  readonly former: TreeNode
  /** Its name, where it is an attribute. */
  readonly attribute?: string
}

/**
 * Names child nodes one after the other. A node that does not stay is named and not counted.
 * @param path of the element; empty for the document, whose one element needs no number
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

/** What a change says of a node: the XML of an element, else its text. */
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
