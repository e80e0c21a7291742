import {
  childrenOf,
  collectGlobals,
  type Global,
  type Globals,
  type Place,
  type Schema,
} from './schema-files.js'
import {
  attributeOf,
  expanded,
  resolveName,
  type SchemaFile,
  type SchemaNode,
  schemaNamespace,
} from './schema-tree.js'
import {
  anySimpleType,
  builtinType,
  type Facet,
  listOf,
  restrict,
  type SimpleType,
  unionOf,
} from './simple-types.js'
import { type Wildcard, wildcard } from './wildcards.js'

/*
 * The components of a schema, as far as they are needed to know the types of the elements and attributes of a valid
 * document. The engines keep what they know to themselves.
 */

export interface ComplexType {
  readonly kind: 'complex'
  /** Type of the text, if the content is simple. */
  readonly content?: SimpleType
  readonly elements: ReadonlyMap<string, ElementDeclaration>
  /** The names of elements that are declared in several places of the content. */
  readonly repeated: ReadonlySet<string>
  readonly wildcards: readonly Wildcard[]
  readonly attributes: ReadonlyMap<string, AttributeDeclaration>
  readonly attributeWildcards: readonly Wildcard[]
  /** The `xs:complexType`, if it redefines no other. */
  readonly definition?: Place
}

export type Type = SimpleType | ComplexType

interface Declaration {
  readonly fixed?: string
  readonly default?: string
  /** The namespaces of prefixes in `fixed` and `default`. */
  readonly place: Place
}

export interface ElementDeclaration extends Declaration {
  readonly isGlobal: boolean
  readonly type: () => Type
}

export interface AttributeDeclaration extends Declaration {
  readonly type: () => SimpleType
}

const anyWildcard: Wildcard = { process: 'lax', mentioned: [], accepts: () => true }
export const anyType: ComplexType = {
  kind: 'complex',
  elements: new Map(),
  repeated: new Set(),
  wildcards: [anyWildcard],
  attributes: new Map(),
  attributeWildcards: [anyWildcard],
}

export interface SchemaComponents {
  /** The files, each once for each namespace. */
  readonly schemas: readonly Schema[]
  type(name: string): Type | undefined
  element(name: string): ElementDeclaration | undefined
  attribute(name: string): AttributeDeclaration | undefined
  /** Whether there is a component of a kind (`element`, `attribute`, `type`, `group`, `attributeGroup`). */
  has(kind: string, name: string): boolean
  /** The `xs:group` of a name. */
  group(name: string): Place | undefined
  /** The name of the element that an `xs:element` in a group declares or refers to. */
  elementName(place: Place): string
  /** The expanded name of a reference. */
  nameOf(reference: string, place: Place): string
  /** The names of the element declarations that an element may substitute, the nearest first. */
  headsOf(name: string): readonly string[]
  /** The type that an `xs:simpleType` defines or that an `xs:element` or `xs:attribute` has. */
  typeAt(place: Place): Type
  /** The type that a restriction restricts. */
  baseOf(restriction: Place): Type
  /** The elements and attributes that are written in a restriction, and the groups to which it refers. */
  contentAt(restriction: Place): ComplexType
}

/** Reads the components. Faults of the schema, which the engine reports, are passed over. */
export function readComponents(files: readonly SchemaFile[]): SchemaComponents {
  return new Components(collectGlobals(files))
}

class Components implements SchemaComponents {
  readonly schemas: readonly Schema[]
  readonly #globals: ReadonlyMap<string, Global>
  readonly #types = new Map<SchemaNode, Map<string, Type>>()
  readonly #elements = new Map<SchemaNode, Map<string, ElementDeclaration>>()

  constructor({ schemas, globals }: Globals) {
    this.schemas = schemas
    this.#globals = globals
  }

