import { LRUCache } from 'lru-cache'
import { readXml, type Scope, splitName } from '../../../core/xml/xml-reader.js'

export const schemaNamespace = 'http://www.w3.org/2001/XMLSchema'

/** A file of a schema. Its locations are names of other files. */
export interface SchemaFile {
  readonly name: string
  readonly text: string
}

export interface SchemaAttribute {
  readonly value: string
  /** The range of the value in the text, without quotes. */
  readonly start: number
  readonly end: number
}

/** An element of XML Schema in a file. Other elements, and everything in `xs:annotation`, are left out. */
export interface SchemaNode {
  readonly local: string
  /** The attributes without a namespace. */
  readonly attributes: ReadonlyMap<string, SchemaAttribute>
  readonly children: readonly SchemaNode[]
  readonly scope: Scope
  /** The range of the whole element in the text. */
  readonly start: number
  readonly end: number
  /** The end of the start tag. */
  readonly tagEnd: number
}

/** Reads a well-formed file. @returns undefined if the file is not well-formed or has no elements of XML Schema */
export function readSchemaTree(text: string): SchemaNode | undefined {
  const open: ((SchemaNode & { children: SchemaNode[]; end: number }) | undefined)[] = []
  let root: SchemaNode | undefined
  const isComplete = readXml(text, {
    open(element) {
      const parent = open.at(-1)
      const isKept =
        element.namespace === schemaNamespace &&
        element.local !== 'annotation' &&
        (open.length === 0 || parent !== undefined)
      if (!isKept) {
        open.push(undefined)
        return
      }
      const own = element.attributes.filter(({ namespace }) => namespace === '')
      const node = {
        local: element.local,
        attributes: new Map(own.map(each => [each.local, each] as const)),
        children: [],
        scope: element.scope,
        start: element.start,
        end: element.end,
        tagEnd: element.end,
      }
      parent?.children.push(node)
      root ??= node
      open.push(node)
    },
    close(_start, end) {
      const node = open.pop()
      if (node) node.end = end
    },
  })
  return isComplete ? root : undefined
}

export function attributeOf(node: SchemaNode, attribute: string): string | undefined {
  return node.attributes.get(attribute)?.value.trim()
}

/** Name of a component or an element with its namespace: `{namespace}local`. */
export function expanded(namespace: string, local: string): string {
  let known = expandedNames.get(namespace)
  if (!known || known.size > 10_000) {
    known = new Map()
    expandedNames.set(namespace, known)
  }
  let name = known.get(local)
  if (name === undefined) {
    name = `{${namespace}}${local}`
    known.set(local, name)
  }
  return name
}

/** Names by namespace and local name: documents repeat their names, and new strings are slow as keys of maps. */
const expandedNames = new LRUCache<string, Map<string, string>>({ max: 1000 })

/** Resolves a qualified name. The namespace of an unknown prefix is `undefined`. */
export function resolveName(
  name: string,
  scope: Scope,
): readonly [namespace: string | undefined, local: string] {
  const [prefix, local] = splitName(name)
  return [prefix === '' ? (scope.get('') ?? '') : scope.get(prefix), local]
}
