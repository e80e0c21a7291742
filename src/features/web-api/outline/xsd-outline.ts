import type { SchemaBundle } from '../../../validation/validator.js'
import {
  childrenOf,
  collectGlobals,
  type Global,
  type Place,
} from '../../../validation/xml/components/schema-files.js'
import {
  attributeOf,
  expanded,
  resolveName,
  type SchemaNode,
  schemaNamespace,
} from '../../../validation/xml/components/schema-tree.js'
import { filesOfXsd } from '../../../validation/xml/xsd-compiler.js'
import {
  isShortValue,
  type OutlineCollector,
  type OutlineMember,
  type OutlineType,
  type OutlineValue,
  openOutlineCollector,
  type SchemaOutline,
} from './schema-outline.js'
import {
  documentationOf,
  isAbstract,
  isQualified,
  named,
  type Occurrence,
  occurrenceOf,
  within,
} from './xsd-declaration.js'

/**
 * The outline of an XML Schema with the files that it includes and imports. A type that extends another one has the
 * members of both. An element that may stand for another one by a substitution group is a member, too.
 * @throws ProblemError `unprocessable` with findings if a file cannot be read
 */
export function outlineOfXsd(bundle: SchemaBundle): SchemaOutline {
  const { files, lost } = filesOfXsd(bundle)
  const { schemas, globals } = collectGlobals(files)
  const collector = openOutlineCollector()
  if (lost.length > 0) collector.lacks()
  const types = new XsdTypes(globals, collector)
  const [main] = schemas
  const roots: OutlineMember[] = []
  // The elements of the namespace of the schema come first.
  const declared = [...globals].flatMap(([key, place]) => (key.startsWith('element ') ? [place] : []))
  for (const isOwn of [true, false])
    for (const place of declared) {
      if ((place.schema.target === main?.target) !== isOwn || isAbstract(place)) continue
      const root = types.element(place, { min: 1, max: 1 })
      if (root) roots.push(root)
    }
  const documentation = main && types.documentation({ node: main.root, schema: main })
  return {
    type: 'XML',
    ...(documentation !== undefined && { documentation }),
    ...(main && main.target !== '' && { namespace: main.target }),
    roots,
    ...collector.finish(),
  }
}

/** Limit of the places that are read for one type, as groups may refer to each other. */
const maxPlaces = 20_000

/** A complex type while its content is read. */
interface Content {
  readonly members: Map<string, OutlineMember>
  open: boolean
  mixed: boolean
  text?: string
  /** The groups and types around a place, which may refer to themselves. */
  readonly around: Set<SchemaNode>
  places: number
}

class XsdTypes {
  readonly #globals: ReadonlyMap<string, Global>
  readonly #collector: OutlineCollector
  readonly #documentation = new Map<string, ReadonlyMap<number, string>>()
  readonly #substitutes: ReadonlyMap<string, readonly Place[]>
  readonly #anonymous = new Map<SchemaNode, string>()

  constructor(globals: ReadonlyMap<string, Global>, collector: OutlineCollector) {
    this.#globals = globals
    this.#collector = collector
    const substitutes = new Map<string, Place[]>()
    for (const [key, place] of globals) {
      const head = key.startsWith('element ') ? attributeOf(place.node, 'substitutionGroup') : undefined
      if (!head) continue
      const name = named(head, place)
      substitutes.set(name, [...(substitutes.get(name) ?? []), place])
    }
    this.#substitutes = substitutes
  }

  documentation({ node, schema }: Place): string | undefined {
    const { name, text } = schema.file
    const known = this.#documentation.get(name) ?? documentationOf(text)
    this.#documentation.set(name, known)
    return known.get(node.start)
  }

