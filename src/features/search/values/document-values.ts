import { tryParseJson } from '../../../core/json/try-parse.js'
import { parseWrittenJson, WrittenNumber } from '../../../core/json/written-number.js'
import type { DocumentType } from '../../../core/records/collection.js'
import { decodeXmlLeniently } from '../../../core/xml/xml-encoding.js'
import { attribute, decodeReferences, endTag, positionAfter, startTag } from '../../../core/xml/xml-tags.js'

/** A value in a document, and its path. */
export interface DocumentValue {
  /** Names of JSON members, or local names of XML elements and `@attributes`, joined by dots. Arrays add nothing. */
  readonly path: string
  readonly text: string
  /** Present if the value is a JSON number. */
  readonly isNumber?: true
}

/** Limit of the characters of a JSON document that is parsed. The words of a larger document have no paths. */
const maxJsonLength = 16 * 2 ** 20

/** Paths in lower case. */
type Paths = Pick<ReadonlySet<string>, 'has' | 'size'>

/**
 * The values of a document, in order. The last one may be cut.
 * @param max limit of characters of all values together; a value counts one character at least
 * @param declared paths whose values have a limit of their own, of the same size: other values never crowd them out
 */
export function* documentValues(
  bytes: Uint8Array,
  type: DocumentType,
  max: number,
  declared: Paths = new Set(),
): Generator<DocumentValue, void> {
  const text = type === 'XML' ? decodeXmlLeniently(bytes) : new TextDecoder().decode(bytes)
  const values = type === 'JSON' ? jsonValues(text) : xmlValues(text)
  const left = { declared: declared.size > 0 ? max : 0, other: max }
  for (const value of values) {
    if (left.declared + left.other === 0) return
    const kind = left.declared > 0 && declared.has(value.path.toLowerCase()) ? 'declared' : 'other'
    if (left[kind] === 0) continue
    yield value.text.length <= left[kind] ? value : { ...value, text: value.text.slice(0, left[kind]) }
    left[kind] = Math.max(0, left[kind] - Math.max(1, value.text.length))
  }
}

function* jsonValues(text: string): Generator<DocumentValue, void> {
  const unmarked = text.startsWith('\uFEFF') ? text.slice(1) : text
  const document = text.length > maxJsonLength ? undefined : tryParseJson(unmarked, parseWrittenJson)
  // Only a push brings a document that is not JSON.
  if (document === undefined) {
    yield { path: '', text }
    return
  }
  const [paths, values]: [(string | undefined)[], unknown[]] = [[undefined], [document]]
  while (values.length > 0) {
    const [parent, value] = [paths.pop(), values.pop()]
    const path = parent ?? ''
    if (typeof value === 'string') yield { path, text: value }
    else if (typeof value === 'number' || value instanceof WrittenNumber)
      yield { path, text: String(value), isNumber: true }
    else if (typeof value === 'boolean') yield { path, text: String(value) }
    else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) {
        paths.push(parent)
        values.push(value[index])
      }
    } else if (typeof value === 'object' && value !== null) {
      const names = Object.keys(value)
      for (let index = names.length - 1; index >= 0; index--) {
        const name = names[index] ?? ''
        // At the root, a member whose name is empty adds nothing to the paths below it.
        paths.push(parent === undefined && name === '' ? undefined : pathBelow(parent, name))
        values.push((value as Readonly<Record<string, unknown>>)[name])
      }
    }
  }
}

/** The delimiters of the parts of XML that have no text. */
const skipped = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<!', '>'],
] as const
const cdata = '<![CDATA['

function* xmlValues(text: string): Generator<DocumentValue, void> {
  /** Paths of the open elements. */
  const open: string[] = []
  let offset = 0
  let own = ''
  while (offset < text.length) {
    const tag = text.indexOf('<', offset)
    if (tag !== offset) {
      own += decodeReferences(text.slice(offset, tag < 0 ? undefined : tag))
      if (tag < 0) break
      offset = tag
    }
    if (text.startsWith(cdata, offset)) {
      const end = text.indexOf(']]>', offset)
      own += text.slice(offset + cdata.length, end < 0 ? undefined : end)
      offset = end < 0 ? text.length : end + 3
      continue
    }
    const part = skipped.find(([start]) => text.startsWith(start, offset))
    if (part) {
      const end = positionAfter(text, part[1], offset)
      offset = end < 0 ? text.length : end
      continue
    }
    // The text between two tags belongs to the innermost open element.
    if (own.trim() !== '') yield { path: open.at(-1) ?? '', text: own.trim() }
    own = ''
    startTag.lastIndex = offset
    const start = startTag.exec(text)
    if (start) {
      const [whole, name = '', attributes = '', empty] = start
      const parent = open.at(-1)
      const path = pathBelow(parent, localName(name))
      for (const [, attributeName = '', double, single] of attributes.matchAll(attribute)) {
        if (attributeName === 'xmlns' || attributeName.startsWith('xmlns:')) continue
        const attributePath = pathBelow(path, `@${localName(attributeName)}`)
        yield { path: attributePath, text: decodeReferences(double ?? single ?? '') }
      }
      if (empty === '') open.push(path)
      offset += whole.length
      continue
    }
    endTag.lastIndex = offset
    const end = endTag.exec(text)
    if (end) open.pop()
    offset += end ? end[0].length : 1
  }
  if (own.trim() !== '') yield { path: open.at(-1) ?? '', text: own.trim() }
}

/** Limit of the characters of a path, also of a declared one. The words of a value at a longer path have no path. */
export const maxPathLength = 300

/** The path of a member or an element; empty if it is too long. @param parent undefined for the root */
function pathBelow(parent: string | undefined, name: string): string {
  if (parent === undefined) return name.length > maxPathLength ? '' : name
  const path = `${parent}.${name}`
  return parent === '' || path.length > maxPathLength ? '' : path
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

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
