import { isTemporal } from './atomic-values.js'
import { applyEdits, type Edit } from './corrected-document.js'
import type { SchemaComponents } from './schema-components.js'
import type { Place, Schema } from './schema-files.js'
import { attributeOf, type SchemaFile, type SchemaNode } from './schema-tree.js'
import { collapse, primitiveOf } from './simple-types.js'

const forbidding = /maxOccurs\s*=\s*["']\s*0+\s*["']/
const spaced = /(?:default|fixed)\s*=\s*(?:"(?:\s|[^"<]*\s")|'(?:\s|[^'<]*\s'))/

/** Whether {@link correctedSchema} has work to do. Reading the components of each schema would cost time. */
export function mayNeedCorrection(files: readonly SchemaFile[]): boolean {
  return files.some(({ text }) => forbidding.test(text) || spaced.test(text))
}

/**
 * Writes parts of a schema in another form of the same meaning, where libxml2 understands something else:
 * - a particle that may not occur is left out: libxml2 permits it once;
 * - the default of a date, time or duration is written without white space around it.
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
  if (node.local === 'element' || node.local === 'attribute') {
    edits.push(...constraintEdits({ node, schema }, components))
  }
}

const particles = new Set(['element', 'any', 'group', 'sequence', 'choice', 'all'])

function isForbidden(node: SchemaNode): boolean {
  const isZero = (attribute: string) => /^0+$/.test(attributeOf(node, attribute) ?? '')
  return particles.has(node.local) && isZero('maxOccurs') && isZero('minOccurs')
}

/** A particle that no element matches: a choice without particles accepts nothing, which libxml2 does not know. */
function noElement(choice: SchemaNode, text: string): string {
  const name = /^<([^ \t\r\n/>]+)/.exec(text.slice(choice.start, choice.tagEnd))?.[1] ?? 'choice'
  const prefix = name.slice(0, -'choice'.length)
  const restriction = (base: string, value: string) =>
    `<${prefix}simpleType><${prefix}restriction${base}<${prefix}pattern value="${value}"/></${prefix}restriction></${prefix}simpleType>`
  const type = restriction(`>${restriction(` base="${prefix}string">`, 'a')}`, 'b')
  return `<${prefix}element name="nothing-is-permitted" form="unqualified">${type}</${prefix}element>`
}

function constraintEdits(place: Place, components: SchemaComponents): readonly Edit[] {
  const { node, schema } = place
  const edits: Edit[] = []
  for (const name of ['default', 'fixed']) {
    const given = node.attributes.get(name)
    if (!given || given.value === collapse(given.value)) continue
    const type = typeOf(place, components)
    if (type?.variety !== 'atomic' || !isTemporal(primitiveOf(type.builtin))) continue
    const { start, end } = given
    const { text } = schema.file
    const breaks = text.slice(start, end).replace(/[^\n]/g, '')
    edits.push({ start, end: end + 1, text: `${collapse(given.value)}${text.charAt(end)}${breaks}` })
  }
  return edits
}

function typeOf(place: Place, components: SchemaComponents) {
  const type = components.typeAt(place)
  return type.kind === 'complex' ? type.content : type
}
