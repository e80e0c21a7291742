import { lineAt } from '../../../core/json/source-locations.js'
import type { Finding } from '../../../core/problem.js'
import { contentBeyond } from './content-inclusion.js'
import { isForbidden, noElementName } from './corrected-schema.js'
import { readPattern } from './pattern-syntax.js'
import {
  anyType,
  type ComplexType,
  type ElementDeclaration,
  type SchemaComponents,
  type Type,
} from './schema-components.js'
import { childrenOf, type Place } from './schema-files.js'
import { attributeOf, expanded, type SchemaNode } from './schema-tree.js'
import { primitiveOf, type SimpleType } from './simple-types.js'
import { acceptsValue, isSameValue } from './simple-values.js'
import type { Wildcard } from './wildcards.js'

/** A fault of an element of a schema. */
type Rule = (place: Place, parent: SchemaNode, components: SchemaComponents) => readonly string[]

/**
 * Faults of a schema that libxml2 passes over, and that are faults in each reading of the recommendation:
 * - a content of a restriction that the restricted type does not permit;
 * - a length, a number of digits, or a kind of white space that the restricted type does not permit;
 * - a pattern that is none;
 * - two attributes of a type that are IDs, or an ID with a fixed or default value;
 * - a reference to an attribute with another fixed value, or one that its type does not accept;
 * - a name that means nothing in a particle that may not occur, which the engine does not get.
 * @param written components of the schema as it was written
 * @param corrected components of the schema that the engine has accepted
 * @see https://www.w3.org/TR/xmlschema-1/#cos-particle-restrict, https://www.w3.org/TR/xmlschema-1/#ct-props-correct,
 *   https://www.w3.org/TR/xmlschema-1/#au-props-correct
 */
export function schemaFindings(
  written: SchemaComponents,
  corrected: SchemaComponents,
): readonly (Finding & { readonly part: string })[] {
  return [
    ...findingsBy([patternFaults, addedValueFaults, forbiddenFaults, identifierFaults], written),
    ...findingsBy([restrictionFaults], corrected),
  ]
}

function findingsBy(rules: readonly Rule[], components: SchemaComponents) {
  const found: (Finding & { part: string })[] = []
  for (const schema of components.schemas) {
    visit(schema.root, (node, parent) => {
      for (const message of rules.flatMap(rule => rule({ node, schema }, parent, components)))
        found.push({ message, line: lineAt(schema.file.text, node.start), part: schema.file.name })
    })
  }
  return found
}

function visit(node: SchemaNode, each: (node: SchemaNode, parent: SchemaNode) => void): void {
  for (const child of node.children) {
    // A redefinition refers to its original by its own name, which would have to be known here.
    if (child.local === 'redefine') continue
    each(child, node)
    visit(child, each)
  }
}

function patternFaults({ node }: Place): readonly string[] {
  const value = node.local === 'pattern' ? node.attributes.get('value')?.value : undefined
  const fault = value === undefined ? undefined : readPattern(value).fault
  return fault === undefined ? [] : [`'${value}' is no pattern: ${fault}.`]
}

function identifierFaults(
  place: Place,
  _parent: SchemaNode,
  components: SchemaComponents,
): readonly string[] {
  if (place.node.local !== 'complexType') return []
  const type = components.typeAt(place)
  const ids = type.kind === 'complex' ? [...type.attributes].filter(([, each]) => isId(each.type())) : []
  const names = ids.map(([name]) => name.replace('{}', ''))
  return names.length < 2 ? [] : [`The type has more than one attribute that is an ID: ${names.join(', ')}.`]
}

function isId({ variety, builtin }: SimpleType): boolean {
  return variety === 'atomic' && builtin === 'ID'
}

/** The value that a declaration, or a reference to an attribute, adds. */
function addedValueFaults(
  place: Place,
  _parent: SchemaNode,
  components: SchemaComponents,
): readonly string[] {
  const { node } = place
  const value = (node.attributes.get('fixed') ?? node.attributes.get('default'))?.value
  if (value === undefined || (node.local !== 'attribute' && node.local !== 'element')) return []
  const ref = attributeOf(node, 'ref')
  if (ref === undefined) {
    const type = components.typeAt(place)
    const text = type.kind === 'complex' ? type.content : type
    return text && isId(text) ? ['An ID must not have a fixed or default value.'] : []
  }
  const declared = components.attribute(components.nameOf(ref, place))
  if (!declared) return []
  const type = declared.type()
  const { fixed, place: other } = declared
  const given = { value, scope: node.scope }
  if (acceptsValue(type, value, node.scope) === false)
    return [`'${value}' is no value of the attribute ${ref}.`]
  const isOther =
    fixed !== undefined && isSameValue(type, given, { value: fixed, scope: other.node.scope }) === false
  return isOther ? [`The attribute ${ref} has another fixed value: '${fixed}'.`] : []
}

