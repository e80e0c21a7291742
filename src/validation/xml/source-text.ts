import { lineAt } from '../../core/json/source-locations.js'
import { findDoctype } from '../../core/xml/xml-doctype.js'
import { decodeXmlStrictly, xmlEncodingOf } from '../../core/xml/xml-encoding.js'
import { attribute, decodeReferences, endTag, positionAfter, startTag } from '../../core/xml/xml-tags.js'
import { findingError } from '../findings.js'
import { withoutDoctype } from './schema-doctype.js'

/** Name of the namespace of XML Schema. */
const schemaNamespace = 'http://www.w3.org/2001/XMLSchema'

/** An `xs:include`, `xs:import`, `xs:redefine` or `xs:override` that is a part of the schema. */
export interface Location {
  /** The name of the element as written, with its prefix. */
  readonly element: string
  /** The location as written, without its fragment; undefined for an import without `schemaLocation`. */
  readonly target?: string
  /** The namespace of an import, empty for none; undefined for the other elements. */
  readonly namespace?: string
  readonly line: number
  /** The range of the attribute `schemaLocation` in the text, or the position for it. */
  readonly start: number
  readonly end: number
}

/** A decoded file of an XML schema, with its references. */
export interface SchemaText {
  /** The text, with spaces for its XML declaration: parsers get the text as UTF-8. Line numbers stay the same. */
  readonly text: string
  readonly targetNamespace: string
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
  const offset = findDoctype(text)
  return offset === undefined ? undefined : lineAt(text, offset)
}

export const doctypeMessage =
  'It has a DOCTYPE, which is not permitted: entities and external definitions are never read.'

const referring = new Set(['include', 'import', 'redefine', 'override'])

/**
 * Reads the references of a schema file. What is inside `xs:documentation` and `xs:appinfo` is no part of the schema. An
 * XML parser checks separately that the text is well-formed.
 * @throws ProblemError `unprocessable` for a DOCTYPE with contents that are not supported, a root that is no
 *   `xs:schema`, and `xml:base`
 * @see https://www.w3.org/TR/xmlschema-1/#cAnnotations
 */
export function readSchemaText(bytes: Uint8Array): SchemaText {
  const text = withoutDoctype(decodeXml(bytes))
  const locations: Location[] = []
  const scopes: ReadonlyMap<string, string>[] = [new Map()]
  let targetNamespace: string | undefined
  /** Number of scopes outside of the annotation that is being read. */
  let outside: number | undefined
  const read = (complete: boolean) => ({ text, targetNamespace: targetNamespace ?? '', locations, complete })
  let index = text.indexOf('<')
  while (index >= 0) {
    let next: number
    if (text.startsWith('<!--', index)) next = positionAfter(text, '-->', index + 4)
    else if (text.startsWith('<![CDATA[', index)) next = positionAfter(text, ']]>', index + 9)
    else if (text.startsWith('<?', index)) next = positionAfter(text, '?>', index + 2)
    else if (text.startsWith('</', index)) {
      next = endOf(endTag, text, index)
      if (scopes.length > 1) scopes.pop()
      if (scopes.length === outside) outside = undefined
    } else {
      startTag.lastIndex = index
      const tag = startTag.exec(text)
      if (!tag) return read(false)
      const [whole, name = '', written = '', empty] = tag
      next = index + whole.length
      const attributes = attributesOf(written, index + 1 + name.length)
      const scope = scopeOf(attributes, scopes.at(-1) ?? new Map())
      if (outside === undefined) {
        const local = schemaElement(name, scope)
        const line = () => lineAt(text, index)
        if (attributes.has('xml:base')) throw findingError({ message: baseMessage, line: line() })
        if (targetNamespace === undefined) {
          if (local !== 'schema') throw findingError({ message: rootMessage, line: line() })
          targetNamespace = attributes.get('targetNamespace')?.value.trim() ?? ''
        }
        if (local !== undefined && referring.has(local)) {
          const found = locationIn(local, attributes, index + 1 + name.length)
          if (found) locations.push({ element: name, line: line(), ...found })
        }
        if (!empty && (local === 'documentation' || local === 'appinfo')) outside = scopes.length
      }
      if (!empty) scopes.push(scope)
    }
    if (next < 0) return read(false)
    index = text.indexOf('<', next)
  }
  return read(targetNamespace !== undefined)
}

const baseMessage = 'xml:base is not supported in schemas: write locations relative to the file.'
const rootMessage = `Its root element is not schema of the namespace ${schemaNamespace}.`

/** The local name of an element of XML Schema; undefined for any other element. */
function schemaElement(name: string, scope: ReadonlyMap<string, string>): string | undefined {
  const [prefix = '', local = ''] = name.includes(':') ? name.split(':', 2) : ['', name]
  return scope.get(prefix) === schemaNamespace ? local : undefined
}

function locationIn(
  local: string,
  attributes: ReadonlyMap<string, Attribute>,
  afterName: number,
): Omit<Location, 'element' | 'line'> | undefined {
  const written = attributes.get('schemaLocation')
  const namespace = local === 'import' ? { namespace: attributes.get('namespace')?.value.trim() ?? '' } : {}
  if (!written) return local === 'import' ? { ...namespace, start: afterName, end: afterName } : undefined
  const target = written.value.trim().split('#', 1)[0] ?? ''
  return { target, ...namespace, start: written.start, end: written.end }
}

interface Attribute {
  readonly value: string
  /** The range of the attribute, with the blanks before it. */
  readonly start: number
  readonly end: number
}

function attributesOf(written: string, offset: number): ReadonlyMap<string, Attribute> {
  const found = new Map<string, Attribute>()
  for (const match of written.matchAll(attribute)) {
    const raw = match[2] ?? match[3] ?? ''
    found.set(match[1] ?? '', {
      value: decodeReferences(raw.replace(/[\t\r\n]/g, ' ')),
      start: offset + match.index,
      end: offset + match.index + match[0].length,
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

/** The position after a match that begins at `offset`; -1 if there is none. */
function endOf(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset
  return pattern.test(text) ? pattern.lastIndex : -1
}
