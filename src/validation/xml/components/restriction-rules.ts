import { lineAt } from '../../../core/json/source-locations.js'
import type { Finding } from '../../../core/problem.js'
import { noElementName } from './corrected-schema.js'
import type { ComplexType, SchemaComponents } from './schema-components.js'
import type { Place } from './schema-files.js'
import { attributeOf, expanded, type SchemaFile, type SchemaNode } from './schema-tree.js'
import { primitiveOf, type SimpleType } from './simple-types.js'

/** Whether {@link restrictionFindings} has work to do. */
export function mayRestrict(files: readonly SchemaFile[]): boolean {
  return files.some(({ text }) => text.includes('restriction'))
}

/**
 * Faults of restrictions that libxml2 passes over, and that are faults in each reading of the recommendation:
 * - an element that the restricted type does not permit;
 * - a length, or a number of digits, that the restricted type does not permit.
 *
 * Other rules about particles are not checked.
 * @param components of a schema that the engine has accepted
 * @see https://www.w3.org/TR/xmlschema-1/#cos-particle-restrict
 */
export function restrictionFindings(
  components: SchemaComponents,
): readonly (Finding & { readonly part: string })[] {
  const found: (Finding & { part: string })[] = []
  for (const schema of components.schemas) {
    visit(schema.root, (node, parent) => {
      if (node.local !== 'restriction') return
      const place = { node, schema }
      const faults =
        parent.local === 'complexContent' ? elementFaults(place, components) : facetFaults(place, components)
      for (const message of faults) {
        found.push({ message, line: lineAt(schema.file.text, node.start), part: schema.file.name })
      }
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