const references: Readonly<Record<string, string>> = {
  type: 'type',
  base: 'type',
  itemType: 'type',
  memberTypes: 'type',
}

/** The engine does not see what may not occur, and no names in it. */
function forbiddenFaults(place: Place, _parent: SchemaNode, components: SchemaComponents): readonly string[] {
  if (!isForbidden(place.node)) return []
  const faults: string[] = []
  const check = (node: SchemaNode) => {
    for (const [attribute, kind] of [...Object.entries(references), ['ref', node.local] as const]) {
      for (const name of attributeOf(node, attribute)?.split(/[ \t\r\n]+/) ?? []) {
        const meant = components.nameOf(name, place)
        if (!components.has(kind, meant)) faults.push(`There is no ${kind} ${meant}.`)
      }
    }
  }
  check(place.node)
  visit(place.node, check)
  return faults
}

function restrictionFaults(
  place: Place,
  parent: SchemaNode,
  components: SchemaComponents,
): readonly string[] {
  if (place.node.local !== 'restriction') return []
  return parent.local === 'complexContent' ? elementFaults(place, components) : facetFaults(place, components)
}

/** Pairs of facets; the first must not be less than the second one of a base. */
const notLess: readonly (readonly [own: string, base: string])[] = [
  ['minLength', 'minLength'],
  ['maxLength', 'minLength'],
  ['length', 'minLength'],
]
/** Pairs of facets; the first must not be more than the second one of a base. */
const notMore: readonly (readonly [own: string, base: string])[] = [
  ['maxLength', 'maxLength'],
  ['minLength', 'maxLength'],
  ['length', 'maxLength'],
  ['totalDigits', 'totalDigits'],
  ['fractionDigits', 'fractionDigits'],
]

function facetFaults(place: Place, components: SchemaComponents): readonly string[] {
  const base = components.baseOf(place)
  const type = base.kind === 'complex' ? base.content : base
  if (!type) return []
  const own = (name: string) =>
    place.node.children.filter(({ local }) => local === name).map(child => attributeOf(child, 'value') ?? '')
  const faults: string[] = []
  const check = (name: string, other: string, isFault: (value: number, limit: number) => boolean) => {
    for (const value of own(name)) {
      for (const limit of limits(type, other)) {
        if (isFault(Number(value), limit))
          faults.push(`${name} ${value} contradicts ${other} ${limit} of the restricted type.`)
      }
    }
  }
  const [least] = own('minLength')
  const [most] = own('maxLength')
  if (Number(least) > Number(most)) faults.push(`minLength ${least} is more than maxLength ${most}.`)
  const spaces = ['preserve', 'replace', 'collapse']
  for (const space of own('whiteSpace')) {
    if (spaces.indexOf(space) < spaces.indexOf(type.whiteSpace))
      faults.push(`whiteSpace ${space} contradicts whiteSpace ${type.whiteSpace} of the restricted type.`)
  }
  for (const [name, other] of notLess) check(name, other, (value, limit) => value < limit)
  for (const [name, other] of notMore) check(name, other, (value, limit) => value > limit)
  return faults
}

function limits(type: SimpleType, facet: string): readonly number[] {
  const given = type.facets.filter(({ name }) => name === facet).map(({ value }) => Number(value.trim()))
  const isInteger = primitiveOf(type.builtin) === 'decimal' && type.builtin !== 'decimal'
  return facet === 'fractionDigits' && isInteger ? [...given, 0] : given
}

function elementFaults(place: Place, components: SchemaComponents): readonly string[] {
  const base = components.baseOf(place)
  if (base.kind !== 'complex') return []
  const own = components.contentAt(place)
  const unknown = [...own.elements.keys()].filter(
    name => name !== expanded('', noElementName) && !permits(base, name, components),
  )
  if (unknown.length > 0)
    return unknown.map(name => `The element ${name} is not permitted by the restricted type.`)
  const changed = [
    ...[...own.elements].flatMap(([name, declaration]) => {
      const restricted = base.repeated.has(name) ? undefined : base.elements.get(name)
      return restricted ? declarationFaults(name, declaration, restricted, components) : []
    }),
    ...fixedAttributeFaults(own, base),
    ...wildcardFaults(own, base),
  ]
  if (changed.length > 0 || !base.definition || hasRedefinitions(components)) return changed
  const beyond = contentBeyond(place, base.definition, components)
  if (!beyond) return []
  const content = beyond.length === 0 ? 'no element' : `the elements ${beyond.join(', ')}`
  return [`The type permits ${content}, which the restricted type does not permit.`]
}

