import { lineAt } from '../../core/json/source-locations.js'
import { findDoctype, readDoctype } from '../../core/xml/xml-doctype.js'
import { attribute, decodeReferences, positionAfter, startTag } from '../../core/xml/xml-tags.js'
import { findingError } from '../findings.js'

/*
 * The DOCTYPE of a file of an XML schema. Published schemas have one for entities, most of which nothing uses. Only the
 * internal subset is read, and only its entities with a literal text and its defaults of attributes of the root element.
 * External entities and external subsets are never opened. @see https://www.w3.org/TR/xml/#NT-doctypedecl
 */

/** Limit of the characters of the text of an entity. */
const maxLength = 64 * 1024
/** Limit of the characters that references to entities add to a file. */
const maxAdded = 1024 * 1024

/** An entity of the internal subset, with the line of its declaration. */
interface Entity {
  /** The text as written; undefined for an external entity. */
  readonly literal: string | undefined
  readonly line: number
}

interface AttributeDefault {
  readonly element: string
  readonly attribute: string
  readonly literal: string
  readonly line: number
}

const predefined = new Set(['amp', 'lt', 'gt', 'quot', 'apos'])

/**
 * Replaces the DOCTYPE of a schema file by spaces, and references to its entities by their text. Line numbers stay.
 * @throws ProblemError `unprocessable` for a DOCTYPE that cannot be read, and for what uses an external entity, an
 *   unknown one, one that is too long or contains itself or a tag, or a default of an attribute below the root
 */
export function withoutDoctype(text: string): string {
  const start = findDoctype(text)
  if (start === undefined) return text
  const doctype = readDoctype(text, start)
  if (!doctype) {
    throw findingError({ message: 'Its DOCTYPE cannot be read. Remove it.', line: lineAt(text, start) })
  }
  const { root, end } = doctype
  const entities = new Map<string, Entity>()
  const defaults: AttributeDefault[] = []
  for (const [declaration, offset] of doctype.declarations) {
    readDeclaration(declaration, lineAt(text, offset), entities, defaults)
  }
  const blank = text.slice(start, end).replace(/[^\r\n]/g, ' ')
  const expanded = expandReferences(text.slice(end), entities, offset => lineAt(text, end + offset))
  return text.slice(0, start) + blank + withDefaults(expanded, root, entities, defaults)
}

/** The literals, groups and words of a declaration. */
const tokens = /"[^"]*"|'[^']*'|\([^()]*\)|[^ \t\r\n"'()<>]+/g

function readDeclaration(
  text: string,
  line: number,
  entities: Map<string, Entity>,
  defaults: AttributeDefault[],
): void {
  const [keyword, first = '', ...others] = text.match(tokens) ?? []
  if (keyword === '!ENTITY' && first !== '%') {
    const [value = ''] = others
    // The first declaration of an entity counts. @see https://www.w3.org/TR/xml/#sec-entity-decl
    if (!entities.has(first)) entities.set(first, { literal: literalIn(value), line })
  }
  if (keyword !== '!ATTLIST') return
  while (others.length > 0) {
    const attribute = others.shift() ?? ''
    if (others.shift() === 'NOTATION') others.shift()
    const value = others.shift()
    const literal = literalIn((value === '#FIXED' ? others.shift() : value) ?? '')
    const isKnown = defaults.some(known => known.element === first && known.attribute === attribute)
    if (literal !== undefined && !isKnown) defaults.push({ element: first, attribute, literal, line })
  }
}

