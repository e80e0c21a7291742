import {
  isNode,
  isRefAlone,
  type Node,
  referenceAt,
  type SchemaResource,
} from '../../../validation/json/schema-location.js'
import { openSchemaResources, type SchemaResources } from '../../../validation/json/schema-resources.js'
import { bundleBytes } from '../../../validation/reference-resolver.js'
import type { SchemaBundle } from '../../../validation/validator.js'
import type { IsPossible, PathSteps } from './xml-schema-paths.js'

/*
 * The paths that documents of a JSON Schema can have, through the references to its files and to registered schemas. A
 * path counts as possible wherever this is not certain.
 */

/** Limit of the bytes of a schema, with everything that it refers to, whose paths are checked. */
const maxBytes = 4 * 2 ** 20

/** @returns undefined if the schema is too large */
export function jsonPaths(bundle: SchemaBundle): IsPossible | undefined {
  if (bundleBytes(bundle) > maxBytes) return undefined
  const resources = openSchemaResources()
  const { root } = resources.document({ bundle })
  return (names, steps) => new PathInSchemas(resources, names, steps).may(root.value, 0, root.resource)
}

/** A path, of which the names before `from` are found in all its methods. */
class PathInSchemas {
  readonly #resources: SchemaResources
  readonly #names: readonly string[]
  readonly #steps: PathSteps
  /** The targets of the references that are followed at present, and the names that were found before each of them. */
  readonly #open: { readonly target: unknown; readonly from: number }[] = []

  constructor(resources: SchemaResources, names: readonly string[], steps: PathSteps) {
    this.#resources = resources
    this.#names = names
    this.#steps = steps
  }

  /** @param outer the resource around the schema */
  may(schema: unknown, from: number, outer: SchemaResource): boolean {
    if (schema === false) return false
    if (!isNode(schema) || --this.#steps.left < 0) return true
    const resource = this.#resources.locationOf(schema)?.resource ?? outer
    if (typeof schema.$ref === 'string') {
      if (!this.#mayByReference(schema, from, resource)) return false
      if (isRefAlone(schema, resource.dialect)) return true
    }
    if (from === this.#names.length) return true
    const every = listOf(schema.allOf).every(each => this.may(each, from, resource))
    const some = [schema.anyOf, schema.oneOf].every(
      choice => !Array.isArray(choice) || choice.some(each => this.may(each, from, resource)),
    )
    return (
      every && some && (this.#mayAsObject(schema, from, resource) || this.#mayAsArray(schema, from, resource))
    )
  }

  #mayByReference(schema: Node, from: number, resource: SchemaResource): boolean {
    const found = this.#targetOf(schema, resource)
    // A reference that leads back to itself says nothing about the path.
    if (!found || this.#isOpen(found.value, from)) return true
    this.#open.push({ target: found.value, from })
    const isPermitted = this.may(found.value, from, found.resource)
    this.#open.pop()
    return isPermitted
  }

  /** The schema to which `$ref` leads; undefined if there is none, or it is of the other language. */
  #targetOf(schema: Node, resource: SchemaResource) {
    const reference = referenceAt({ resource, pointer: '', value: schema }, '$ref', schema.$ref)
    const target = reference && this.#resources.lookUp(reference)
    return target?.kind === 'resource'
      ? this.#resources.locate(target.resource, reference?.fragment ?? '')
      : undefined
  }

  #isOpen(target: unknown, from: number): boolean {
    return this.#open.some(each => each.target === target && each.from === from)
  }

  #mayAsObject(schema: Node, from: number, resource: SchemaResource): boolean {
    if (!permits(schema, 'object')) return false
    // A name may have dots.
    for (let end = from + 1; end <= this.#names.length; end++) {
      if (--this.#steps.left < 0) return true
      const member = memberOf(schema, this.#names.slice(from, end).join('.'))
      if (this.may(member, end, resource)) return true
    }
    return false
  }

  #mayAsArray(schema: Node, from: number, resource: SchemaResource): boolean {
    const { items, prefixItems, additionalItems } = schema
    const isArray = permits(schema, 'array') && (schema.type !== undefined || items !== undefined)
    if (!isArray) return false
    const all = [items ?? true, ...listOf(prefixItems), ...listOf(additionalItems)].flat()
    // An array in itself has no other names.
    return all.some(each => !this.#leadsBack(each, from, resource) && this.may(each, from, resource))
  }

  #leadsBack(schema: unknown, from: number, resource: SchemaResource): boolean {
    if (!isNode(schema) || typeof schema.$ref !== 'string') return false
    const found = this.#targetOf(schema, this.#resources.locationOf(schema)?.resource ?? resource)
    return found !== undefined && this.#isOpen(found.value, from)
  }
}

/** The schema of a member; true if it may be anything. */
function memberOf({ properties, patternProperties, additionalProperties }: Node, name: string): unknown {
  if (isNode(properties) && Object.hasOwn(properties, name)) return properties[name]
  if (isNode(patternProperties) && Object.keys(patternProperties).length > 0) return true
  return additionalProperties ?? true
}

function permits({ type }: Node, wanted: string): boolean {
  return type === undefined || [type].flat().includes(wanted)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
