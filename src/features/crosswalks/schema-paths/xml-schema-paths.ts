import type { SchemaBundle } from '../../../validation/validator.js'
import {
  anyType,
  type ComplexType,
  readComponents,
  type SchemaComponents,
  type Type,
} from '../../../validation/xml/components/schema-components.js'
import { childrenOf, type Place, type Schema } from '../../../validation/xml/components/schema-files.js'
import { attributeOf, expanded, type SchemaNode } from '../../../validation/xml/components/schema-tree.js'
import { filesOfXsd } from '../../../validation/xml/xsd-compiler.js'

/*
 * The paths that documents of an XML Schema can have: from the global elements through the types of elements, with what
 * is included and imported. A path counts as possible wherever this is not certain.
 */

/** The steps that are left for one path; beyond them the path counts as possible. */
export interface PathSteps {
  left: number
}

/** Whether a document can have the names of a path. */
export type IsPossible = (names: readonly string[], steps: PathSteps) => boolean

/** Limit of the characters of a schema whose paths are checked. */
const maxCharacters = 4 * 2 ** 20
/** Elements of XML Schema 1.1 with which documents may have names that types do not declare. */
const openParts = new Set(['override', 'alternative', 'openContent', 'defaultOpenContent'])

/** Attributes that no schema declares. */
const reserved = [
  ...['@lang', '@space', '@base', '@id', '@type', '@nil'],
  ...['@schemaLocation', '@noNamespaceSchemaLocation'],
]

/** @returns undefined if documents of the schema may have other names than it declares */
export function xmlPaths(bundle: SchemaBundle): IsPossible | undefined {
  const names = namesOf(bundle)
  return names && ((path, steps) => names.isPossible(path, steps))
}

/** The names of a schema; undefined if documents may have others. */
function namesOf(bundle: SchemaBundle): XmlSchemaNames | undefined {
  const { files, lost } = filesOfXsd(bundle)
  const size = files.reduce((sum, { text }) => sum + text.length, 0)
  if (lost.length > 0 || size > maxCharacters) return undefined
  const components = readComponents(files)
  const isOpen = components.schemas.some(({ root }) => hasPart(root, openParts))
  return isOpen ? undefined : new XmlSchemaNames(components)
}

function hasPart(root: SchemaNode, parts: ReadonlySet<string>): boolean {
  const waiting = [root]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (parts.has(node.local)) return true
    waiting.push(...node.children)
  }
  return false
}

const localOf = (name: string) => name.slice(name.indexOf('}') + 1)
const namespaceOf = (name: string) => name.slice(1, name.indexOf('}'))

class XmlSchemaNames {
  readonly #components: SchemaComponents
  /** Names of global elements by their local names. */
  readonly #globals = new Map<string, string[]>()
  /** Global elements that may stand for another one, by its name. */
  readonly #substitutes = new Map<string, string[]>()
  /** Names of global types that are derived from another one, by its name. */
  readonly #derived = new Map<string, string[]>()
  /** Global types with text alone, which an element with text may have in place of its own. */
  readonly #withText: Type[] = []
  /** The types of the elements in a type, by local names; undefined for one that cannot be read. */
  readonly #inside = new Map<ComplexType, ReadonlyMap<string, readonly (() => Type | undefined)[]>>()
  /** The types that an element of a type may have. */
  readonly #possible = new Map<Type, readonly Type[]>()

