import { lineAt } from '../../../core/json/source-locations.js'
import type { Finding } from '../../../core/problem.js'
import { isForbidden, noElementName } from './corrected-schema.js'
import { readPattern } from './pattern-syntax.js'
import type { ComplexType, SchemaComponents } from './schema-components.js'
import type { Place } from './schema-files.js'
import { attributeOf, expanded, type SchemaNode } from './schema-tree.js'
import { primitiveOf, type SimpleType } from './simple-types.js'
import { acceptsValue, isSameValue } from './simple-values.js'

/** A fault of an element of a schema. */
type Rule = (place: Place, parent: SchemaNode, components: SchemaComponents) => readonly string[]

/**
 * Faults of a schema that libxml2 passes over, and that are faults in each reading of the recommendation:
 * - an element of a restriction that the restricted type does not permit;
 * - a length, or a number of digits, that the restricted type does not permit;
 * - a pattern that is none;
 * - two attributes of a type that are IDs;
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
    ...findingsBy([patternFaults, attributeFaults, forbiddenFaults], written),
    ...findingsBy([restrictionFaults, identifierFaults], corrected),
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

/** The value that a reference to an attribute adds. */
function attributeFaults(place: Place, _parent: SchemaNode, components: SchemaComponents): readonly string[] {
  const { node } = place
  const ref = node.local === 'attribute' ? attributeOf(node, 'ref') : undefined
  const value = (node.attributes.get('fixed') ?? node.attributes.get('default'))?.value
  const declared = ref === undefined ? undefined : components.attribute(components.nameOf(ref, place))
  if (!declared || value === undefined) return []
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
  return [...own.elements.keys()]
    .filter(name => name !== expanded('', noElementName) && !permits(base, name, components))
    .map(name => `The element ${name} is not permitted by the restricted type.`)
}

function permits(base: ComplexType, name: string, components: SchemaComponents): boolean {
  const namespace = name.slice(1, name.lastIndexOf('}'))
  return (
    base.elements.has(name) ||
    components.headsOf(name).some(head => base.elements.has(head)) ||
    base.wildcards.some(({ accepts }) => accepts(namespace))
  )
}
