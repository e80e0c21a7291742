import type { SyntaxNode, Tree } from '@lezer/common'
import { parser as jsonParser } from '@lezer/json'
import { parser as xmlParser } from '@lezer/xml'

/** Where a part of a document is, in UTF-16 units from the start of the text. */
export interface Place {
  readonly from: number
  readonly to: number
  /** The name of the member, or the name in the tag; the opening bracket of a value without a name. */
  readonly mark: { readonly from: number; readonly to: number }
}

/**
 * The places of all parts of a document, in its order. Parts of a broken document are found as far as possible.
 * @returns places by JSON Pointer (RFC 6901), or by XPath of names as written, such as `/parcel/weight[2]/@unit`. A
 *   first sibling has its place with `[1]` and without.
 */
export function placesOf(text: string, language: 'JSON' | 'XML'): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  if (language === 'JSON') addJsonPlaces(places, text, jsonParser.parse(text))
  else addXmlPlaces(places, text, xmlParser.parse(text))
  return places
}

function addJsonPlaces(places: Map<string, Place>, text: string, tree: Tree): void {
  /** Nodes that are still to visit, the next one last: documents may be nested more deeply than a stack of calls. */
  const open: { node: SyntaxNode; path: string; name: SyntaxNode | undefined }[] = []
  const root = tree.topNode.firstChild
  if (root) open.push({ node: root, path: '', name: undefined })
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, path, name } = next
    const isContainer = node.name === 'Object' || node.name === 'Array'
    const mark = name ?? { from: node.from, to: isContainer ? node.from + 1 : node.to }
    places.set(path, { from: name?.from ?? node.from, to: node.to, mark: { from: mark.from, to: mark.to } })
    const children: typeof open = []
    if (node.name === 'Object') {
      for (const property of node.getChildren('Property')) {
        const key = property.getChild('PropertyName')
        const value = property.lastChild
        if (!key || !value || value.from === key.from) continue
        const step = memberName(text.slice(key.from, key.to)).replaceAll('~', '~0').replaceAll('/', '~1')
        children.push({ node: value, path: `${path}/${step}`, name: key })
      }
    } else if (node.name === 'Array') {
      let index = 0
      for (let item = node.firstChild; item; item = item.nextSibling) {
        if (/^[[\],⚠]$/.test(item.name)) continue
        children.push({ node: item, path: `${path}/${index++}`, name: undefined })
      }
    }
    open.push(...children.reverse())
  }
}

/** The name in a JSON string. A broken string is taken as it is. */
function memberName(quoted: string): string {
  try {
    return JSON.parse(quoted) as string
  } catch (error) {
    if (error instanceof SyntaxError) return quoted.replace(/^"|"$/g, '')
    throw error
  }
}

function addXmlPlaces(places: Map<string, Place>, text: string, tree: Tree): void {
  const open: { node: SyntaxNode; path: string }[] = [{ node: tree.topNode, path: '' }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, path } = next
    const counts = new Map<string, number>()
    const children: typeof open = []
    for (const element of node.getChildren('Element')) {
      const tag = element.getChild('OpenTag') ?? element.getChild('SelfClosingTag')
      const name = tag?.getChild('TagName')
      if (!tag || !name) continue
      const step = text.slice(name.from, name.to)
      const count = (counts.get(step) ?? 0) + 1
      counts.set(step, count)
      const place = { from: element.from, to: element.to, mark: { from: name.from, to: name.to } }
      const numbered = `${path}/${step}[${count}]`
      const own = count === 1 ? `${path}/${step}` : numbered
      if (count === 1) places.set(own, place)
      places.set(numbered, place)
      for (const parent of new Set([own, numbered])) addAttributes(places, text, tag, parent)
      children.push({ node: element, path: own })
    }
    open.push(...children.reverse())
  }
}

function addAttributes(places: Map<string, Place>, text: string, tag: SyntaxNode, path: string): void {
  for (const attribute of tag.getChildren('Attribute')) {
    const name = attribute.getChild('AttributeName')
    if (!name) continue
    const mark = { from: name.from, to: name.to }
    places.set(`${path}/@${text.slice(name.from, name.to)}`, { from: attribute.from, to: attribute.to, mark })
  }
}