  constructor(components: SchemaComponents) {
    this.#components = components
    for (const schema of components.schemas)
      for (const place of globalsOf(schema)) {
        const name = expanded(schema.target, attributeOf(place.node, 'name') ?? '')
        if (place.node.local === 'element') {
          add(this.#globals, localOf(name), name)
          for (const head of components.headsOf(name)) add(this.#substitutes, head, name)
        } else this.#addType(name, place)
      }
  }

  #addType(name: string, place: Place): void {
    const [content] = childrenOf(place, 'simpleContent', 'complexContent')
    const [derivation] = content ? childrenOf(content, 'restriction', 'extension') : []
    const base = derivation && attributeOf(derivation.node, 'base')
    if (derivation && base) add(this.#derived, this.#components.nameOf(base, derivation), name)
    const type = this.#components.type(name)
    if (content?.node.local === 'simpleContent' && type) this.#withText.push(type)
  }

  isPossible(names: readonly string[], steps: PathSteps): boolean {
    const may = (from: number, type: Type | undefined) => type === undefined || below(from, type)
    const types = (from: number, declared: readonly string[]): boolean =>
      declared.some(name => may(from, this.#components.element(name)?.type()))

    const below = (from: number, declared: Type): boolean =>
      from === names.length ||
      this.#typesFor(declared).some(type => {
        if (--steps.left < 0) return true
        if (type === anyType) return true
        const [name = ''] = names.slice(from)
        // Only the text and attributes of an element end a path.
        if (name === '#text') return from + 1 === names.length
        if (name.startsWith('@')) {
          const whole = names.slice(from).join('.')
          if (reserved.includes(whole)) return true
          return (
            type.kind === 'complex' &&
            (type.attributeWildcards.length > 0 ||
              [...type.attributes.keys()].some(attribute => `@${localOf(attribute)}` === whole))
          )
        }
        return type.kind === 'complex' && child(from, type)
      })

    const child = (from: number, type: ComplexType): boolean => {
      const { wildcards } = type
      // Elements that a lax wildcard accepts may have any name.
      if (wildcards.some(({ process }) => process !== 'strict')) return true
      const inside = this.#elementsIn(type)
      for (let end = from + 1; end <= names.length; end++) {
        if (--steps.left < 0) return true
        const local = names.slice(from, end).join('.')
        if (inside.get(local)?.some(typeOf => may(end, typeOf()))) return true
        const globals = this.#globals.get(local) ?? []
        const accepted = globals.filter(name => wildcards.some(each => each.accepts(namespaceOf(name))))
        if (types(end, accepted)) return true
      }
      return false
    }

    for (let end = 1; end <= names.length; end++)
      if (types(end, this.#globals.get(names.slice(0, end).join('.')) ?? [])) return true
    return false
  }

  /** The elements that a type declares, and those that may stand for them. */
  #elementsIn(type: ComplexType): ReadonlyMap<string, readonly (() => Type | undefined)[]> {
    const known = this.#inside.get(type)
    if (known) return known
    const found = new Map<string, (() => Type | undefined)[]>()
    for (const [name, declaration] of type.elements) {
      add(found, localOf(name), declaration.type)
      for (const other of this.#substitutes.get(name) ?? [])
        add(found, localOf(other), () => this.#components.element(other)?.type())
    }
    this.#inside.set(type, found)
    return found
  }

  /** The type of an element, and those that `xsi:type` can give it. */
  #typesFor(declared: Type): readonly Type[] {
    const known = this.#possible.get(declared) ?? this.#allTypesFor(declared)
    this.#possible.set(declared, known)
    return known
  }

  #allTypesFor(declared: Type): readonly Type[] {
    if (declared.kind === 'simple') return [declared, ...this.#withText]
    const { definition } = declared
    // A redefined type is not known by its name.
    if (!definition) return [anyType]
    const name = attributeOf(definition.node, 'name')
    if (name === undefined) return [declared]
    const derived = new Set([expanded(definition.schema.target, name)])
    for (const each of derived) for (const other of this.#derived.get(each) ?? []) derived.add(other)
    return [...derived].flatMap(each => this.#components.type(each) ?? [])
  }
}

/** The global elements and types of a file, also those that it redefines. */
function globalsOf(schema: Schema): readonly Place[] {
  const whole = { node: schema.root, schema }
  return [whole, ...childrenOf(whole, 'redefine')]
    .flatMap(place => childrenOf(place, 'element', 'complexType'))
    .filter(({ node }) => attributeOf(node, 'name') !== undefined)
}

function add<T>(all: Map<string, T[]>, key: string, value: T): void {
  const known = all.get(key)
  if (known) known.push(value)
  else all.set(key, [value])
}