  /** The member that a declaration of an element makes; undefined if there are too many. */
  element(place: Place, occurrence: Occurrence): OutlineMember | undefined {
    if (!this.#collector.mayAdd()) return undefined
    const name = attributeOf(place.node, 'name') ?? ''
    const isGlobal = this.#globals.get(`element ${expanded(place.schema.target, name)}`)?.node === place.node
    return this.#member('element', name, place, isGlobal || isQualified(place, 'element'), occurrence)
  }

  #member(
    kind: OutlineMember['kind'],
    name: string,
    place: Place,
    isInNamespace: boolean,
    { min, max }: Occurrence,
  ): OutlineMember {
    const type = this.#typeOf(place)
    const documentation = this.documentation(place)
    const fixed = place.node.attributes.get('fixed')?.value
    const usual = place.node.attributes.get('default')?.value
    return {
      ...{ kind, name },
      ...(isInNamespace && place.schema.target !== '' && { namespace: place.schema.target }),
      ...(type !== undefined && { type }),
      min,
      ...(max !== undefined && { max }),
      ...(documentation !== undefined && { documentation }),
      ...(fixed !== undefined && { fixed }),
      ...(usual !== undefined && { default: usual }),
    }
  }

  /** The key of the type of an element or attribute; undefined if it may have any content. */
  #typeOf(place: Place): string | undefined {
    const seen = new Set<SchemaNode>()
    for (let at: Place | undefined = place; at && !seen.has(at.node); ) {
      seen.add(at.node)
      const type = attributeOf(at.node, 'type')
      if (type) return this.#keyOfName(type, at)
      const [inline] = childrenOf(at, 'simpleType', 'complexType')
      if (inline) return this.#keyOfPlace(inline)
      const head = attributeOf(at.node, 'substitutionGroup')
      at = head ? this.#globals.get(`element ${named(head, at)}`) : undefined
    }
    return undefined
  }

  #keyOfName(reference: string, place: Place): string | undefined {
    const [namespace, local] = resolveName(reference, place.node.scope)
    if (namespace === schemaNamespace) {
      if (local === 'anyType') return undefined
      return this.#collector.typeOf(`xs:${local}`, () => ({ kinds: [local] }))
    }
    const found = this.#globals.get(`type ${named(reference, place)}`)
    if (found) return this.#keyOfPlace(found)
    this.#collector.lacks()
    return undefined
  }

  #keyOfPlace(place: Place): string | undefined {
    const name = attributeOf(place.node, 'name')
    const global = name === undefined ? undefined : expanded(place.schema.target, name)
    // A redefined type has the name of the type that redefines it.
    const isNamed = global !== undefined && this.#globals.get(`type ${global}`)?.node === place.node
    const anonymous = this.#anonymous.get(place.node) ?? `type ${this.#anonymous.size + 1}`
    if (!isNamed) this.#anonymous.set(place.node, anonymous)
    const key = isNamed
      ? global
      : `${anonymous} ${place.schema.isChameleon ? place.schema.target : ''}`.trim()
    return this.#collector.typeOf(key, () => {
      const documentation = this.documentation(place)
      const type = place.node.local === 'simpleType' ? this.#simpleType(place) : this.#complexType(place)
      return {
        ...(isNamed && name !== undefined && { name }),
        ...(documentation !== undefined && { documentation }),
        ...type,
      }
    })
  }

  #simpleType(place: Place): OutlineType {
    const [derivation] = childrenOf(place, 'restriction', 'list', 'union')
    if (!derivation) return {}
    const inline = childrenOf(derivation, 'simpleType').flatMap(each => this.#keyOfPlace(each) ?? [])
    if (derivation.node.local === 'restriction') return this.#restriction(derivation)
    const listed = (
      attributeOf(derivation.node, 'itemType') ??
      attributeOf(derivation.node, 'memberTypes') ??
      ''
    )
      .split(/[ \t\r\n]+/)
      .filter(each => each !== '')
      .flatMap(each => this.#keyOfName(each, derivation) ?? [])
    const [item] = [...listed, ...inline]
    if (derivation.node.local === 'union') return { alternatives: [...listed, ...inline] }
    return item === undefined ? {} : { items: item }
  }

  /** A restriction of a text, with what it inherits of other restrictions. */
  #restriction(derivation: Place): OutlineType {
    const facets: Record<string, unknown> = {}
    let values: OutlineValue[] | undefined
    const seen = new Set<SchemaNode>()
    for (let at: Place | undefined = derivation; at && !seen.has(at.node); ) {
      seen.add(at.node)
      const own: OutlineValue[] = []
      for (const facet of at.node.children) {
        const value = facet.attributes.get('value')?.value
        if (value === undefined || !isShortValue(value)) continue
        if (facet.local !== 'enumeration') facets[facet.local] ??= value
        else if (this.#collector.mayAdd()) {
          const documentation = this.documentation({ node: facet, schema: at.schema })
          own.push({ value, ...(documentation !== undefined && { documentation }) })
        }
      }
      if (!values && own.length > 0) values = own
      const base: string | undefined = attributeOf(at.node, 'base')
      const [namespace, local] = base ? resolveName(base, at.node.scope) : []
      const shape = { ...(values && { values }), ...(Object.keys(facets).length > 0 && { facets }) }
      if (namespace === schemaNamespace && local !== undefined) return { kinds: [local], ...shape }
      const [inline] = childrenOf(at, 'simpleType')
      const target: Place | undefined = base ? this.#globals.get(`type ${named(base, at)}`) : inline
      const [next]: readonly Place[] = target ? childrenOf(target, 'restriction') : []
      if (next) at = next
      else return target?.node.local === 'simpleType' ? { ...this.#simpleType(target), ...shape } : shape
    }
    return { ...(values && { values }) }
  }

  #complexType(place: Place): OutlineType {
    const content: Content = { members: new Map(), open: false, mixed: false, around: new Set(), places: 0 }
    this.#addType(place, content)
    const { members, open, mixed, text } = content
    return {
      members: [...members.values()],
      open,
      ...(mixed && { mixed }),
      ...(text !== undefined && { text }),
    }
  }

  /** Adds the content of a complex type, after that of the type that it extends. */
  #addType(place: Place, into: Content): void {
    if (into.around.has(place.node)) return
    into.around.add(place.node)
    if (attributeOf(place.node, 'mixed') === 'true') into.mixed = true
    const [content] = childrenOf(place, 'simpleContent', 'complexContent')
    const [derivation] = content ? childrenOf(content, 'restriction', 'extension') : []
    if (!content || !derivation) {
      this.#addParticles(place, into, { min: 1, max: 1 })
      return
    }
    if (attributeOf(content.node, 'mixed') === 'true') into.mixed = true
    const isExtension = derivation.node.local === 'extension'
    const base = attributeOf(derivation.node, 'base') ?? ''
    const target = this.#baseOf(place, base, derivation)
    if (content.node.local === 'simpleContent') this.#addText(base, derivation, target, into)
    if (target?.node.local === 'complexType') {
      const own = isExtension ? into : { ...into, members: new Map<string, OutlineMember>() }
      this.#addType(target, own)
      // A restriction writes its elements anew, and keeps the attributes.
      if (!isExtension)
        for (const [key, member] of own.members)
          if (member.kind === 'attribute') into.members.set(key, member)
      into.mixed ||= own.mixed && isExtension
      if (own.text !== undefined) into.text ??= own.text
    }
    this.#addParticles(derivation, into, { min: 1, max: 1 })
  }

  /** The type with a name; within a redefinition its own name means the original. */
  #baseOf(place: Place, reference: string, at: Place): Place | undefined {
    const found = this.#globals.get(`type ${named(reference, at)}`)
    return found?.node === place.node ? found.original : found
  }

  #addText(base: string, derivation: Place, target: Place | undefined, into: Content): void {
    const [inline] = childrenOf(derivation, 'simpleType')
    const hasFacets = derivation.node.children.some(
      ({ local }) => local === 'enumeration' || local === 'pattern',
    )
    if (inline) into.text = this.#keyOfPlace(inline) ?? ''
    else if (derivation.node.local === 'restriction' && hasFacets) {
      const key = this.#anonymous.get(derivation.node) ?? `type ${this.#anonymous.size + 1}`
      this.#anonymous.set(derivation.node, key)
      into.text = this.#collector.typeOf(key, () => this.#restriction(derivation)) ?? ''
    } else if (target?.node.local !== 'complexType') {
      const key = this.#keyOfName(base, derivation)
      if (key !== undefined) into.text = key
    }
    if (into.text === '') delete into.text
  }

  #addParticles(place: Place, into: Content, around: Occurrence): void {
    if (++into.places > maxPlaces) {
      this.#collector.lacks()
      return
    }
    for (const child of childrenOf(place, ...particles)) {
      const { node } = child
      const occurrence = within(around, occurrenceOf(node), place.node.local === 'choice')
      const ref = attributeOf(node, 'ref')
      if (node.local === 'any' || node.local === 'anyAttribute') into.open = true
      else if (node.local === 'element') this.#addElement(child, into, occurrence)
      else if (node.local === 'attribute') this.#addAttribute(child, into)
      else if (node.local === 'group' || node.local === 'attributeGroup') {
        const found = ref ? this.#globals.get(`${node.local} ${named(ref, child)}`) : undefined
        const group = found && into.around.has(found.node) ? found.original : found
        if (!group || into.around.has(group.node)) continue
        into.around.add(group.node)
        this.#addParticles(group, into, occurrence)
        into.around.delete(group.node)
      } else this.#addParticles(child, into, occurrence)
    }
  }

  #addElement(place: Place, into: Content, occurrence: Occurrence): void {
    const ref = attributeOf(place.node, 'ref')
    if (occurrence.max === 0) return
    if (!ref) {
      this.#put(into, this.element(place, occurrence))
      return
    }
    const name = named(ref, place)
    const declared = this.#globals.get(`element ${name}`)
    if (!declared) {
      this.#collector.lacks()
      return
    }
    const others = this.#allSubstitutes(name)
    const own = others.length > 0 ? { ...occurrence, min: 0 } : occurrence
    if (!isAbstract(declared)) this.#put(into, this.element(declared, own))
    for (const other of others) this.#put(into, this.element(other, { ...occurrence, min: 0 }))
  }

  /** The elements that may stand for an element. */
  #allSubstitutes(head: string): readonly Place[] {
    const heads = new Set([head])
    const found: Place[] = []
    for (const name of heads)
      for (const place of this.#substitutes.get(name) ?? []) {
        heads.add(expanded(place.schema.target, attributeOf(place.node, 'name') ?? ''))
        if (!isAbstract(place)) found.push(place)
      }
    return found
  }

  #addAttribute(place: Place, into: Content): void {
    const ref = attributeOf(place.node, 'ref')
    const use = attributeOf(place.node, 'use')
    const declared = ref ? this.#globals.get(`attribute ${named(ref, place)}`) : place
    const name = ref ? resolveName(ref, place.node.scope)[1] : (attributeOf(place.node, 'name') ?? '')
    const target = declared ?? place
    if (!this.#collector.mayAdd()) return
    const isInNamespace = ref !== undefined || isQualified(place, 'attribute')
    const occurrence = { min: use === 'required' ? 1 : 0, max: 1 }
    const member = this.#member('attribute', name, target, isInNamespace, occurrence)
    const fixed = place.node.attributes.get('fixed')?.value
    const usual = place.node.attributes.get('default')?.value
    const whole = {
      ...member,
      ...(fixed !== undefined && { fixed }),
      ...(usual !== undefined && { default: usual }),
    }
    if (use === 'prohibited') into.members.delete(keyOf(whole))
    else into.members.set(keyOf(whole), whole)
  }

  /** Adds an element. One that is declared in several places of a type is one member that may occur more often. */
  #put(into: Content, member: OutlineMember | undefined): void {
    if (!member) return
    const known = into.members.get(keyOf(member))
    const { max: _, ...unlimited } = member
    into.members.set(keyOf(member), known ? { ...unlimited, min: Math.min(known.min, member.min) } : member)
  }
}

const particles = [
  ...['element', 'any', 'group', 'sequence', 'choice', 'all'],
  ...['attribute', 'anyAttribute', 'attributeGroup'],
]

function keyOf({ kind, namespace = '', name }: OutlineMember): string {
  return `${kind} ${expanded(namespace, name)}`
}
