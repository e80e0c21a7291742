import type { DocumentTree, TreeNode } from '../crosswalk/described-tree.js'

/** A schema whose documents are understood without a crosswalk in its record. */
export interface KnownSchema {
  /** The name that people use. */
  readonly name: string
  /** The official mapping to DataCite, or else the definition of the members that this crosswalk reads. */
  readonly source: string
  /** The crosswalk, as a schema's record would write it. @see docs/use/crosswalks.md */
  readonly crosswalk: Readonly<Record<string, unknown>>
  /** Whether the document follows the schema. */
  matches(document: DocumentFacts): boolean
}

/** What tells the schema of a document. */
export interface DocumentFacts {
  readonly element: DocumentTree['element']
  /** `$id` of the JSON Schema of the document, or the target namespace of its XML Schema; undefined if unknown. */
  readonly schemaName: string | undefined
  /** The addresses in `@context` of JSON-LD. */
  readonly contexts: readonly string[]
  /** Whether an element below the root has such a namespace. */
  hasChildIn(namespace: RegExp): boolean
  /** The texts at a member of JSON; empty for XML. */
  texts(name: string): readonly string[]
  /** Whether JSON has all these members. */
  has(...names: readonly string[]): boolean
}

export function factsOf(
  { root, element, namespaces = [] }: DocumentTree,
  schemaName: string | undefined,
): DocumentFacts {
  const children = (name: string): readonly TreeNode[] => (element ? [] : root.children(name))
  return {
    element,
    schemaName,
    contexts: children('@context').flatMap(contextsIn),
    hasChildIn: form => namespaces.some(namespace => form.test(namespace)),
    texts: name => children(name).flatMap(({ text }) => (text === undefined ? [] : [text])),
    has: (...names) => names.every(name => children(name).length > 0),
  }
}

/** The address that a context is, or those that it gives prefixes. */
function contextsIn(context: TreeNode): readonly string[] {
  if (context.text !== undefined) return [context.text]
  const terms = context.names().flatMap(name => context.children(name))
  return terms.flatMap(({ text }) => (text === undefined ? [] : [text]))
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
