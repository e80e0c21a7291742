import { applyEdits, type Edit, isTemporalType } from './corrected-document.js'
import { readPattern, withoutComplements, withWholeCategories } from './pattern-syntax.js'
import type { SchemaComponents } from './schema-components.js'
import type { Place, Schema } from './schema-files.js'
import { attributeOf, type SchemaFile, type SchemaNode } from './schema-tree.js'
import { collapse } from './simple-types.js'

const names = ['type', 'base', 'ref', 'itemType', 'substitutionGroup', 'refer']
/** Signs of what is corrected; the corrections themselves read the schema. */
const signs = [
  /(?:max|min)Occurs\s*=\s*["']\s*(?:[+-]|0+\s*["']|\d{9,}\s*["'])/,
  /(?:default|fixed|type|base|ref|itemType|substitutionGroup|refer)\s*=\s*(?:"\s|'\s|"[^"<]*\s"|'[^'<]*\s')/,
  /xpath\s*=\s*["'][^"'<]*::/,
  /\\P\{|\\p\{[LC]o?\}|-\]|-\[\^|-\[[^\][]*-\[|\\(?:[sSiIcCdDwW]|[pP]\{[^{}]*\})-[^\][]/,
]

/** Whether {@link correctedSchema} has work to do. Reading the components of each schema would cost time. */
export function mayNeedCorrection(files: readonly SchemaFile[]): boolean {
  return files.some(({ text }) => signs.some(sign => sign.test(text)))
}

/**
 * Writes parts of a schema in another form of the same meaning, where libxml2 understands something else:
 * - a particle that may not occur is left out: libxml2 permits it once;
 * - a number of occurrences that libxml2 cannot count is unbounded, and none has a sign;
 * - the default of a date, time or duration, and each qualified name, is written without white space around it;
 * - a set of characters of a pattern has and subtracts no complement, and categories are whole;
 * - paths of identity constraints are abbreviated.
 *
 * Lines stay the same.
 * @see https://www.w3.org/TR/xmlschema-1/#declare-element, which says that such a particle is no component
 */
export function correctedSchema<F extends SchemaFile>(
  files: readonly F[],
  components: SchemaComponents,
): readonly F[] {
  return files.map(file => {
    const schema = components.schemas.find(other => other.file === file)
    if (!schema) return file
    const edits: Edit[] = []
    collectEdits(schema, schema.root, components, edits)
    return edits.length === 0 ? file : { ...file, text: applyEdits(file.text, edits) }
  })
}

function collectEdits(schema: Schema, node: SchemaNode, components: SchemaComponents, edits: Edit[]): void {
  const { text } = schema.file
  const gone = node.children.filter(isForbidden)
  for (const child of node.children) {
    if (!gone.includes(child)) {
      collectEdits(schema, child, components, edits)
      continue
    }
    const isLastOfChoice =
      node.local === 'choice' && child === gone.at(-1) && gone.length === node.children.length
    const blank = text.slice(child.start, child.end).replace(/[^\n]/g, ' ')
    const instead = isLastOfChoice ? `${noElement(node, text)}${blank}` : blank
    edits.push({ start: child.start, end: child.end, text: instead })
  }
  for (const [name, value] of correctedAttributes({ node, schema }, components)) {
    const given = node.attributes.get(name)
    if (!given || given.value === value) continue
    const { start, end } = given
    const breaks = text.slice(start, end).replace(/[^\n]/g, '')
    edits.push({ start, end: end + 1, text: `${value}${text.charAt(end)}${breaks}` })
  }
}

/** Not `all`, which occurs once by definition: the engine refuses another number. */
const particles = new Set(['element', 'any', 'group', 'sequence', 'choice'])

export function isForbidden(node: SchemaNode): boolean {
  const isZero = (attribute: string) => /^[+-]?0+$/.test(attributeOf(node, attribute) ?? '')
  return particles.has(node.local) && isZero('maxOccurs') && isZero('minOccurs')
}

/** Name of an element that no document can have. */
export const noElementName = 'nothing-is-permitted'

/** A particle that no element matches: a choice without particles accepts nothing, which libxml2 does not know. */
function noElement(choice: SchemaNode, text: string): string {
  const name = /^<([^ \t\r\n/>]+)/.exec(text.slice(choice.start, choice.tagEnd))?.[1] ?? 'choice'
  const prefix = name.slice(0, -'choice'.length)
  const restriction = (base: string, value: string) =>
    `<${prefix}simpleType><${prefix}restriction${base}<${prefix}pattern value="${value}"/></${prefix}restriction></${prefix}simpleType>`
  const type = restriction(`>${restriction(` base="${prefix}string">`, 'a')}`, 'b')
  return `<${prefix}element name="${noElementName}" form="unqualified">${type}</${prefix}element>`
}

/** The attributes of an element with values that mean the same to libxml2 as to the recommendation. */
function correctedAttributes(
  place: Place,
  components: SchemaComponents,
): readonly (readonly [string, string])[] {
  const { attributes, local } = place.node
  const corrected = names.map(name => [name, attributeOf(place.node, name) ?? ''] as const)
  for (const name of ['minOccurs', 'maxOccurs']) {
    const digits = (attributeOf(place.node, name) ?? '').replace(/^\+(?=\d)|^-(?=0+$)/, '')
    corrected.push([name, name === 'maxOccurs' && /^\d{9,}$/.test(digits) ? 'unbounded' : digits])
  }
  if (local === 'selector' || local === 'field') {
    const path = attributeOf(place.node, 'xpath') ?? ''
    corrected.push(['xpath', path.replace(/child\s*::\s*/g, '').replace(/attribute\s*::\s*/g, '@')])
  }
  if (local === 'pattern') {
    const pattern = attributes.get('value')?.value ?? ''
    const written = correctedPattern(pattern)
    if (written !== pattern)
      corrected.push(['value', written.replace(/[&<"']/g, each => `&#${each.charCodeAt(0)};`)])
  }
  for (const name of ['default', 'fixed']) {
    const value = attributes.get(name)?.value ?? ''
    if (value === collapse(value)) continue
    const type = typeOf(place, components)
    if (type && isTemporalType(type)) corrected.push([name, collapse(value)])
  }
  return corrected
}

function correctedPattern(pattern: string): string {
  const { fault, text } = readPattern(pattern)
  return fault === undefined ? withWholeCategories(withoutComplements(text)) : text
}

/** The patterns that are written in another form, by that form. */
export function writtenPatterns({ schemas }: SchemaComponents): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const visit = (node: SchemaNode) => {
    const pattern = node.local === 'pattern' ? (node.attributes.get('value')?.value ?? '') : ''
    const corrected = correctedPattern(pattern)
    if (corrected !== pattern) found.set(corrected, pattern)
    node.children.forEach(visit)
  }
  for (const { root } of schemas) visit(root)
  return found
}

function typeOf(place: Place, components: SchemaComponents) {
  const type = components.typeAt(place)
  return type.kind === 'complex' ? type.content : type
}