  type(name: string): Type | undefined {
    const local = name.startsWith(`{${schemaNamespace}}`) ? name.slice(schemaNamespace.length + 2) : undefined
    if (local !== undefined) return local === 'anyType' ? anyType : builtinType(local)
    const found = this.#find('type', name)
    return found && this.#typeOf(found, found)
  }
  element(name: string): ElementDeclaration | undefined {
    const found = this.#find('element', name)
    return found && this.#elementAt(found, true)
  }
  attribute(name: string): AttributeDeclaration | undefined {
    const found = this.#find('attribute', name)
    return found && this.#attributeAt(found)
  }
  has(kind: string, name: string): boolean {
    return (kind === 'type' ? this.type(name) : this.#find(kind, name)) !== undefined
  }
  group(name: string): Place | undefined {
    return this.#find('group', name)
  }
  elementName(place: Place): string {
    const ref = attributeOf(place.node, 'ref')
    return ref ? this.#named(ref, place) : localName(place)
  }
  nameOf(reference: string, place: Place): string {
    return this.#named(reference, place)
  }
  headsOf(name: string): readonly string[] {
    const heads: string[] = []
    for (let found = this.#find('element', name); found; ) {
      const head = attributeOf(found.node, 'substitutionGroup')
      const next: string | undefined = head ? this.#named(head, found) : undefined
      if (next === undefined || heads.includes(next)) break
      heads.push(next)
      found = this.#find('element', next)
    }
    return heads
  }
  typeAt(place: Place): Type {
    if (place.node.local === 'element') return this.#elementType(place)
    if (place.node.local === 'attribute') return this.#attributeType(place)
    return this.#typeOf(place)
  }
  baseOf(restriction: Place): Type {
    return this.#baseType(restriction)
  }
  contentAt(restriction: Place): ComplexType {
    return this.#contentOf(restriction)
  }

  #find(kind: string, name: string): Global | undefined {
    return this.#globals.get(`${kind} ${name}`)
  }

