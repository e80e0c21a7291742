import { appendJsonPointer } from '../../../core/json/strict-json.js'
import { writeJson } from '../../../core/json/written-number.js'
import { asWritten } from '../../../validation/json/compared-values.js'
import { referenceKeywordsOf } from '../../../validation/json/draft-keywords.js'
import {
  isNode,
  isRefAlone,
  type Location,
  type Node,
  referenceAt,
} from '../../../validation/json/schema-location.js'
import { openSchemaResources, type SchemaResources } from '../../../validation/json/schema-resources.js'
import { nameOf } from '../../../validation/reference-resolver.js'
import type { SchemaBundle } from '../../../validation/validator.js'
import {
  documentationText,
  isShortValue,
  type OutlineCollector,
  type OutlineMember,
  type OutlineType,
  type OutlineValue,
  openOutlineCollector,
  type SchemaOutline,
} from './schema-outline.js'

/**
 * The outline of a JSON Schema of any draft. What `allOf`, `$ref`, `then`, `else` and `dependentSchemas` add is in the
 * type itself; of the latter three it is not required. `anyOf` and `oneOf` are alternatives.
 * @throws ProblemError `unprocessable` with findings if a document of the bundle is no schema
 */
export function outlineOfJsonSchema(bundle: SchemaBundle): SchemaOutline {
  const library = openSchemaResources()
  const { root } = library.document({ bundle })
  const collector = openOutlineCollector()
  const types = new JsonTypes(library, collector)
  const type = types.keyOf(root)
  const { value } = root
  const about = isNode(value) ? annotationsOf(value) : {}
  return {
    type: 'JSON',
    ...about,
    roots: [{ kind: 'member', name: '', min: 1, max: 1, ...(type !== undefined && { type }) }],
    ...collector.finish(),
  }
}

