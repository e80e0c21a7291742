import { lineAt } from '../../../core/json/source-locations.js'
import type { Finding } from '../../../core/problem.js'
import { readXml } from '../../../core/xml/xml-reader.js'
import { maxFindings } from '../../findings.js'
import { atomicValues } from './atomic-values.js'
import type { SchemaComponents } from './schema-components.js'
import { collapse, hasAtomic, isNeverEmpty, type SimpleType } from './simple-types.js'
import { visitValues } from './typed-values.js'

/**
 * Checks what the engine does not check: that each reference of the types IDREF and IDREFS refers to an element of the
 * document, that each ID is given once, and that IDREFS, ENTITIES and NMTOKENS are not empty.
 * @param text of a valid document
 * @see https://www.w3.org/TR/xmlschema-1/#cvc-id, https://www.w3.org/TR/xmlschema-2/#IDREFS
 */
export function identifierFindings(components: SchemaComponents, text: string): readonly Finding[] {
  const ids = new Set<string>()
  const references: Reference[] = []
  const wrong: Wrong[] = []
  let isUnsure = false
  visitValues(components, text, mayIdentify, value => {
    const place = { start: value.start, element: value.element.start, attribute: value.attribute }
    if (isNeverEmpty(value.type) && collapse(value.value) === '')
      wrong.push({ place, message: 'The list has no item, but must have one at least.' })
    const atoms = atomicValues(value.type, value.value, value.scope)
    if (!atoms) isUnsure = true
    for (const { type, value: id } of atoms ?? []) {
      if (type.builtin === 'IDREF') references.push({ id, place })
      if (type.builtin !== 'ID') continue
      if (ids.has(id)) wrong.push({ place, message: `The ID '${id}' is already the ID of another element.` })
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

const identifying = new WeakMap<SimpleType, boolean>()

function mayIdentify(type: SimpleType): boolean {
  let known = identifying.get(type)
  if (known === undefined) {
    known = isNeverEmpty(type) || hasAtomic(type, isIdentifier)
    identifying.set(type, known)
  }
  return known
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
