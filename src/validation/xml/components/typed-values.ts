import { readXml, type Scope, type XmlElement } from '../../../core/xml/xml-reader.js'
import {
  type AttributeDeclaration,
  anyType,
  type ComplexType,
  type ElementDeclaration,
  type SchemaComponents,
  type Type,
} from './schema-components.js'
import type { Place } from './schema-files.js'
import { expanded, resolveName } from './schema-tree.js'
import { anySimpleType, builtinType, type SimpleType } from './simple-types.js'

/** A value of a simple type in a document. */
export interface DocumentValue {
  readonly type: SimpleType
  /** The text of the element, or the value of the attribute. White space is not normalized. */
  readonly value: string
  /** The value is not in the document. */
  readonly isDefault: boolean
  readonly fixed: ElementDeclaration | AttributeDeclaration | undefined
  /** The range of the value in the text. It is that of the start tag if the value is a default. */
  readonly start: number
  readonly end: number
  /** The element with the value. */
  readonly element: XmlElement
  /** Name of the attribute; undefined for the text of an element. */
  readonly attribute?: string
  readonly scope: Scope
  /** The range of the end tag, for the text of an element. */
  readonly endTag?: readonly [start: number, end: number]
}

const instanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance'

interface Open {
  readonly element: XmlElement
  /** Undefined below a wildcard that skips. */
  readonly type: Type | undefined
  readonly declaration: ElementDeclaration | undefined
  readonly parent: Open | undefined
  readonly isNil: boolean
  text: string
}

/** Whether a value is wanted, by its type and the declaration that may have a fixed value. */
export type Wanted = (
  type: SimpleType,
  declaration: { readonly fixed?: string; readonly place?: Place } | undefined,
) => boolean

/**
 * Visits the wanted values of simple types in a document that is valid, or nearly so. Types are found by the names of the
 * elements: in one content model, elements of one name have one type.
 * @see https://www.w3.org/TR/xmlschema-1/#cos-element-consistent
 */
export function visitValues(
  components: SchemaComponents,
  text: string,
  wants: Wanted,
  visit: (value: DocumentValue) => void,
): void {
  let current: Open | undefined
  readXml(text, {
    open(element) {
      const declaration = declarationOf(components, element, current)
      const type = declaration === 'skipped' ? undefined : typeOf(components, element, declaration)
      const isNil = ['true', '1'].includes(instanceAttribute(element, 'nil')?.trim() ?? '')
      current = {
        element,
        type,
        declaration: declaration === 'skipped' ? undefined : declaration,
        parent: current,
        isNil,
        text: '',
      }
      visitAttributes(components, type?.kind === 'complex' ? type : noAttributes, element, wants, visit)
    },
    text(piece) {
      if (current) current.text += piece
    },
    close(start, end) {
      if (!current) return
      const { element, type, declaration, parent, isNil, text: value } = current
      const simple = type?.kind === 'complex' ? type.content : type
      if (simple && !isNil && wants(simple, declaration)) {
        const given = value === '' ? (declaration?.fixed ?? declaration?.default ?? value) : value
        visit({
          type: simple,
          value: given,
          isDefault: value === '',
          fixed: declaration?.fixed === undefined ? undefined : declaration,
          start: element.end,
          end: start,
          element,
          scope: value === '' && given !== '' && declaration ? declaration.place.node.scope : element.scope,
          endTag: [start, end],
        })
      }
      current = parent
    },
  })
}

/** Stands for simple types and for what a wildcard skips. */
const noAttributes: ComplexType = { ...anyType, wildcards: [], attributeWildcards: [] }

function declarationOf(
  components: SchemaComponents,
  { namespace, local }: XmlElement,
  parent: Open | undefined,
): ElementDeclaration | 'skipped' | undefined {
  const name = expanded(namespace, local)
  if (parent && !parent.type) return 'skipped'
  const type = parent?.type?.kind === 'complex' ? parent.type : undefined
  const own = type?.elements.get(name)
  if (own) return own
  const global = components.element(name)
  if (!parent) return global
  if (global && components.headsOf(name).some(head => type?.elements.get(head)?.isGlobal)) return global
  const wildcard = type?.wildcards.find(({ accepts }) => accepts(namespace))
  return wildcard?.process === 'skip' ? 'skipped' : global
}

function typeOf(
  components: SchemaComponents,
  element: XmlElement,
  declaration: ElementDeclaration | undefined,
): Type {
  const named = instanceAttribute(element, 'type')
  if (named !== undefined) {
    const [namespace, local] = resolveName(named.trim(), element.scope)
    const type = components.type(expanded(namespace ?? '', local))
    if (type) return type
  }
  return declaration?.type() ?? anyType
}

function instanceAttribute({ attributes }: XmlElement, local: string): string | undefined {
  return attributes.find(each => each.namespace === instanceNamespace && each.local === local)?.value
}

function visitAttributes(
  components: SchemaComponents,
  type: ComplexType,
  element: XmlElement,
  wants: Wanted,
  visit: (value: DocumentValue) => void,
): void {
  for (const { namespace, local, value, start, end } of element.attributes) {
    const name = expanded(namespace, local)
    if (namespace === instanceNamespace && local !== 'type') continue
    const declaration =
      namespace === instanceNamespace
        ? instanceType
        : (type.attributes.get(name) ?? globalAttribute(components, type, namespace, name))
    const simple = declaration?.type()
    if (!declaration || !simple || !wants(simple, declaration)) continue
    const fixed = declaration.fixed === undefined ? undefined : (declaration as AttributeDeclaration)
    // No spread: it takes most of the time of this function.
    visit({
      type: simple,
      value,
      isDefault: false,
      fixed,
      start,
      end,
      element,
      attribute: name,
      scope: element.scope,
    })
  }
  for (const [name, declaration] of type.attributes) {
    const value = declaration.fixed ?? declaration.default
    if (value === undefined || !wants(declaration.type(), declaration)) continue
    if (element.attributes.some(({ namespace, local }) => expanded(namespace, local) === name)) continue
    visit({
      type: declaration.type(),
      value,
      isDefault: true,
      fixed: undefined,
      start: element.start,
      end: element.end,
      element,
      attribute: name,
      scope: declaration.place.node.scope,
    })
  }
}

/** The attribute `xsi:type`. */
const instanceType: Pick<AttributeDeclaration, 'type'> & { readonly fixed?: never } = {
  type: () => builtinType('QName') ?? anySimpleType,
}

function globalAttribute(
  components: SchemaComponents,
  type: ComplexType,
  namespace: string,
  name: string,
): AttributeDeclaration | undefined {
  const wildcard = type.attributeWildcards.find(({ accepts }) => accepts(namespace))
  return wildcard && wildcard.process !== 'skip' ? components.attribute(name) : undefined
}