/** The text between quotes; undefined if there are none. */
function literalIn(token: string): string | undefined {
  return /^["']/.test(token) ? token.slice(1, -1) : undefined
}

/** Replaces references to entities outside of comments, CDATA and processing instructions. */
function expandReferences(
  text: string,
  entities: ReadonlyMap<string, Entity>,
  lineOf: (offset: number) => number,
): string {
  const resolve = openEntityTexts(entities)
  let expanded = ''
  let added = 0
  let copied = 0
  const special = /[<&]/g
  const from = (offset: number) => {
    special.lastIndex = offset
    return special.exec(text)?.index ?? -1
  }
  let index = from(0)
  while (index >= 0) {
    let next = index + 1
    if (text.startsWith('<!--', index)) next = positionAfter(text, '-->', index + 4)
    else if (text.startsWith('<![CDATA[', index)) next = positionAfter(text, ']]>', index + 9)
    else if (text.startsWith('<?', index)) next = positionAfter(text, '?>', index + 2)
    else if (text.charAt(index) === '&') {
      const name = /^&([^ \t\r\n&;<>#"']{1,200});/.exec(text.slice(index, index + 202))?.[1]
      if (name !== undefined && !predefined.has(name)) {
        const value = resolve(name, () => lineOf(index), [])
        added += value.length
        if (added > maxAdded)
          throw findingError({ message: 'Its entities are too long.', line: lineOf(index) })
        expanded += text.slice(copied, index) + escaped(value)
        next = index + name.length + 2
        copied = next
      }
    }
    if (next < 0) break
    index = from(next)
  }
  return expanded + text.slice(copied)
}

/** Returns the characters for which a reference to an entity stands. */
function openEntityTexts(entities: ReadonlyMap<string, Entity>) {
  const known = new Map<string, string>()

  function resolve(name: string, lineOf: () => number, outer: readonly string[]): string {
    const found = known.get(name)
    if (found !== undefined) return found
    const refuse = (why: string) =>
      findingError({ message: `It uses the entity "${name}", ${why}`, line: lineOf() })
    const entity = entities.get(name)
    if (!entity) throw refuse('which its DOCTYPE does not declare. Write the text of the entity instead.')
    const { literal } = entity
    const declared = `which is declared in line ${entity.line}`
    if (literal === undefined) {
      throw refuse(
        `${declared} as an external one. Nothing external is read: write the text of the entity instead.`,
      )
    }
    if (outer.includes(name)) throw refuse(`${declared} and contains itself.`)
    // Character references count when the entity is declared, other references when it is used.
    const text = literal.replace(/&#[^;&]*;/g, decodeReferences)
    if (text.includes('<')) throw refuse(`${declared} with a tag. Write the tag instead.`)
    const value = text.replace(/&([^;&]+);/g, (whole, inner: string) =>
      predefined.has(inner) || inner.startsWith('#')
        ? decodeReferences(whole)
        : resolve(inner, lineOf, [...outer, name]),
    )
    if (value.length > maxLength) throw refuse(`${declared} and is longer than ${maxLength} characters.`)
    known.set(name, value)
    return value
  }
  return resolve
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Text for content and attribute values, in one line. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, char => escapes[char] ?? char).replace(/[\r\n]/g, ' ')
}

/** Adds the attributes that the DOCTYPE gives to the root element by default. */
function withDefaults(
  text: string,
  root: string,
  entities: ReadonlyMap<string, Entity>,
  defaults: readonly AttributeDefault[],
): string {
  const resolve = openEntityTexts(entities)
  let result = text
  for (const { element, attribute: name, literal, line } of defaults) {
    const lacking = findTagWithout(text, element, name)
    if (lacking < 0) continue
    if (element !== root || lacking !== text.indexOf(`<${root}`)) {
      const message = `Its DOCTYPE gives each element ${element} the attribute ${name}. Write the attribute in these elements instead.`
      throw findingError({ message, line })
    }
    const value = literal.replace(/&([^;&]+);/g, (whole, entity: string) =>
      predefined.has(entity) || entity.startsWith('#')
        ? decodeReferences(whole)
        : resolve(entity, () => line, []),
    )
    const at = lacking + element.length + 1
    result = `${result.slice(0, at)} ${name}="${escaped(value)}"${result.slice(at)}`
  }
  return result
}

/** Position of the first tag of the element without the attribute; -1 if there is none. */
function findTagWithout(text: string, element: string, attributeName: string): number {
  for (let at = text.indexOf(`<${element}`); at >= 0; at = text.indexOf(`<${element}`, at + 1)) {
    startTag.lastIndex = at
    const [, name, written = ''] = startTag.exec(text) ?? []
    if (name === element && ![...written.matchAll(attribute)].some(([, other]) => other === attributeName))
      return at
  }
  return -1
}
