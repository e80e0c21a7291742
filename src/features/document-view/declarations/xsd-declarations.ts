import type { SchemaBundle } from '../../../validation/validator.js'
import { attributeOf, resolveName, schemaNamespace } from '../../../validation/xml/components/schema-tree.js'
import { countOf, type Declaration, type Member, shortText } from './declaration.js'
import { readXsdComponents, type XsdComponents, type XsdPlace } from './xsd-files.js'

/* Reads XML Schema as declarations of elements and attributes. */

export interface XsdDeclarations {
  /** The elements that a document may begin with. */
  readonly elements: readonly Member[]
  element(namespace: string, local: string): Declaration | undefined
}

export function readXsdDeclarations(bundle: SchemaBundle): XsdDeclarations {
  const components = readXsdComponents(bundle)
  return {
    elements: components.elements.map(place => ({
      name: attributeOf(place.node, 'name') ?? '',
      ...{ isAttribute: false, min: 0, max: 1 },
      declaration: new Component(place, components),
    })),
    element(namespace, local) {
      const place = components.element(namespace, local)
      return place && new Component(place, components)
    },
  }
}

/** Limits of the members of one element, and of types that are derived from each other and groups in groups. */
const most = { members: 1000, depth: 30 }

/** An element, an attribute, or a type. */
class Component implements Declaration {
  /** The element itself, if `ref` names it. */
  private readonly place: XsdPlace
  private read: readonly Member[] | undefined

  constructor(
    place: XsdPlace,
    private readonly components: XsdComponents,
  ) {
    const { local } = place.node
    const ref = attributeOf(place.node, 'ref')
    const kind = local === 'attribute' ? 'attribute' : 'element'
    this.place = (ref !== undefined && components.find(kind, ref, place)) || place
  }

  readonly title = undefined
  readonly format = undefined
  readonly examples: readonly string[] = []

  get key(): unknown {
    return this.complexType()?.node ?? this.place.node
  }

  get description(): string | undefined {
    const type = this.typePlace()
    const own = documentationOf(this.place)
    return own ?? (type && documentationOf(type))
  }

  get type(): string {
    if (this.place.node.local !== 'attribute' && this.members().some(({ isAttribute }) => !isAttribute))
      return 'group'
    const simple = this.simpleTypes()
    return simple.builtin === undefined
      ? simple.enumeration.length > 0
        ? 'one of a list'
        : 'text'
      : (typeNames.get(simple.builtin) ?? simple.builtin)
  }

  get enumeration(): readonly string[] {
    const fixed = attributeOf(this.place.node, 'fixed')
    return fixed === undefined ? this.simpleTypes().enumeration : [fixed]
  }

  get rules(): readonly string[] {
    const usual = attributeOf(this.place.node, 'default')
    return [...this.simpleTypes().rules, ...(usual === undefined ? [] : [`default ${shortText(usual)}`])]
  }

  members(): readonly Member[] {
    if (this.read) return this.read
    const type = this.complexType()
    const found = new Map<string, Member>()
    if (type) this.addMembers(type, { min: 1, max: 1 }, found, 0)
    this.read = [...found.values()]
    return this.read
  }
  entry(): undefined {
    return undefined
  }
  alternatives(): readonly Declaration[] {
    return []
  }
  further(): undefined {
    return undefined
  }

  /** The type definition: in the element, or the named one. */
  private typePlace(): XsdPlace | undefined {
    const { node, file } = this.place
    if (node.local === 'complexType' || node.local === 'simpleType') return this.place
    const inner = node.children.find(({ local }) => local === 'complexType' || local === 'simpleType')
    if (inner) return { node: inner, file }
    const name = attributeOf(node, 'type')
    return name === undefined ? undefined : this.components.find('type', name, this.place)
  }

  private complexType(): XsdPlace | undefined {
    const type = this.typePlace()
    return type?.node.local === 'complexType' ? type : undefined
  }

  /** Adds the attributes and elements of a part of a type. @param times how often the part may occur */
  private addMembers(
    { node, file }: XsdPlace,
    times: { readonly min: number; readonly max: number },
    found: Map<string, Member>,
    depth: number,
  ): void {
    if (depth > most.depth || !this.components.step()) return
    const follow = (place: XsdPlace | undefined, often = times) =>
      place && this.addMembers(place, often, found, depth + 1)
    for (const child of node.children) {
      const place = { node: child, file }
      if (child.local === 'attribute')
        this.addMember(place, { min: attributeOf(child, 'use') === 'required' ? 1 : 0, max: 1 }, found)
      else if (child.local === 'element') {
        const often = multiplied(times, occurrence(place))
        const isChoice = node.local === 'choice' && node.children.length > 1
        this.addMember(place, isChoice ? { ...often, min: 0 } : often, found)
      } else if (child.local === 'extension' || child.local === 'restriction') {
        const base = attributeOf(child, 'base')
        const baseType = base === undefined ? undefined : this.components.find('type', base, place)
        if (baseType?.node.local === 'complexType') follow(baseType)
        follow(place)
      } else if (child.local === 'group' || child.local === 'attributeGroup') {
        const ref = attributeOf(child, 'ref')
        follow(
          ref === undefined ? place : this.components.find(child.local, ref, place),
          multiplied(times, occurrence(place)),
        )
      } else if (parts.has(child.local)) {
        const often = multiplied(times, occurrence(place))
        follow(place, node.local === 'choice' && node.children.length > 1 ? { ...often, min: 0 } : often)
      }
    }
  }

