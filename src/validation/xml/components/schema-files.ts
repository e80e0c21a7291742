import { attributeOf, expanded, readSchemaTree, type SchemaFile, type SchemaNode } from './schema-tree.js'

/** An element of a schema in its file. */
export interface Place {
  readonly node: SchemaNode
  readonly schema: Schema
}

/** The children with some local names. */
export function childrenOf({ node, schema }: Place, ...locals: readonly string[]): readonly Place[] {
  return node.children.filter(({ local }) => locals.includes(local)).map(child => ({ node: child, schema }))
}

/** A file with the namespace of its components, which an including file may have given to it. */
export interface Schema {
  readonly file: SchemaFile
  readonly root: SchemaNode
  readonly target: string
  /** The file has no namespace of its own and was included by one that has. */
  readonly isChameleon: boolean
}

/** A component that has a name in the whole schema. */
export interface Global extends Place {
  /** The component that this one redefines. */
  readonly original?: Global
}

export type GlobalKind = 'element' | 'attribute' | 'type' | 'group' | 'attributeGroup'

/** The kinds of the elements of a schema that declare something with a name in the whole schema. */
export const globalKinds: ReadonlyMap<string, GlobalKind> = new Map([
  ['element', 'element'],
  ['attribute', 'attribute'],
  ['simpleType', 'type'],
  ['complexType', 'type'],
  ['group', 'group'],
  ['attributeGroup', 'attributeGroup'],
])

export interface Globals {
  readonly schemas: readonly Schema[]
  /** By kind and name. */
  readonly globals: ReadonlyMap<string, Global>
}

/** Follows includes, imports and redefinitions from the first file. */
export function collectGlobals(files: readonly SchemaFile[]): Globals {
  const schemas: Schema[] = []
  const globals = new Map<string, Global>()
  const trees = new Map<string, SchemaNode | undefined>()
  const loaded = new Set<string>()

  function declare(parent: SchemaNode, schema: Schema, isRedefinition: boolean): void {
    for (const node of parent.children) {
      const kind = globalKinds.get(node.local)
      const name = attributeOf(node, 'name')
      if (kind === undefined || name === undefined) continue
      const key = `${kind} ${expanded(schema.target, name)}`
      const original = globals.get(key)
      if (original && !isRedefinition) continue
      globals.set(key, { node, schema, ...(original ? { original } : {}) })
    }
  }
  function load(name: string, includer: string | undefined): void {
    const file = files.find(other => other.name === name)
    if (!file) return
    if (!trees.has(name)) trees.set(name, readSchemaTree(file.text))
    const root = trees.get(name)
    if (root?.local !== 'schema') return
    const own = attributeOf(root, 'targetNamespace')
    const target = own ?? includer ?? ''
    if (loaded.has(`${name} ${target}`)) return
    loaded.add(`${name} ${target}`)
    const schema: Schema = { file, root, target, isChameleon: own === undefined && target !== '' }
    schemas.push(schema)
    declare(root, schema, false)
    for (const node of root.children) {
      const location = attributeOf(node, 'schemaLocation')
      if (location === undefined) continue
      if (node.local === 'import') load(location, undefined)
      else load(location, target)
      if (node.local === 'redefine') declare(node, schema, true)
    }
  }
  const [main] = files
  if (main) load(main.name, undefined)
  return { schemas, globals }
}
