import type { Finding } from '../../../core/problem.js'
import { isTemporal } from './atomic-values.js'
import type { SchemaComponents } from './schema-components.js'
import type { SchemaFile } from './schema-tree.js'
import { collapse, primitiveOf, type SimpleType } from './simple-types.js'
import { acceptsValue, enumeratedValue, isSameValue, memberFor, type Written } from './simple-values.js'
import { type DocumentValue, visitValues } from './typed-values.js'
import { escapePattern, fixedDeclarations } from './unchecked-values.js'

/** Findings of libxml2 that may be wrong: see {@link correctedDocument}. */
export const doubtfulFinding =
  /is not a valid value of|fixed value constraint|\[facet 'enumeration'\]|XMLSchema-instance\}(?:type|nil)'/

export interface CorrectedDocument {
  readonly text: string
  /** Whether a finding about the text is wrong. */
  isWrong(finding: Finding): boolean
}

/**
 * Writes values of a document in another form of the same value, where libxml2 takes a valid value for invalid:
 * - a date, time, duration or number with white space around it is written without;
 * - a value that equals a fixed or an enumerated value is written as the schema writes it;
 * - a URI reference with an authority that is no host is written without.
 *
 * A fixed value that the type of the document does not accept in its form cannot be written: the finding is wrong.
 * Lines stay the same: line breaks move into tags.
 */
export function correctedDocument(components: SchemaComponents, text: string): CorrectedDocument {
  const edits: Edit[] = []
  const wrong = new Set<string>()
  const lineOf = lineCounter(text)
  visitValues(components, text, isEach, value => {
    if (value.isDefault) return
    const fixed = fixedForm(value)
    if (fixed && acceptsValue(value.type, fixed.value, fixed.scope) === false) {
      wrong.add(`${lineOf(value.element.end)} ${quoted(value.value)} ${quoted(fixed.value)}`)
      return
    }
    const wanted = fixed ?? acceptedForm(value.type, value)
    // In an element without text the engine would look for a default.
    const isSameText = wanted.value === value.value || (wanted.value === '' && !fixed)
    if (!isSameText && canBeWritten(value, wanted)) edits.push(...editsFor(value, wanted, text))
  })
  return {
    text: edits.length === 0 ? text : applyEdits(text, edits),
    isWrong({ line, message }) {
      const [, actual, wanted] =
        /The actual value '([^']*)' does not match the fixed value constraint '([^']*)'/.exec(message) ?? []
      return wrong.has(`${line} ${quoted(actual)} ${quoted(wanted)}`)
    },
  }
}

const paddedTypes =
  /(?:date|dateTime|time|duration|gYear|gYearMonth|gMonthDay|gMonth|gDay|float|double)["'\s]/
const paddedValue = /[>"'][ \t\r\n]+[-+\dPTI]|[\dZSDFYM][ \t\r\n]+[<"']/g
/** For each error, libxml2 passes over all siblings before: 50,000 errors take many seconds. */
const manyErrors = 5000
/** A smaller document has fewer errors. */
const manyBytes = 10 * manyErrors

/** Matches the elements and attributes that have a fixed value; undefined if there are none. */
function fixedNames(files: readonly SchemaFile[]): RegExp | undefined {
  const names = new Set(files.flatMap(({ text }) => fixedDeclarations(text).map(({ name }) => name)))
  if (names.size === 0) return undefined
  // regexp-time: linear, because it is an alternative of literal texts.
  return new RegExp(`[\\s<:](?:${[...names].map(escapePattern).join('|')})[\\s=>]`, 'g')
}

/**
 * Returns a function that gives the text of a document in which libxml2 may take very many values for invalid, because of
 * white space around them or because they are a fixed value in another form: it should be corrected before the engine
 * gets it. Undefined for other documents.
 */
export function textsWithManyErrors(
  files: readonly SchemaFile[],
  decode: (document: Uint8Array) => string | undefined,
): (document: Uint8Array) => string | undefined {
  const padded = files.some(({ text }) => paddedTypes.test(text)) ? paddedValue : undefined
  const doubtful = [padded, fixedNames(files)].filter(pattern => pattern !== undefined)
  return document => {
    const isWanted = doubtful.length > 0 && document.byteLength >= manyBytes
    const text = isWanted ? decode(document) : undefined
    for (const pattern of doubtful) {
      let count = 0
      for (const _ of text?.matchAll(pattern) ?? []) if (++count === manyErrors) return text
    }
    return undefined
  }
}

const isEach = () => true

function quoted(value: string | undefined): string {
  return `'${collapse(value ?? '')}'`
}

/** Returns a function that gives the lines of positions, in ascending order. */
function lineCounter(text: string): (position: number) => number {
  let line = 1
  let next = text.indexOf('\n')
  return position => {
    for (; next >= 0 && next < position; next = text.indexOf('\n', next + 1)) line++
    return line
  }
}

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

/** The fixed value as the corrected schema writes it; undefined if the value is another. */
function fixedForm(value: DocumentValue): Written | undefined {
  const { type, fixed } = value
  if (fixed?.fixed === undefined) return undefined
  const written = { value: fixed.fixed, scope: fixed.place.node.scope }
  const declared = fixed.type()
  const fixedType = declared.kind === 'complex' ? declared.content : declared
  return isSameValue(type, value, written, fixedType) ? inSchemaForm(type, written) : undefined
}

/** A fixed or enumerated value as the corrected schema writes it. */
function inSchemaForm(type: SimpleType, { value, scope }: Written): Written {
  return { value: isTemporalType(type) ? collapse(value) : value, scope }
}

export function isTemporalType({ variety, builtin }: SimpleType): boolean {
  return variety === 'atomic' && isTemporal(primitiveOf(builtin))
}

/** The form in which libxml2 accepts a value, if it accepts the value in any. */
function acceptedForm(type: SimpleType, written: Written): Written {
  const { value, scope } = written
  const hasPattern = type.facets.some(({ name }) => name === 'pattern')
  const mayBeListed = !hasPattern && (type.variety !== 'atomic' || isTemporalType(type))
  const listed = mayBeListed ? enumeratedValue(type, written) : undefined
  if (listed) return inSchemaForm(type, listed)
  const { item } = type
  if (item) {
    const items = collapse(value).split(' ')
    return { value: items.map(each => acceptedForm(item, { value: each, scope }).value).join(' '), scope }
  }
  if (type.members) {
    const member = memberFor(type, value, scope)
    return member ? acceptedForm(member, written) : written
  }
  const primitive = primitiveOf(type.builtin)
  if (primitive === 'anyURI') return type.facets.length === 0 ? { value: escapedUri(value), scope } : written
  // The first edition of the recommendation had `--05--` for a month.
  if (primitive === 'gMonth') return { value: collapse(value).replace(/^(--\d\d)--/, '$1'), scope }
  const isNumber = primitive === 'float' || primitive === 'double'
  return isNumber || primitive === 'QName' || isTemporalType(type)
    ? { value: collapse(value), scope }
    : written
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