  private addMember(
    place: XsdPlace,
    { min, max }: { readonly min: number; readonly max: number },
    found: Map<string, Member>,
  ): void {
    const isAttribute = place.node.local === 'attribute'
    if (attributeOf(place.node, 'use') === 'prohibited' || found.size >= most.members) return
    const declaration = new Component(place, this.components)
    const substitutes = isAttribute ? [] : this.components.substitutes(declaration.place)
    for (const each of [declaration.place, ...substitutes]) {
      if (attributeOf(each.node, 'abstract') === 'true') continue
      const written = attributeOf(each.node, 'name') ?? attributeOf(each.node, 'ref') ?? ''
      const name = written.slice(written.indexOf(':') + 1)
      const key = isAttribute ? `@${name}` : name
      const known = found.get(key)
      // An element that is declared in several places may occur in each of them.
      const member = {
        name,
        isAttribute,
        min: substitutes.length > 0 ? 0 : min,
        max: known && !isAttribute ? known.max + max : max,
      }
      found.set(key, {
        ...member,
        declaration: each === declaration.place ? declaration : new Component(each, this.components),
      })
    }
  }

  /** The listed values, the rules and the built-in type of the text, through derived types. */
  private simpleTypes(): {
    enumeration: readonly string[]
    rules: readonly string[]
    builtin: string | undefined
  } {
    const enumeration: string[] = []
    const rules: string[] = []
    let builtin: string | undefined
    const visit = (place: XsdPlace | undefined, depth: number): void => {
      if (!place || depth > most.depth || !this.components.step()) return
      for (const child of place.node.children) {
        const at = { node: child, file: place.file }
        const value = attributeOf(child, 'value')
        const rule = ruleNames.get(child.local)
        if (child.local === 'enumeration' && value !== undefined) enumeration.push(value)
        else if (value !== undefined && rule) rules.push(rule(shortText(value)))
        else if (simpleParts.has(child.local)) {
          for (const name of namesIn(
            attributeOf(child, 'base') ?? attributeOf(child, 'itemType') ?? attributeOf(child, 'memberTypes'),
          ))
            base(name, at, depth)
          // The values of a restriction replace those of the type that it restricts.
          visit(at, depth + 1)
        }
      }
    }
    const base = (name: string, from: XsdPlace, depth: number): void => {
      const [namespace, local] = resolveName(name, from.node.scope)
      if (namespace === schemaNamespace) builtin ??= local
      else if (enumeration.length === 0) visit(this.components.find('type', name, from), depth + 1)
    }
    const own = attributeOf(this.place.node, 'type')
    if (own !== undefined) base(own, this.place, 0)
    else visit(this.typePlace(), 0)
    return { enumeration, rules, builtin }
  }
}

/** Parts of a type in which attributes and elements are. */
const parts = new Set(['sequence', 'choice', 'all', 'complexContent', 'simpleContent'])
/** Parts of a type that has a text. */
const simpleParts = new Set(['simpleType', 'restriction', 'extension', 'list', 'union', 'simpleContent'])

function occurrence({ node }: XsdPlace): { readonly min: number; readonly max: number } {
  const max = attributeOf(node, 'maxOccurs')
  return {
    min: Number(attributeOf(node, 'minOccurs') ?? 1) || 0,
    max: max === 'unbounded' ? Number.POSITIVE_INFINITY : Number(max ?? 1) || 0,
  }
}

function multiplied(
  a: { readonly min: number; readonly max: number },
  b: { readonly min: number; readonly max: number },
) {
  // Infinity times 0 is no number.
  return { min: a.min * b.min, max: a.max === 0 || b.max === 0 ? 0 : a.max * b.max }
}

function namesIn(list: string | undefined): readonly string[] {
  return list?.split(/\s+/).filter(Boolean) ?? []
}

function documentationOf({ node, file }: XsdPlace): string | undefined {
  return file.documentation.get(node.start)
}

const typeNames = new Map([
  ['string', 'text'],
  ['normalizedString', 'text'],
  ['token', 'text'],
  ['anyURI', 'web address'],
  ['integer', 'whole number'],
  ['int', 'whole number'],
  ['long', 'whole number'],
  ['nonNegativeInteger', 'whole number'],
  ['positiveInteger', 'whole number'],
  ['decimal', 'number'],
  ['float', 'number'],
  ['double', 'number'],
  ['boolean', 'yes or no'],
  ['date', 'date'],
  ['dateTime', 'date and time'],
  ['gYear', 'year'],
  ['gYearMonth', 'year and month'],
  ['language', 'language'],
  ['anyType', 'any'],
])

const ruleNames = new Map<string, (value: string) => string>([
  ['pattern', value => `matches ${value}`],
  ['minInclusive', value => `at least ${value}`],
  ['minExclusive', value => `more than ${value}`],
  ['maxInclusive', value => `at most ${value}`],
  ['maxExclusive', value => `less than ${value}`],
  ['length', value => `exactly ${countOf(value, 'character', 'characters')}`],
  ['minLength', value => `at least ${countOf(value, 'character', 'characters')}`],
  ['maxLength', value => `at most ${countOf(value, 'character', 'characters')}`],
])