  /** The expanded name of a reference. */
  #named(reference: string, { node, schema }: Place): string {
    const [namespace, local] = resolveName(reference, node.scope)
    return expanded(namespace === '' && schema.isChameleon ? schema.target : (namespace ?? '?'), local)
  }
  /** The component that a reference means; inside a redefinition its own name means the original. */
  #findFrom(kind: string, reference: string, place: Place, from: Global | undefined): Global | undefined {
    const found = this.#find(kind, this.#named(reference, place))
    return found && found.node === from?.node ? found.original : found
  }
  #typeNamed(reference: string, place: Place, from?: Global): Type {
    const [namespace, local] = resolveName(reference, place.node.scope)
    if (namespace === schemaNamespace)
      return local === 'anyType' ? anyType : (builtinType(local) ?? anySimpleType)
    const found = this.#findFrom('type', reference, place, from)
    return found ? this.#typeOf(found, found) : anySimpleType
  }

  #typeOf(place: Place, from?: Global): Type {
    const known = memo(this.#types, place)
    const made = known.get(place.schema.target)
    if (made) return made
    // A type that is derived from itself is refused by the engine.
    known.set(place.schema.target, place.node.local === 'simpleType' ? anySimpleType : anyType)
    const type =
      place.node.local === 'simpleType' ? this.#simpleTypeOf(place, from) : this.#complexTypeOf(place, from)
    const defined = type.kind === 'complex' && !from?.original ? { ...type, definition: place } : type
    known.set(place.schema.target, defined)
    return defined
  }
  #simpleTypeOf(place: Place, from?: Global): SimpleType {
    const [derivation] = childrenOf(place, 'restriction', 'list', 'union')
    const inline = derivation
      ? childrenOf(derivation, 'simpleType').map(child => simple(this.#typeOf(child)))
      : []
    if (!derivation) return anySimpleType
    if (derivation.node.local === 'list') {
      const item = attributeOf(derivation.node, 'itemType')
      return listOf(item ? simple(this.#typeNamed(item, derivation, from)) : (inline[0] ?? anySimpleType))
    }
    if (derivation.node.local === 'union') {
      const members = attributeOf(derivation.node, 'memberTypes')?.split(/[ \t\r\n]+/) ?? []
      const referred = members.filter(Boolean).map(each => simple(this.#typeNamed(each, derivation, from)))
      return unionOf([...referred, ...inline])
    }
    return restrict(simple(this.#baseType(derivation, from)), facetsOf(derivation.node))
  }
  #baseType(derivation: Place, from?: Global): Type {
    const base = attributeOf(derivation.node, 'base')
    if (base) return this.#typeNamed(base, derivation, from)
    const [inline] = childrenOf(derivation, 'simpleType')
    return inline ? this.#typeOf(inline) : anySimpleType
  }

  #complexTypeOf(place: Place, from?: Global): Type {
    const [content] = childrenOf(place, 'simpleContent', 'complexContent')
    const [derivation] = content ? childrenOf(content, 'restriction', 'extension') : []
    const base = derivation ? this.#baseType(derivation, from) : undefined
    const own = this.#contentOf(derivation ?? place)
    if (!derivation || !base) return own
    const isExtension = derivation.node.local === 'extension'
    const whole = base.kind === 'complex' ? base : anyType
    const attributes = new Map([...(base.kind === 'complex' ? base.attributes : []), ...own.attributes])
    for (const { node, schema } of childrenOf(derivation, 'attribute')) {
      if (attributeOf(node, 'use') === 'prohibited') attributes.delete(this.#attributeName({ node, schema }))
    }
    if (content?.node.local === 'simpleContent') {
      const [inline] = childrenOf(derivation, 'simpleType')
      const text = inline && !isExtension ? simple(this.#typeOf(inline)) : simple(base)
      const restricted = isExtension ? text : restrict(text, facetsOf(derivation.node))
      const attributeWildcards =
        base.kind === 'complex' && isExtension
          ? [...base.attributeWildcards, ...own.attributeWildcards]
          : own.attributeWildcards
      return { ...own, content: restricted, attributes, attributeWildcards }
    }
    if (!isExtension) return { ...own, attributes }
    return {
      kind: 'complex',
      elements: new Map([...whole.elements, ...own.elements]),
      repeated: new Set([
        ...whole.repeated,
        ...own.repeated,
        ...[...own.elements.keys()].filter(name => whole.elements.has(name)),
      ]),
      wildcards: [...whole.wildcards, ...own.wildcards],
      attributes,
      attributeWildcards: [...whole.attributeWildcards, ...own.attributeWildcards],
    }
  }
  /** The particles and attributes that are written in a place. */
  #contentOf(place: Place): ComplexType {
    const found = {
      elements: new Map<string, ElementDeclaration>(),
      repeated: new Set<string>(),
      wildcards: [] as Wildcard[],
      attributes: new Map<string, AttributeDeclaration>(),
      attributeWildcards: [] as Wildcard[],
    }
    this.#collect(place, found, new Set())
    return { kind: 'complex', ...found }
  }
  #collect(place: Place, found: Collected, seen: Set<SchemaNode>): void {
    for (const child of childrenOf(place, ...collected)) {
      const { node } = child
      const ref = attributeOf(node, 'ref')
      if (node.local === 'element') {
        const name = this.elementName(child)
        const declaration = ref ? this.element(name) : this.#elementAt(child, false)
        if (found.elements.has(name)) found.repeated.add(name)
        if (declaration) found.elements.set(name, declaration)
      } else if (node.local === 'attribute') {
        const declaration = this.#attributeAt(child)
        if (declaration && attributeOf(node, 'use') !== 'prohibited')
          found.attributes.set(this.#attributeName(child), declaration)
      } else if (node.local === 'any') found.wildcards.push(wildcard(child))
      else if (node.local === 'anyAttribute') found.attributeWildcards.push(wildcard(child))
      else if (node.local === 'group' || node.local === 'attributeGroup') {
        const target = ref ? this.#find(node.local, this.#named(ref, child)) : undefined
        // A redefinition refers to its original by its own name.
        const group = target && seen.has(target.node) ? target.original : target
        if (!group || seen.has(group.node)) continue
        seen.add(group.node)
        this.#collect(group, found, seen)
      } else this.#collect(child, found, seen)
    }
  }

  #attributeName(place: Place): string {
    const ref = attributeOf(place.node, 'ref')
    return ref ? this.#named(ref, place) : localName(place)
  }
  #elementAt(place: Place, isGlobal: boolean): ElementDeclaration {
    const known = memo(this.#elements, place)
    const made = known.get(place.schema.target)
    if (made) return made
    const declaration = { ...constraintOf(place), isGlobal, type: once(() => this.#elementType(place)) }
    known.set(place.schema.target, declaration)
    return declaration
  }
  #elementType(place: Place): Type {
    const seen = new Set<SchemaNode>()
    for (let at: Place | undefined = place; at && !seen.has(at.node); ) {
      seen.add(at.node)
      const type = attributeOf(at.node, 'type')
      if (type) return this.#typeNamed(type, at)
      const [inline] = childrenOf(at, 'simpleType', 'complexType')
      if (inline) return this.#typeOf(inline)
      const head = attributeOf(at.node, 'substitutionGroup')
      at = head ? this.#find('element', this.#named(head, at)) : undefined
    }
    return anyType
  }
  #attributeAt(place: Place): AttributeDeclaration | undefined {
    const ref = attributeOf(place.node, 'ref')
    if (!ref) return { ...constraintOf(place), type: once(() => this.#attributeType(place)) }
    const declaration = this.attribute(this.#named(ref, place))
    const constraint = constraintOf(place)
    const isOwn = constraint.fixed !== undefined || constraint.default !== undefined
    return declaration && isOwn ? { ...declaration, ...constraint } : declaration
  }
  #attributeType(place: Place): SimpleType {
    const type = attributeOf(place.node, 'type')
    if (type) return simple(this.#typeNamed(type, place))
    const [inline] = childrenOf(place, 'simpleType')
    return inline ? simple(this.#typeOf(inline)) : anySimpleType
  }
}

/** Computes a value when it is first wanted. */
function once<T>(compute: () => T): () => T {
  let known: T | undefined
  return () => {
    known ??= compute()
    return known
  }
}

function simple(type: Type): SimpleType {
  return type.kind === 'simple' ? type : (type.content ?? anySimpleType)
}

function localName({ node, schema }: Place): string {
  const form =
    attributeOf(node, 'form') ??
    attributeOf(schema.root, node.local === 'element' ? 'elementFormDefault' : 'attributeFormDefault')
  return expanded(form === 'qualified' ? schema.target : '', attributeOf(node, 'name') ?? '')
}

interface Collected {
  readonly elements: Map<string, ElementDeclaration>
  readonly repeated: Set<string>
  readonly wildcards: Wildcard[]
  readonly attributes: Map<string, AttributeDeclaration>
  readonly attributeWildcards: Wildcard[]
}

const collected = [
  ...['element', 'any', 'group', 'sequence', 'choice', 'all'],
  ...['attribute', 'anyAttribute', 'attributeGroup'],
]

function memo<T>(all: Map<SchemaNode, Map<string, T>>, { node }: Place): Map<string, T> {
  const known = all.get(node) ?? new Map<string, T>()
  all.set(node, known)
  return known
}

const facetNames = new Set([
  ...['length', 'minLength', 'maxLength', 'pattern', 'enumeration', 'whiteSpace', 'totalDigits'],
  ...['fractionDigits', 'minInclusive', 'minExclusive', 'maxInclusive', 'maxExclusive'],
])

function facetsOf(node: SchemaNode): readonly Facet[] {
  return node.children
    .filter(({ local }) => facetNames.has(local))
    .map(child => ({
      name: child.local,
      value: child.attributes.get('value')?.value ?? '',
      scope: child.scope,
    }))
}

function constraintOf(place: Place): Declaration {
  const fixed = place.node.attributes.get('fixed')?.value
  const value = place.node.attributes.get('default')?.value
  return {
    place,
    ...(fixed === undefined ? {} : { fixed }),
    ...(value === undefined ? {} : { default: value }),
  }
}
