import type { Scope } from '../../../core/xml/xml-reader.js'
import { isSameValue, isTemporal, valueKey } from './atomic-values.js'
import type { SchemaComponents } from './schema-components.js'
import { collapse, normalize, primitiveOf, type SimpleType } from './simple-types.js'
import { type DocumentValue, visitValues } from './typed-values.js'

/** Findings of libxml2 that may be wrong: see {@link correctedDocument}. */
export const doubtfulFinding =
  /is not a valid value of|fixed value constraint|\[facet 'enumeration'\]|XMLSchema-instance\}(?:type|nil)'/

/**
 * Writes values of a document in another form of the same value, where libxml2 takes a valid value for invalid:
 * - a date, time or duration with white space around it is written without;
 * - a value that equals a fixed or an enumerated value is written as the schema writes it;
 * - a URI reference with an authority that is no host is written without.
 *
 * Lines stay the same: line breaks move into tags.
 * @returns undefined if nothing is to be written differently
 */
export function correctedDocument(components: SchemaComponents, text: string): string | undefined {
  const edits: Edit[] = []
  visitValues(components, text, isEach, value => {
    if (value.isDefault) return
    const { fixed } = value
    const wanted =
      fixed?.fixed !== undefined && isSame(value, { value: fixed.fixed, scope: fixed.place.node.scope })
        ? { value: schemaForm(value.type, fixed.fixed), scope: fixed.place.node.scope }
        : correctedValue(value)
    if (wanted && wanted.value !== value.value && canBeWritten(value, wanted))
      edits.push(...editsFor(value, wanted, text))
  })
  return edits.length === 0 ? undefined : applyEdits(text, edits)
}

const isEach = () => true

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = ''
  let offset = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(offset, edit.start) + edit.text
    offset = edit.end
  }
  return result + text.slice(offset)
}

interface Written {
  readonly value: string
  readonly scope: Scope
}

function isSame(value: DocumentValue, other: Written): boolean {
  return isSameValue(value.type, value, other)
}

/** A fixed or enumerated value as the corrected schema writes it. */
export function schemaForm(type: SimpleType, value: string): string {
  return type.variety === 'atomic' && isTemporal(primitiveOf(type.builtin)) ? collapse(value) : value
}

function correctedValue(value: DocumentValue): Written | undefined {
  const { type, scope } = value
  if (type.variety !== 'atomic') return undefined
  const primitive = primitiveOf(type.builtin)
  if (primitive === 'anyURI') {
    return type.facets.length === 0 ? { value: escapedUri(value.value), scope } : undefined
  }
  if (primitive === 'QName') return { value: collapse(value.value), scope }
  if (!isTemporal(primitive)) return undefined
  const normal = temporalForm(primitive, collapse(value.value))
  const key = valueKey(type.builtin, normal, scope)
  const isPatterned = type.facets.some(({ name }) => name === 'pattern')
  const listed = isPatterned
    ? undefined
    : type.facets.findLast(
        facet =>
          facet.name === 'enumeration' &&
          valueKey(type.builtin, normalize(facet.value, type.whiteSpace), facet.scope) === key,
      )
  return { value: listed && key !== undefined ? schemaForm(type, listed.value) : normal, scope }
}

/** The first edition of the recommendation had `--05--` for a month. */
function temporalForm(primitive: string, value: string): string {
  return primitive === 'gMonth' ? value.replace(/^(--\d\d)--/, '$1') : value
}

/** A reference to an authority that is no host with a port, such as `http://a:b:c/`, which libxml2 refuses. */
const withAuthority = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#[\]]*(?:[/?][^#]*)?(?:#[^#]*)?$/

/** Different texts stay different. @see RFC 2396 §3.2.1 */
function escapedUri(value: string): string {
  const normal = collapse(value)
  const isReference = withAuthority.test(normal) && !/%(?![0-9a-fA-F]{2})/.test(normal)
  return isReference ? `u/${encodeURIComponent(normal)}` : value
}

function editsFor(value: DocumentValue, wanted: Written, text: string): readonly Edit[] {
  const breaks = text.slice(value.start, value.end).replace(/[^\n]/g, '')
  if (value.attribute !== undefined) {
    // The line breaks move behind the closing quote.
    return [
      {
        start: value.start,
        end: value.end + 1,
        text: `${escapeText(wanted.value)}${text.charAt(value.end)}${breaks}`,
      },
    ]
  }
  const endOfTag = (value.endTag?.[1] ?? value.end) - 1
  const content = { start: value.start, end: value.end, text: escapeText(wanted.value) }
  const moved = { start: endOfTag, end: endOfTag, text: breaks }
  return [...declarationEdits(value, wanted), content, ...(breaks === '' ? [] : [moved])]
}

/** The declaration that a qualified name from the schema needs in the element; undefined if it needs none. */
function neededDeclaration({ type, scope }: DocumentValue, wanted: Written) {
  const primitive = primitiveOf(type.builtin)
  if ((primitive !== 'QName' && primitive !== 'NOTATION') || wanted.scope === scope) return undefined
  const prefix = /^\s*([^:\s]+):/.exec(wanted.value)?.[1] ?? ''
  const namespace = wanted.scope.get(prefix) ?? ''
  return scope.get(prefix) === namespace ? undefined : { prefix, namespace }
}

/** False if the element declares the needed prefix for another namespace. */
function canBeWritten(value: DocumentValue, wanted: Written): boolean {
  const needed = neededDeclaration(value, wanted)
  return !needed || value.element.declarations.length === 0 || !value.scope.has(needed.prefix)
}

function declarationEdits(value: DocumentValue, wanted: Written): readonly Edit[] {
  const needed = neededDeclaration(value, wanted)
  if (!needed) return []
  const { prefix, namespace } = needed
  const at = value.element.end - 1
  const name = prefix === '' ? 'xmlns' : `xmlns:${prefix}`
  return [{ start: at, end: at, text: ` ${name}="${escapeText(namespace)}"` }]
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
