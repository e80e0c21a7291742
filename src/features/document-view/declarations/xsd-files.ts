import { decodeXmlLeniently } from '../../../core/xml/xml-encoding.js'
import { identityOf, type ReferenceTarget, resolveReference } from '../../../validation/reference-resolver.js'
import type { SchemaBundle } from '../../../validation/validator.js'
import { type GlobalKind, globalKinds } from '../../../validation/xml/components/schema-files.js'
import {
  attributeOf,
  expanded,
  readSchemaTree,
  resolveName,
  type SchemaNode,
} from '../../../validation/xml/components/schema-tree.js'
import { readDocumentation } from '../../../validation/xml/schema-documentation.js'

/* The components of an XML schema that have a name in the whole schema, with the documentation of all its elements. */

/** A file of a schema. */
interface XsdFile {
  /** The namespace of its components, which an including file may have given to it. */
  readonly target: string
  /** By the start of the element that is documented. */
  readonly documentation: ReadonlyMap<number, string>
}

/** An element of a schema in its file. */
export interface XsdPlace {
  readonly node: SchemaNode
  readonly file: XsdFile
}

export interface XsdComponents {
  /** The elements that a document may begin with, in the order of the schema. */
  readonly elements: readonly XsdPlace[]
  /** Counts a step of work. @returns false if the limit of the work for one document is reached */
  step(): boolean
  /** The component that an attribute such as `ref` or `type` names; undefined if it is unknown. */
  find(kind: GlobalKind, reference: string, from: XsdPlace): XsdPlace | undefined
  /** The element with a namespace and a local name. */
  element(namespace: string, local: string): XsdPlace | undefined
  /** Elements that may stand in the place of an element. */
  substitutes(element: XsdPlace): readonly XsdPlace[]
}

/** Limits of the files that are read, and of the steps of work: groups may refer to groups many times. */
const maxFiles = 200
const maxSteps = 50_000

/** Reads a schema and the files that it includes and imports. A file without a target is left out. */
export function readXsdComponents(bundle: SchemaBundle): XsdComponents {
  const components = new Map<string, XsdPlace>()
  const elements: XsdPlace[] = []
  const substitutes = new Map<string, XsdPlace[]>()
  const loaded = new Set<string>()
  let steps = 0

  function declare(parent: SchemaNode, file: XsdFile, isMain: boolean, replaces: boolean): void {
    for (const node of parent.children) {
      const kind = globalKinds.get(node.local)
      const name = attributeOf(node, 'name')
      if (kind === undefined || name === undefined) continue
      const key = `${kind} ${expanded(file.target, name)}`
      if (components.has(key) && !replaces) continue
      const place = { node, file }
      components.set(key, place)
      if (kind !== 'element') continue
      if (isMain) elements.push(place)
      const head = attributeOf(node, 'substitutionGroup')
      const [namespace, local] = head === undefined ? [] : resolveName(head, node.scope)
      if (namespace === undefined || local === undefined) continue
      const headKey = expanded(namespace, local)
      substitutes.set(headKey, [...(substitutes.get(headKey) ?? []), place])
    }
  }

  function load(place: ReferenceTarget, includer: string | undefined): void {
    const bytes = place.file === undefined ? bundle.document : bundle.files.get(place.file)
    if (!bytes || loaded.size === maxFiles) return
    const text = decodeXmlLeniently(bytes)
    const root = readSchemaTree(text)
    if (root?.local !== 'schema') return
    const target = attributeOf(root, 'targetNamespace') ?? includer ?? ''
    const key = `${identityOf(place)} ${target}`
    if (loaded.has(key)) return
    loaded.add(key)
    const file = { target, documentation: documentationIn(text) }
    const isMain = place.file === undefined
    declare(root, file, isMain, false)
    for (const node of root.children) {
      const location = attributeOf(node, 'schemaLocation')
      const to = location === undefined ? undefined : resolveReference(location, place)
      if (to?.bundle === bundle) load(to, node.local === 'import' ? undefined : target)
      if (node.local === 'redefine' || node.local === 'override') declare(node, file, isMain, true)
    }
  }
  load({ bundle }, undefined)

  return {
    elements,
    step: () => ++steps <= maxSteps,
    element: (namespace, local) => components.get(`element ${expanded(namespace, local)}`),
    find(kind, reference, { node, file }) {
      const [namespace, local] = resolveName(reference, node.scope)
      const inNamespace = (name: string) => components.get(`${kind} ${expanded(name, local)}`)
      // A file without a namespace that was included by one with a namespace names the components of that one.
      return inNamespace(namespace ?? '') ?? (namespace === '' ? inNamespace(file.target) : undefined)
    },
    substitutes({ node, file }) {
      return substitutes.get(expanded(file.target, attributeOf(node, 'name') ?? '')) ?? []
    },
  }
}

/** The first text of `xs:documentation` of each element, by the start of the element. English is preferred. */
function documentationIn(text: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const [start, all] of readDocumentation(text)) {
    const written = all.filter(each => each.text.trim() !== '')
    const preferred = written.find(({ language }) => language.startsWith('en')) ?? written[0]
    if (preferred) found.set(start, preferred.text.trim())
  }
  return found
}
