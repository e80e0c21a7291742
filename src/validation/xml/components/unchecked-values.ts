import { lineAt } from '../../../core/json/source-locations.js'
import type { Finding } from '../../../core/problem.js'
import { readXml, splitName, xmlNamespace } from '../../../core/xml/xml-reader.js'
import { maxFindings } from '../../findings.js'
import type { AttributeDeclaration, SchemaComponents } from './schema-components.js'
import { attributeOf, type SchemaFile, schemaNamespace } from './schema-tree.js'
import { collapse, hasAtomic, isNeverEmpty, type SimpleType } from './simple-types.js'
import { acceptsValue, atomicValues, isSameValue, type Written } from './simple-values.js'
import { visitValues } from './typed-values.js'

/**
 * Checks what the engine does not check:
 * - each reference of the types IDREF and IDREFS refers to an element of the document, and each ID is given once;
 * - IDREFS, ENTITIES and NMTOKENS are not empty;
 * - an attribute has the fixed value that a reference to its declaration gives;
 * - numbers and durations do not end early, such as `1e` and `PT1.S`.
 * @param text of a valid document
 * @see https://www.w3.org/TR/xmlschema-1/#cvc-id, https://www.w3.org/TR/xmlschema-2/#IDREFS,
 *   https://www.w3.org/TR/xmlschema-1/#cvc-au
 */
export function valueFindings(components: SchemaComponents, text: string): readonly Finding[] {
  const ids = new Set<string>()
  const references: Reference[] = []
  const wrong: Wrong[] = []
  let isUnsure = false
  visitValues(components, text, isUnchecked, value => {
    const { type, fixed, scope } = value
    const place = { start: value.start, element: value.element.start, attribute: value.attribute }
    const report = (message: string) => void wrong.push({ place, message })
    if (isFixedByReference(fixed) && isSameValue(type, value, fixedValue(fixed)) === false)
      report(`The value '${value.value}' is not the fixed value '${fixed.fixed}'.`)
    if (endsEarly.test(value.value) && acceptsValue(type, value.value, scope) === false)
      report(`'${value.value}' is not a valid value of its type: a digit is missing.`)
    if (isNeverEmpty(type) && collapse(value.value) === '')
      report('The list has no item, but must have one at least.')
    const atoms = mayIdentify(type) ? atomicValues(type, value.value, scope) : []
    if (!atoms) isUnsure = true
    for (const { type: atomic, value: id } of atoms ?? []) {
      if (atomic.builtin === 'IDREF') references.push({ id, place })
      if (atomic.builtin !== 'ID') continue
      if (ids.has(id)) report(`The ID '${id}' is already the ID of another element.`)
      ids.add(id)
    }
  })
  for (const { id, place } of references) {
    // A value that may be an ID may be the one that is missing.
    if (ids.has(id) || isUnsure) continue
    wrong.push({ place, message: `There is no element with the ID '${id}', to which this value refers.` })
  }
  return located(text, wrong)
}

/**
 * Returns a function that gives the text of a document, if {@link valueFindings} may find something in it. Documents of
 * most schemas are left alone.
 */
export function uncheckedTexts(
  files: readonly SchemaFile[],
  decode: (document: Uint8Array) => string | undefined,
): (document: Uint8Array) => string | undefined {
  const mayHaveIdentifiers = identifierTest(files)
  const signs = files.flatMap(({ text }) => [
    ...(numberOrDuration.test(text) ? [earlyEnd] : []),
    ...fixedReferences(text),
  ])
  return document => {
    const isWanted = mayHaveIdentifiers(document)
    const text = isWanted || signs.length > 0 ? decode(document) : undefined
    return text !== undefined && (isWanted || signs.some(sign => sign.test(text))) ? text : undefined
  }
}

