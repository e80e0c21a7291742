import type { DocumentValue } from './document-values.js'

/** A JSON object for an XML element. */
interface DocumentTree {
  [name: string]: DocumentTree | string | (DocumentTree | string)[]
}

/**
 * The values of an XML document as JSON: `{"note": {"text": "hello", "text@lang": "en"}}`. Elements have their local
 * names; repeated elements become arrays; the attribute `lang` of `text` is `text@lang`, so that elements with and
 * without attributes have the same type. Text next to elements is the member `#text`.
 */
export function documentTreeOf(values: Iterable<DocumentValue>): DocumentTree {
  const root: DocumentTree = emptyTree()
  for (const { path, text } of values) {
    const names = path.replace(/\.@([^.@]+)$/, '@$1').split('.')
    const last = names.pop() ?? ''
    let tree = root
    for (const name of names) tree = childOf(tree, name)
    addText(tree, last === '' ? textMember : last, text)
  }
  return root
}

const textMember = '#text'

/** The object has no prototype, because an element may have any name. */
function emptyTree(): DocumentTree {
  return Object.create(null) as DocumentTree
}

function childOf(tree: DocumentTree, name: string): DocumentTree {
  const found = tree[name]
  if (typeof found === 'object' && !Array.isArray(found)) return found
  const child = emptyTree()
  if (found !== undefined) child[textMember] = found
  tree[name] = child
  return child
}

function addText(tree: DocumentTree, name: string, text: string): void {
  const found = tree[name]
  if (found === undefined) tree[name] = text
  else if (typeof found === 'string') tree[name] = [found, text]
  else if (Array.isArray(found)) found.push(text)
  else addText(found, textMember, text)
}