function fixedAttributeFaults(own: ComplexType, base: ComplexType): readonly string[] {
  return [...own.attributes].flatMap(([name, { fixed, place }]) => {
    const restricted = base.attributes.get(name)
    if (restricted?.fixed === undefined) return []
    const written = { value: fixed ?? '', scope: place.node.scope }
    const other = { value: restricted.fixed, scope: restricted.place.node.scope }
    const isOther = fixed === undefined || isSameValue(restricted.type(), written, other) === false
    return isOther
      ? [`The attribute ${name} must have the fixed value '${restricted.fixed}' of the restricted type.`]
      : []
  })
}

function wildcardFaults(own: ComplexType, base: ComplexType): readonly string[] {
  if (base === anyType || base.wildcards.length === 0) return []
  const strictness = ({ process }: Wildcard) => ['skip', 'lax', 'strict'].indexOf(process)
  const least = Math.min(...base.wildcards.map(strictness))
  const isLess = own.wildcards.some(each => strictness(each) < least)
  return isLess ? ['A wildcard processes contents less strictly than those of the restricted type.'] : []
}

/** What an element of a restriction permits, and the element of that name in the restricted type does not. */
function declarationFaults(
  name: string,
  own: ElementDeclaration,
  base: ElementDeclaration,
  components: SchemaComponents,
): readonly string[] {
  if (own.place.node === base.place.node) return []
  const written = (declaration: ElementDeclaration, attribute: string) =>
    attributeOf(declaration.place.node, attribute)
  const isNillable = (declaration: ElementDeclaration) =>
    /^(?:true|1)$/.test(written(declaration, 'nillable') ?? '')
  const faults: string[] = []
  if (isNillable(own) && !isNillable(base)) faults.push('may be nil')
  const type = base.type()
  const text = type.kind === 'complex' ? type.content : type
  const fixed = (declaration: ElementDeclaration) => ({
    value: declaration.fixed ?? '',
    scope: declaration.place.node.scope,
  })
  const isOther = text ? isSameValue(text, fixed(own), fixed(base)) === false : own.fixed !== base.fixed
  if (base.fixed !== undefined && (own.fixed === undefined || isOther))
    faults.push(`has another value than the fixed '${base.fixed}'`)
  // What a type without a name is the same as is a question of its form.
  if (written(base, 'type') !== undefined && !isRestriction(own.type(), type, components))
    faults.push('has a type that is no restriction of its type there')
  return faults.map(fault => `The element ${name} ${fault}, which the restricted type does not permit.`)
}

/** Whether a type is another, or is derived from it by restrictions. True if that is not known. */
function isRestriction(type: Type, base: Type, components: SchemaComponents): boolean {
  if (type === base || base === anyType) return true
  if (type.kind === 'simple') {
    if (base.kind === 'simple' && base.builtin === 'anySimpleType' && base.variety === 'atomic') return true
    if (base.kind === 'complex') return false
    const isMember =
      base.facets.length === 0 && base.members?.some(member => isRestriction(type, member, components))
    return isMember || (type.base !== undefined && isRestriction(type.base, base, components))
  }
  if (type === anyType) return false
  if (!type.definition) return true
  const [content] = childrenOf(type.definition, 'simpleContent', 'complexContent')
  const [restriction] = content ? childrenOf(content, 'restriction') : []
  return restriction !== undefined && isRestriction(components.baseOf(restriction), base, components)
}

/** A redefinition refers to its original by its own name. */
function hasRedefinitions({ schemas }: SchemaComponents): boolean {
  return schemas.some(({ root }) => root.children.some(({ local }) => local === 'redefine'))
}

function permits(base: ComplexType, name: string, components: SchemaComponents): boolean {
  const namespace = name.slice(1, name.lastIndexOf('}'))
  return (
    base.elements.has(name) ||
    components.headsOf(name).some(head => base.elements.has(head)) ||
    base.wildcards.some(({ accepts }) => accepts(namespace))
  )
}