const numberOrDuration = /["':\s](?:float|double|duration)["'\s]/
const earlyEnd = /[\d.][eE][+-]?[\s"'<]|[\d.]\.S|T\.\d/

/** For each reference to an attribute with a fixed value: a sign of that attribute with another value. */
function fixedReferences(schema: string): readonly RegExp[] {
  return fixedDeclarations(schema)
    .filter(({ isReference, local }) => isReference && local === 'attribute')
    .map(({ name, fixed }) => {
      // regexp-time: linear, as the name and the value are literal texts, and white space is followed by neither.
      return new RegExp(`[\\s:]${escapePattern(name)}\\s*=\\s*(["'])(?!${escapePattern(fixed)}\\1)`)
    })
}

interface FixedDeclaration {
  /** `element` or `attribute`. */
  readonly local: string
  readonly isReference: boolean
  /** Local name of what is declared or referred to. */
  readonly name: string
  readonly fixed: string
}

/** The elements and attributes of a schema that have a fixed value. @param schema text of a file */
export function fixedDeclarations(schema: string): readonly FixedDeclaration[] {
  const found: FixedDeclaration[] = []
  if (!schema.includes('fixed')) return found
  readXml(schema, {
    open({ namespace, local, attributes }) {
      if (namespace !== schemaNamespace || (local !== 'attribute' && local !== 'element')) return
      const [ref, name = ref, fixed] = ['ref', 'name', 'fixed'].map(
        wanted => attributes.find(each => each.local === wanted)?.value,
      )
      if (name === undefined || fixed === undefined) return
      found.push({ local, isReference: ref !== undefined, name: splitName(name.trim())[1], fixed })
    },
    close: () => undefined,
  })
  return found
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

const identifierType = /["':\s](?:ID|IDREFS?|ENTITIES|NMTOKENS)["'\s]/
const xmlId = Buffer.from('xml:id')

/** Returns a test whether a document may have identifiers. Most schemas have at most the attribute `xml:id`. */
function identifierTest(parts: readonly SchemaFile[]): (document: Uint8Array) => boolean {
  const having = parts.filter(({ text }) => identifierType.test(text))
  if (having.length === 0) return () => false
  if (!having.every(({ text }) => text.includes(`targetNamespace="${xmlNamespace}"`))) return () => true
  return document =>
    isUtf16(document) ||
    Buffer.from(document.buffer, document.byteOffset, document.byteLength).includes(xmlId)
}

function isUtf16([first, second]: Uint8Array): boolean {
  return first === 0 || second === 0 || (first ?? 0) >= 0xfe
}

interface Place {
  readonly start: number
  /** Position of the start tag. */
  readonly element: number
  readonly attribute: string | undefined
}

interface Reference {
  readonly id: string
  readonly place: Place
}

interface Wrong {
  readonly place: Place
  readonly message: string
}

function isUnchecked(type: SimpleType, declaration: Fixing | undefined): boolean {
  return isFixedByReference(declaration) || mayIdentify(type) || mayEndEarly(type)
}

type Fixing = Partial<Pick<AttributeDeclaration, 'fixed' | 'place'>>

function isFixedByReference(declaration: Fixing | undefined): declaration is Required<Fixing> {
  const { fixed, place } = declaration ?? {}
  return fixed !== undefined && place !== undefined && attributeOf(place.node, 'ref') !== undefined
}

function fixedValue({ fixed, place }: Required<Fixing>): Written {
  return { value: fixed, scope: place.node.scope }
}

const mayIdentify = remembering(type => isNeverEmpty(type) || hasAtomic(type, isIdentifier))
const mayEndEarly = remembering(type => hasAtomic(type, isNumberOrDuration))

function remembering(test: (type: SimpleType) => boolean): (type: SimpleType) => boolean {
  const verdicts = new WeakMap<SimpleType, boolean>()
  return type => {
    let known = verdicts.get(type)
    if (known === undefined) {
      known = test(type)
      verdicts.set(type, known)
    }
    return known
  }
}

/** A number or a duration that libxml2 accepts without its last digits. */
const endsEarly = /[eE][+-]?(?:\s|$)|\.S|T\./

function isNumberOrDuration(builtin: string): boolean {
  return builtin === 'float' || builtin === 'double' || builtin === 'duration'
}

function isIdentifier(builtin: string): boolean {
  return builtin === 'ID' || builtin === 'IDREF'
}

function located(text: string, wrong: readonly Wrong[]): readonly Finding[] {
  const shown = wrong.slice(0, maxFindings)
  const paths =
    shown.length === 0 ? new Map() : pathsOf(text, new Set(shown.map(({ place }) => place.element)))
  return wrong.map(({ place, message }, index) => {
    const name = tagName(text, place.element)
    const attribute = place.attribute?.replace(/^\{.*\}/, '')
    const what = `Element '${name}'${attribute === undefined ? '' : `, attribute '${attribute}'`}: ${message}`
    if (index >= maxFindings) return { message: what }
    const path = `${paths.get(place.element) ?? ''}${attribute === undefined ? '' : `/@${attribute}`}`
    return { message: what, path, line: lineAt(text, place.start) }
  })
}

function tagName(text: string, start: number): string {
  return /^<([^ \t\r\n/>]+)/.exec(text.slice(start, start + 500))?.[1] ?? ''
}

/** Paths such as `/list/item[2]` of the elements whose tags start at the given positions. */
function pathsOf(text: string, starts: ReadonlySet<number>): ReadonlyMap<number, string> {
  const paths = new Map<number, string>()
  const open: { readonly path: string; readonly counts: Map<string, number> }[] = [
    { path: '', counts: new Map() },
  ]
  readXml(text, {
    open({ start }) {
      const parent = open.at(-1)
      const name = tagName(text, start)
      const count = (parent?.counts.get(name) ?? 0) + 1
      parent?.counts.set(name, count)
      const path = `${parent?.path ?? ''}/${name}${open.length > 1 ? `[${count}]` : ''}`
      open.push({ path, counts: new Map() })
      if (starts.has(start)) paths.set(start, path)
    },
    close: () => void open.pop(),
  })
  return paths
}
