import { attribute, decodeReferences, endTag, positionAfter, startTag } from './xml-tags.js'

/*
 * A reader of documents that an XML parser has accepted, and that have no DOCTYPE. It gives the positions in the text,
 * which parsers do not give.
 */

/** Prefixes of an element with their namespaces; the default namespace has the prefix `''`. */
export type Scope = ReadonlyMap<string, string>

/** The value of an attribute. */
export interface XmlValue {
  /** The value with decoded references, and with spaces for white space. */
  readonly value: string
  /** The range of the value in the text, without quotes. */
  readonly start: number
  readonly end: number
}

export interface XmlAttribute extends XmlValue {
  /** Namespace name; `''` if the attribute is in none. */
  readonly namespace: string
  readonly local: string
}

export interface XmlElement {
  readonly namespace: string
  readonly local: string
  /** Without declarations of namespaces. */
  readonly attributes: readonly XmlAttribute[]
  /** The declarations of namespaces. */
  readonly declarations: readonly XmlValue[]
  readonly scope: Scope
  /** The range of the start tag in the text. */
  readonly start: number
  readonly end: number
  readonly isEmpty: boolean
}

export interface XmlHandler {
  open(element: XmlElement): void
  /** Decoded text, in one or more pieces between two tags. */
  text?(text: string): void
  /** Gets the range of the end tag in the text; it is empty for an empty element. */
  close(start: number, end: number): void
}

export const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'
const outermost: Scope = new Map([['xml', xmlNamespace]])

/** Reads a document. @returns false if the reader could not read to the end */
export function readXml(text: string, handler: XmlHandler): boolean {
  const scopes: Scope[] = [outermost]
  let index = 0
  for (;;) {
    const tag = text.indexOf('<', index)
    if (tag < 0) return scopes.length === 1
    if (tag > index && scopes.length > 1) handler.text?.(decodeReferences(text.slice(index, tag)))
    const kind = text.charCodeAt(tag + 1)
    if (kind === exclamation && text.startsWith('<![CDATA[', tag)) {
      index = positionAfter(text, ']]>', tag + 9)
      if (index > 0) handler.text?.(text.slice(tag + 9, index - 3))
    } else if (kind === exclamation) index = positionAfter(text, '-->', tag + 4)
    else if (kind === question) index = positionAfter(text, '?>', tag + 2)
    else if (kind === slash) {
      endTag.lastIndex = tag
      if (!endTag.test(text) || scopes.length === 1) return false
      index = endTag.lastIndex
      scopes.pop()
      handler.close(tag, index)
    } else {
      const element = readStartTag(text, tag, scopes.at(-1) ?? outermost)
      if (!element) return false
      index = element.end
      handler.open(element)
      if (element.isEmpty) handler.close(index, index)
      else scopes.push(element.scope)
    }
    if (index < 0) return false
  }
}

const exclamation = 0x21
const question = 0x3f
const slash = 0x2f

function readStartTag(text: string, start: number, outer: Scope): XmlElement | undefined {
  startTag.lastIndex = start
  const match = startTag.exec(text)
  if (!match) return undefined
  const [whole, name = '', written = '', empty] = match
  const end = start + whole.length
  const tag = { start, end, isEmpty: empty === '/' }
  if (written === '') {
    const [prefix, local] = splitName(name)
    return {
      ...tag,
      namespace: outer.get(prefix) ?? '',
      local,
      attributes: [],
      declarations: [],
      scope: outer,
    }
  }
  const found: (XmlValue & { prefix: string; local: string })[] = []
  const declarations: XmlValue[] = []
  let scope = outer
  const offset = start + 1 + name.length
  for (const each of written.matchAll(attribute)) {
    const raw = each[2] ?? each[3] ?? ''
    const valueEnd = offset + each.index + each[0].length - 1
    const value = decodeReferences(raw.replace(/\r\n|[\t\r\n]/g, ' '))
    const [prefix, local] = splitName(each[1] ?? '')
    const range = { value, start: valueEnd - raw.length, end: valueEnd }
    if (prefix === 'xmlns' || (prefix === '' && local === 'xmlns')) {
      scope = new Map(scope).set(prefix === '' ? '' : local, value)
      declarations.push(range)
    } else found.push({ prefix, local, ...range })
  }
  const attributes = found.map(({ prefix, ...rest }) => ({
    ...rest,
    namespace: prefix === '' ? '' : (scope.get(prefix) ?? ''),
  }))
  const [prefix, local] = splitName(name)
  return { ...tag, namespace: scope.get(prefix) ?? '', local, attributes, declarations, scope }
}

/** Splits a qualified name into prefix, which may be `''`, and local name. */
export function splitName(name: string): readonly [prefix: string, local: string] {
  const colon = name.indexOf(':')
  return colon < 0 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)]
}
