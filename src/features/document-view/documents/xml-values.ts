import { readXml } from '../../../core/xml/xml-reader.js'
import type { Declaration, Member } from '../declarations/declaration.js'
import type { XsdDeclarations } from '../declarations/xsd-declarations.js'
import {
  countDrawn,
  type DrawnAmount,
  type DrawnDocument,
  type DrawnMember,
  type DrawnValue,
  drawnMember,
  memberLabel,
} from './drawn-value.js'

/* Reads XML documents for drawing. */

interface Element {
  readonly namespace: string
  readonly local: string
  readonly attributes: readonly {
    readonly namespace: string
    readonly local: string
    readonly value: string
  }[]
  /** Texts and elements in their order. */
  readonly content: (string | Element)[]
}

/**
 * Reads an XML document for drawing.
 * @param schema undefined: the schema is unknown, or cannot be read
 * @returns undefined if the document is not well-formed
 */
export function drawnXml(text: string, schema: XsdDeclarations | undefined): DrawnDocument | undefined {
  const root = readElements(text)
  if (!root) return undefined
  const amount = countDrawn()
  const declaration = schema?.element(root.namespace, root.local)
  const value = drawn(root, declaration, amount, 0)
  return { value: value ?? amount.text(''), isPart: amount.isPart }
}

/** Limit of the levels of elements; deeper ones are left out. */
const maxLevels = 200

function readElements(text: string): Element | undefined {
  let root: Element | undefined
  const open: Element[] = []
  let depth = 0
  const isRead = readXml(text, {
    open({ namespace, local, attributes }) {
      if (++depth > maxLevels) return
      const element = { namespace, local, attributes, content: [] }
      open.at(-1)?.content.push(element)
      root ??= element
      open.push(element)
    },
    text(piece) {
      if (depth <= maxLevels) open.at(-1)?.content.push(piece)
    },
    close() {
      if (depth-- <= maxLevels) open.pop()
    },
  })
  return isRead ? root : undefined
}

const instanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance'

function drawn(
  element: Element,
  declaration: Declaration | undefined,
  amount: DrawnAmount,
  level: number,
): DrawnValue | undefined {
  if (!amount.take(level)) return undefined
  const members = declaration?.members() ?? []
  const attributes = element.attributes.filter(({ namespace }) => namespace !== instanceNamespace)
  const elements = element.content.filter(part => typeof part !== 'string')
  const isMixed =
    elements.length > 0 && element.content.some(part => typeof part === 'string' && part.trim() !== '')
  const isText = isMixed || elements.length === 0
  const text = isText ? amount.text(textOf(element, 0).trim()) : undefined
  if (text && attributes.length === 0) return text
  const listed = attributes.length === 0 ? listOfOneName(elements, members) : undefined
  if (listed)
    return {
      kind: 'list',
      entryLabel: listed.entryLabel,
      entries: drawnEach(elements, listed.declaration, amount, level),
    }
  const drawnMembers: DrawnMember[] = []
  for (const { local, value } of attributes) {
    if (!amount.take(level + 1)) break
    const declared = members.find(({ name, isAttribute }) => isAttribute && name === local)
    const member = drawnMember(local, declared?.declaration, amount.text(value))
    drawnMembers.push(member)
  }
  if (!isText) {
    for (const [local, same] of groupedByName(elements)) {
      const declared = members.find(({ name, isAttribute }) => !isAttribute && name === local)
      const values = drawnEach(same, declared?.declaration, amount, level)
      const [first] = values
      if (!first) break
      const entryLabel = memberLabel(local, declared?.declaration)
      const value: DrawnValue = same.length > 1 ? { kind: 'list', entryLabel, entries: values } : first
      drawnMembers.push(drawnMember(local, declared?.declaration, value))
    }
  }
  return { kind: 'group', members: drawnMembers, text }
}

function drawnEach(
  elements: readonly Element[],
  declaration: Declaration | undefined,
  amount: DrawnAmount,
  level: number,
): readonly DrawnValue[] {
  const values: DrawnValue[] = []
  for (const element of elements) {
    const value = drawn(element, declaration, amount, level + 1)
    if (!value) break
    values.push(value)
  }
  return values
}

/** The member that an element such as `creators` is a list of; undefined if the element is no list. */
function listOfOneName(
  elements: readonly Element[],
  members: readonly Member[],
): { readonly declaration: Declaration | undefined; readonly entryLabel: string } | undefined {
  const [first] = elements
  if (!first || elements.some(({ local }) => local !== first.local)) return undefined
  const [only, ...others] = members
  const isDeclaredList =
    only !== undefined && others.length === 0 && only.name === first.local && only.max > 1
  if (!isDeclaredList && elements.length < 2) return undefined
  const declared = members.find(({ name, isAttribute }) => !isAttribute && name === first.local)
  return { declaration: declared?.declaration, entryLabel: memberLabel(first.local, declared?.declaration) }
}

function groupedByName(elements: readonly Element[]): ReadonlyMap<string, readonly Element[]> {
  const groups = new Map<string, Element[]>()
  for (const element of elements) {
    const same = groups.get(element.local)
    if (same) same.push(element)
    else groups.set(element.local, [element])
  }
  return groups
}

/** Elements that end a line. */
const lineBreaks = new Set(['br', 'lb', 'break'])

/** The text of an element with that of the elements inside. */
function textOf({ local, content }: Element, level: number): string {
  if (lineBreaks.has(local)) return '\u2028'
  if (level > maxLevels) return ''
  return content.map(part => (typeof part === 'string' ? part : textOf(part, level + 1))).join('')
}