/** The keywords with bounds of values. */
const facetNames = [
  ...[
    'format',
    'pattern',
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
  ],
  ...['multipleOf', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
  ...['contentEncoding', 'contentMediaType', 'readOnly', 'writeOnly'],
]

/** Limit of the schemas that are joined in one type. */
const maxJoined = 500

/** A type while its parts are joined. */
interface Joined {
  kinds?: readonly string[]
  title?: string
  documentation?: string
  values?: readonly OutlineValue[]
  readonly facets: Record<string, unknown>
  readonly members: Map<string, OutlineMember>
  readonly required: Set<string>
  open: boolean
  items?: string
  firstItems?: readonly string[]
  readonly alternatives: string[]
  examples?: readonly unknown[]
  default?: unknown
  deprecated?: boolean
}

class JsonTypes {
  readonly #library: SchemaResources
  readonly #collector: OutlineCollector

  constructor(library: SchemaResources, collector: OutlineCollector) {
    this.#library = library
    this.#collector = collector
  }

  /** The key of the type of a schema; undefined if it permits everything, or is missing. */
  keyOf(location: Location): string | undefined {
    const target = this.#withoutReferences(location)
    if (!target || !isNode(target.value) || Object.keys(target.value).length === 0) return undefined
    const key = `${nameOf(target.resource.document.place) ?? ''}#${target.pointer}`
    return this.#collector.typeOf(key, () => this.#read(target))
  }

  /** The schema to which a schema leads that is nothing but a reference. */
  #withoutReferences(from: Location): Location | undefined {
    const seen = new Set<unknown>()
    for (let at: Location | undefined = from; at; ) {
      const { value } = at
      if (!isNode(value) || typeof value.$ref !== 'string' || seen.has(value)) return at
      const isAlone =
        isRefAlone(value, at.resource.dialect) || Object.keys(value).every(name => annotations.has(name))
      if (!isAlone) return at
      seen.add(value)
      at = this.#target(at, '$ref')
    }
    return undefined
  }

  #target(from: Location, keyword: string): Location | undefined {
    const reference = isNode(from.value) ? referenceAt(from, keyword, from.value[keyword]) : undefined
    if (!reference) return undefined
    const target = this.#library.lookUp(reference)
    const found =
      target?.kind === 'resource' ? this.#library.locate(target.resource, reference.fragment) : undefined
    if (!found) this.#collector.lacks()
    return found
  }

  /** A subschema, which is at a place of `from`. */
  #child(from: Location, value: unknown, pointer: string): Location | undefined {
    if (isNode(value)) return this.#library.locationOf(value)
    return typeof value === 'boolean' ? { resource: from.resource, pointer, value } : undefined
  }

  #read(location: Location): OutlineType {
    const joined: Joined = {
      facets: {},
      members: new Map(),
      required: new Set(),
      open: true,
      alternatives: [],
    }
    this.#join(location, joined, new Set(), true)
    const members = [...joined.members].map(([, member]) =>
      member.kind === 'member' && joined.required.has(member.name) ? { ...member, min: 1 } : member,
    )
    const isObject = members.length > 0 || !joined.open
    return {
      ...(joined.kinds && { kinds: joined.kinds }),
      ...(joined.title !== undefined && { title: joined.title }),
      ...(joined.documentation !== undefined && { documentation: joined.documentation }),
      ...(joined.values && { values: joined.values }),
      ...(Object.keys(joined.facets).length > 0 && { facets: joined.facets }),
      ...(isObject && { members, open: joined.open }),
      ...(joined.items !== undefined && { items: joined.items }),
      ...(joined.firstItems && { firstItems: joined.firstItems }),
      ...(joined.alternatives.length > 0 && { alternatives: joined.alternatives }),
      ...(joined.examples && { examples: joined.examples }),
      ...(joined.default !== undefined && { default: joined.default }),
      ...(joined.deprecated && { deprecated: true }),
    }
  }

  /**
   * Adds a schema to a type. What stands in the schema itself counts more than what it refers to.
   * @param applies whether it applies to all values of the type, so that its members may be required
   */
  #join(location: Location, into: Joined, seen: Set<unknown>, applies: boolean): void {
    const { value, resource } = location
    if (!isNode(value) || seen.has(value)) return
    if (seen.size >= maxJoined) {
      this.#collector.lacks()
      return
    }
    seen.add(value)
    const isAlone = isRefAlone(value, resource.dialect)
    if (!isAlone) this.#addOwn(location, value, into, applies)
    for (const keyword of referenceKeywordsOf(resource.dialect)) {
      const target = typeof value[keyword] === 'string' ? this.#target(location, keyword) : undefined
      if (target) this.#join(target, into, seen, applies)
    }
    if (isAlone) return
    for (const child of this.#listed(location, 'allOf')) this.#join(child, into, seen, applies)
    const conditional = ['then', 'else'].flatMap(
      name => this.#child(location, value[name], `${location.pointer}/${name}`) ?? [],
    )
    const dependent = ['dependentSchemas', 'dependencies'].flatMap(name => this.#mapped(location, name))
    for (const child of [...conditional, ...dependent.map(([, each]) => each)])
      this.#join(child, into, seen, false)
    for (const child of [...this.#listed(location, 'anyOf'), ...this.#listed(location, 'oneOf')]) {
      const key = this.keyOf(child)
      if (key !== undefined && !into.alternatives.includes(key)) into.alternatives.push(key)
    }
  }

  #addOwn(location: Location, value: Node, into: Joined, applies: boolean): void {
    const { title, documentation } = annotationsOf(value)
    if (into.title === undefined && title !== undefined) into.title = title
    if (into.documentation === undefined && documentation !== undefined) into.documentation = documentation
    const kinds = [value.type].flat().filter(each => typeof each === 'string')
    if (!into.kinds && kinds.length > 0 && applies) into.kinds = kinds
    if (!into.values && applies) this.#addValues(value, into)
    for (const name of facetNames)
      if (value[name] !== undefined && into.facets[name] === undefined && applies)
        into.facets[name] = written(value, name)
    if (into.default === undefined) {
      const text = written(value, 'default')
      if (text !== undefined) into.default = text
    }
    if (!into.examples && Array.isArray(value.examples)) {
      const examples = value.examples.map((_, index) => written(value.examples as unknown as Node, index))
      into.examples = examples.filter(each => each !== undefined).slice(0, 20)
    }
    if (value.deprecated === true) into.deprecated = true
    if (applies && Array.isArray(value.required))
      for (const name of value.required) if (typeof name === 'string') into.required.add(name)
    this.#addMembers(location, value, into)
    this.#addItems(location, value, into)
  }

  #addValues(value: Node, into: Joined): void {
    if ('const' in value) {
      const only = written(value, 'const')
      if (only !== undefined) into.values = [{ value: only }]
    } else if (Array.isArray(value.enum)) {
      const found: OutlineValue[] = []
      for (const index of value.enum.keys()) {
        const each = written(value.enum as unknown as Node, index)
        if (each !== undefined && this.#collector.mayAdd()) found.push({ value: each })
      }
      into.values = found
    }
  }

  #addMembers(location: Location, value: Node, into: Joined): void {
    for (const [name, child] of this.#mapped(location, 'properties', true))
      this.#addMember(into, 'member', name, child)
    for (const [name, child] of this.#mapped(location, 'patternProperties'))
      this.#addMember(into, 'pattern', name, child)
    for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
      const others = value[keyword]
      if (others === false) into.open = false
      const child = isNode(others)
        ? this.#child(location, others, `${location.pointer}/${keyword}`)
        : undefined
      if (child) this.#addMember(into, 'any', '', child)
    }
  }

  #addMember(into: Joined, kind: OutlineMember['kind'], name: string, child: Location): void {
    const key = `${kind} ${name}`
    const known = into.members.get(key)
    if (child.value === false || known?.type !== undefined || (!known && !this.#collector.mayAdd())) return
    const type = this.keyOf(child)
    const about = isNode(child.value) && '$ref' in child.value ? annotationsOf(child.value) : {}
    into.members.set(key, {
      ...{ kind, name, min: 0 },
      ...(kind === 'member' && { max: 1 }),
      ...(type !== undefined && { type }),
      ...about,
    })
  }

  #addItems(location: Location, value: Node, into: Joined): void {
    const listed = [...this.#listed(location, 'prefixItems'), ...this.#listed(location, 'items')]
    const first = listed.flatMap(child => this.keyOf(child) ?? [])
    if (!into.firstItems && first.length > 0) into.firstItems = first
    for (const keyword of ['items', 'additionalItems']) {
      const child = isNode(value[keyword])
        ? this.#child(location, value[keyword], `${location.pointer}/${keyword}`)
        : undefined
      const key = child && into.items === undefined ? this.keyOf(child) : undefined
      if (key !== undefined) into.items = key
    }
  }

  #listed(location: Location, keyword: string): readonly Location[] {
    const list = isNode(location.value) ? location.value[keyword] : undefined
    if (!Array.isArray(list)) return []
    return list.flatMap(
      (each, index) => this.#child(location, each, `${location.pointer}/${keyword}/${index}`) ?? [],
    )
  }

  /** The subschemas in an object. @param isFalseKept whether those that permit nothing are among them */
  #mapped(
    location: Location,
    keyword: string,
    isFalseKept = false,
  ): readonly (readonly [string, Location])[] {
    const map = isNode(location.value) ? location.value[keyword] : undefined
    if (!isNode(map)) return []
    return Object.entries(map).flatMap(([name, each]) => {
      const child =
        each === false && !isFalseKept
          ? undefined
          : this.#child(location, each, appendJsonPointer(`${location.pointer}/${keyword}`, name))
      return child ? [[name, child] as const] : []
    })
  }
}

/** Keywords beside `$ref` that say nothing about values. */
const annotations = new Set(['$ref', 'title', 'description', '$comment', 'default', 'examples', 'deprecated'])

function annotationsOf(node: Node): Pick<OutlineType, 'title' | 'documentation'> {
  const title = documentationText(node.title)
  const documentation = documentationText(node.description)
  return { ...(title !== undefined && { title }), ...(documentation !== undefined && { documentation }) }
}

/** A value with numbers as they are written; undefined if it is absent or long. */
function written(holder: Node, name: string | number): unknown {
  const value = holder[name]
  if (value === undefined) return undefined
  const copy = asWritten(value, holder, name)
  return isShortValue(writeJson(copy)) ? copy : undefined
}
