import { lineAt } from '../../core/json/source-locations.js'
import { decodeXmlStrictly, xmlEncodingOf } from '../../core/xml/xml-encoding.js'
import { attribute, decodeReferences, endTag, positionAfter, startTag } from '../../core/xml/xml-tags.js'
import { findingError } from '../findings.js'

/** Name of the namespace of XML Schema. */
const schemaNamespace = 'http://www.w3.org/2001/XMLSchema'

/** An `xs:include`, `xs:import`, `xs:redefine` or `xs:override` with a location. */
export interface Location {
  readonly element: string
  /** The location as written, without its fragment. */
  readonly target: string
  readonly line: number
  /** The range of the attribute's value in the text, without quotes. */
  readonly start: number
  readonly end: number
}

/** A decoded file of an XML schema, with its references. */
export interface SchemaText {
  /** The text, with spaces for its XML declaration: parsers get the text as UTF-8. Line numbers stay the same. */
  readonly text: string
  readonly locations: readonly Location[]
  /** False if this reader could not read to the end, because the text is not well-formed. */
  readonly complete: boolean
}

/**
 * Decodes XML by its byte order mark, its declaration, or as UTF-8. Replaces the declaration by spaces.
 * @throws ProblemError `unprocessable` for an unknown encoding or bytes that do not match it
 * @see https://www.w3.org/TR/xml/#sec-guessing
 */
export function decodeXml(bytes: Uint8Array): string {
  const encoding = xmlEncodingOf(bytes)
  let text: string
  try {
    text = decodeXmlStrictly(bytes, encoding)
  } catch (error) {
    if (error instanceof RangeError)
      throw findingError({ message: `The encoding ${encoding} is not supported.`, line: 1 })
    if (error instanceof TypeError) throw findingError({ message: `The bytes are not ${encoding}.` })
    throw error
  }
  return text.replace(/^<\?xml\s[^>]*\?>/, declaration => declaration.replace(/[^\r\n]/g, ' '))
}

/** Line of the DOCTYPE before the root element; undefined if there is none. */
export function lineOfDoctype(text: string): number | undefined {
  let offset = text.charCodeAt(0) === 0xfeff ? 1 : 0
  for (;;) {
    while (isBlank(text.charCodeAt(offset))) offset++
    if (text.startsWith('<!--', offset)) offset = positionAfter(text, '-->', offset + 4)
    else if (text.startsWith('<?', offset)) offset = positionAfter(text, '?>', offset + 2)
    else return text.startsWith('<!DOCTYPE', offset) ? lineAt(text, offset) : undefined
    if (offset < 0) return undefined
  }
}

export const doctypeMessage =
  'It has a DOCTYPE, which is not permitted: entities and external definitions are never read.'

const referring = new Set(['include', 'import', 'redefine', 'override'])

/**
 * Reads the references of a schema file. An XML parser checks separately that the text is well-formed.
 * @throws ProblemError `unprocessable` for a DOCTYPE, a root that is no `xs:schema`, and `xml:base`
 */
export function readSchemaText(bytes: Uint8Array): SchemaText {
  const text = decodeXml(bytes)
  const doctype = lineOfDoctype(text)
  if (doctype !== undefined) throw findingError({ message: doctypeMessage, line: doctype })
  const locations: Location[] = []
  const scopes: ReadonlyMap<string, string>[] = [new Map()]
  let rooted = false
  let index = text.indexOf('<')
  while (index >= 0) {
    let next: number
    if (text.startsWith('<!--', index)) next = positionAfter(text, '-->', index + 4)
    else if (text.startsWith('<![CDATA[', index)) next = positionAfter(text, ']]>', index + 9)
    else if (text.startsWith('<?', index)) next = positionAfter(text, '?>', index + 2)
    else if (text.startsWith('</', index)) {
      next = endOf(endTag, text, index)
      if (scopes.length > 1) scopes.pop()
    } else {
      startTag.lastIndex = index
      const tag = startTag.exec(text)
      if (!tag) return { text, locations, complete: false }
      const [whole, name = '', written = '', empty] = tag
      next = index + whole.length
      const attributes = attributesOf(written, index + 1 + name.length)
      const scope = scopeOf(attributes, scopes.at(-1) ?? new Map())
      const [prefix = '', local = ''] = name.includes(':') ? name.split(':', 2) : ['', name]
      const ours = scope.get(prefix) === schemaNamespace
      if (attributes.has('xml:base')) {
        throw findingError({
          message: 'xml:base is not supported in schemas: write locations relative to the file.',
          line: lineAt(text, index),
        })
      }
      if (!rooted && !(ours && local === 'schema')) {
        const message = `Its root element is not schema of the namespace ${schemaNamespace}.`
        throw findingError({ message, line: lineAt(text, index) })
      }
      rooted = true
      const location = attributes.get('schemaLocation')
      if (ours && location && referring.has(local)) {
        const target = location.value.trim().split('#', 1)[0] ?? ''
        const { start, end } = location
        locations.push({ element: name, target, line: lineAt(text, index), start, end })
      }
      if (!empty) scopes.push(scope)
    }
    if (next < 0) return { text, locations, complete: false }
    index = text.indexOf('<', next)
  }
  return { text, locations, complete: rooted }
}

interface Attribute {
  readonly value: string
  readonly start: number
  readonly end: number
}

function attributesOf(written: string, offset: number): ReadonlyMap<string, Attribute> {
  const found = new Map<string, Attribute>()
  for (const match of written.matchAll(attribute)) {
    const raw = match[2] ?? match[3] ?? ''
    const end = offset + match.index + match[0].length - 1
    found.set(match[1] ?? '', {
      value: decodeReferences(raw.replace(/[\t\r\n]/g, ' ')),
      start: end - raw.length,
      end,
    })
  }
  return found
}

function scopeOf(
  attributes: ReadonlyMap<string, Attribute>,
  outer: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const declared = [...attributes].filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'))
  if (declared.length === 0) return outer
  return new Map([...outer, ...declared.map(([name, { value }]) => [name.slice(6), value] as const)])
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** The position after a match that begins at `offset`; -1 if there is none. */
function endOf(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset
  return pattern.test(text) ? pattern.lastIndex : -1
}
