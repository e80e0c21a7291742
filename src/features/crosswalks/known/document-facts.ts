import type { DocumentTree } from '../crosswalk/described-tree.js'
import { type DocumentPath, maxSteps, nodesAt, readPath } from '../crosswalk/document-path.js'
import type { TreeNode } from '../crosswalk/tree-node.js'

/** A schema whose documents are understood without a crosswalk in its record. */
export interface KnownSchema {
  /** The name that people use. */
  readonly name: string
  /** The official mapping to DataCite, or else the definition of the members that this crosswalk reads. */
  readonly source: string
  /** The crosswalk, as a schema's record would write it. @see docs/use/crosswalks.md */
  readonly crosswalk: Readonly<Record<string, unknown>>
  /** The path at which the paths of the crosswalk begin; undefined: the document, or its main entity. */
  readonly place?: string
  /** Other names that members of documents may have, by a name in the paths of the crosswalk. */
  readonly writtenAs?: (name: string) => readonly string[]
  /** Form of the `$id` of JSON Schemas whose documents follow the schema, also without a sign of it. */
  readonly schemaId?: RegExp
  /** Whether the document follows the schema. */
  matches(document: DocumentFacts): boolean
}

/** What tells the schema of a document. */
export interface DocumentFacts {
  readonly element: DocumentTree['element']
  /** The addresses in `@context` of JSON-LD that give a meaning to terms without a prefix. */
  readonly contexts: readonly string[]
  /** The types of the entity that linked data describes, or of all entities of its graph. */
  readonly types: readonly string[]
  /** Whether the entity has a type and a name of schema.org with a prefix or as whole addresses. */
  readonly hasPrefixedTerms: boolean
  /** Whether an element below the root has such a namespace. */
  hasChildIn(namespace: RegExp): boolean
  /** Whether XML has an element at the path, which begins with the root element. */
  hasElement(path: string): boolean
  /** The texts at a path in JSON; empty for XML. */
  texts(path: string): readonly string[]
  /** Whether JSON has something at all these paths. */
  has(...paths: readonly string[]): boolean
}

/** The paths of all known schemas that were read so far. */
const paths = new Map<string, DocumentPath | undefined>()

/** @param written of a known schema, not of a document: the path is kept */
function pathOf(written: string): DocumentPath | undefined {
  const known = paths.get(written) ?? readPath(written)
  paths.set(written, known)
  return known
}

/** The first node at the path, or else the node itself. */
export function nodeAt(node: TreeNode, written: string): TreeNode {
  const path = pathOf(written)
  return (path && nodesAt(node, path, { steps: maxSteps })[0]) ?? node
}

export function factsOf({
  root,
  element,
  entity,
  hasPrefixedTerms = false,
  namespaces = [],
}: DocumentTree): DocumentFacts {
  const nodes = (written: string): readonly TreeNode[] => {
    const path = pathOf(written)
    return path ? nodesAt(root, path, { steps: maxSteps }) : []
  }
  const at = (path: string) => (element ? [] : nodes(path))
  const textsOf = (found: readonly TreeNode[]) =>
    found.flatMap(({ text }) => (text === undefined ? [] : [text]))
  return {
    element,
    contexts: textsOf([...at('@context'), ...at('@context.@vocab'), ...(entity?.children('@context') ?? [])]),
    types: textsOf([...at('@type'), ...at('@graph.@type'), ...(entity?.children('@type') ?? [])]),
    hasPrefixedTerms,
    hasChildIn: form => namespaces.some(namespace => form.test(namespace)),
    hasElement: path => element !== undefined && nodes(path).length > 0,
    texts: path => textsOf(at(path)),
    has: (...paths) => paths.every(path => at(path).length > 0),
  }
}

/** Returns a test of the namespace of the root element, or of its name where documents have no namespace. */
export function xmlRoot(namespace: string | RegExp, ...locals: readonly string[]): KnownSchema['matches'] {
  return ({ element }) => {
    if (!element) return false
    const isNamespace =
      typeof namespace === 'string' ? element.namespace === namespace : namespace.test(element.namespace)
    return isNamespace && (locals.length === 0 || locals.includes(element.local))
  }
}

/** Gives a value for each text at the path in an entry, by a separator that no document can have. */
export function eachText(path: string): Readonly<Record<string, unknown>> {
  return { path, split: '\u001f' }
}
