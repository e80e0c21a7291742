import { decodeReferences, endTag, positionAfter } from './xml-tags.js'

/*
 * A reader of documents that an XML parser has accepted, and that have no DOCTYPE. It gives the positions in the text,
 * which parsers do not give.
 */

/** Prefixes of an element with their namespaces; the default namespace has the prefix `''`. */
export type Scope = Pick<ReadonlyMap<string, string>, 'get' | 'has'>

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

/** Limit of the levels of elements. It is the limit of libxml2 for ordinary documents. */
export const maxXmlLevels = 256

/**
 * Reads a document.
 * @returns false if the reader could not read to the end: at the latest it stops after the first start tag below
 * {@link maxXmlLevels} levels
 */
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
      if (scopes.length > maxXmlLevels) return false
      if (element.isEmpty) handler.close(index, index)
      else scopes.push(element.scope)
    }
    if (index < 0) return false
  }
}

const exclamation = 0x21
const question = 0x3f
const slash = 0x2f
const equals = 0x3d
const greater = 0x3e

/**
 * The declarations of an element in those around it, without a copy: a root may have thousands. What is found around it
 * is kept, because hundreds of levels may declare namespaces around thousands of elements.
 */
function innerScope(outer: Scope, own: Scope): Scope {
  let around: Map<string, string | undefined> | undefined
  return {
    get(prefix) {
      const declared = own.get(prefix)
      if (declared !== undefined) return declared
      if (around?.has(prefix)) return around.get(prefix)
      const namespace = outer.get(prefix)
      around ??= new Map()
      around.set(prefix, namespace)
      return namespace
    },
    has: prefix => own.has(prefix) || outer.has(prefix),
  }
}

function readStartTag(text: string, start: number, outer: Scope): XmlElement | undefined {
  let index = endOfName(text, start + 1)
  const [prefix, local] = splitName(text.slice(start + 1, index))
  let scope = outer
  let own: Map<string, string> | undefined
  let found: (XmlValue & { prefix: string; local: string })[] | undefined
  let declarations: XmlValue[] | undefined
  for (;;) {
    while (isBlank(text.charCodeAt(index))) index++
    const code = text.charCodeAt(index)
    if (code === greater || code === slash) break
    const nameEnd = endOfName(text, index)
    const open = text.indexOf('=', nameEnd) + 1
    let quote = open
    while (isBlank(text.charCodeAt(quote))) quote++
    const end = text.indexOf(text.charAt(quote), quote + 1)
    if (nameEnd === index || open === 0 || end < 0) return undefined
    const name = splitName(text.slice(index, nameEnd))
    const value = { value: attributeValue(text.slice(quote + 1, end)), start: quote + 1, end }
    if (name[0] === 'xmlns' || (name[0] === '' && name[1] === 'xmlns')) {
      own ??= new Map()
      own.set(name[0] === '' ? '' : name[1], value.value)
      scope = scope === outer ? innerScope(outer, own) : scope
      declarations ??= []
      declarations.push(value)
    } else {
      found ??= []
      found.push({ prefix: name[0], local: name[1], ...value })
    }
    index = end + 1
  }
  const isEmpty = text.charCodeAt(index) === slash
  return {
    namespace: scope.get(prefix) ?? '',
    local,
    attributes: found?.map(each => withNamespace(each, scope)) ?? none,
    declarations: declarations ?? none,
    scope,
    start,
    end: index + (isEmpty ? 2 : 1),
    isEmpty,
  }
}

const none: readonly never[] = []

function withNamespace(
  { prefix, local, value, start, end }: XmlValue & { readonly prefix: string; readonly local: string },
  scope: Scope,
): XmlAttribute {
  return { namespace: prefix === '' ? '' : (scope.get(prefix) ?? ''), local, value, start, end }
}

function attributeValue(written: string): string {
  return decodeReferences(/[\t\r\n]/.test(written) ? written.replace(/\r\n|[\t\r\n]/g, ' ') : written)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** The position of the first character that is not in a name. */
function endOfName(text: string, start: number): number {
  for (let index = start; ; index++) {
    const code = text.charCodeAt(index)
    if (isBlank(code) || code === greater || code === slash || code === equals || Number.isNaN(code))
      return index
  }
}

/** Splits a qualified name into prefix, which may be `''`, and local name. */
export function splitName(name: string): readonly [prefix: string, local: string] {
  const colon = name.indexOf(':')
  return colon < 0 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)]
}
