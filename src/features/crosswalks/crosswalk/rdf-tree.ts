import { mainClasses } from './linked-data.js'
import type { TreeNode } from './tree-node.js'

/*
 * RDF in XML, as the same document in JSON-LD would be: its entities have the members `@id`, `@type` and `@language`, and
 * properties with the usual prefixes.
 */

/** Prefixes of the properties that are found, by the local names of their elements. */
const prefixes = new Set(['adms', 'dcat', 'dct', 'foaf', 'locn', 'owl', 'rdfs', 'schema', 'skos', 'vcard'])

const dcatClasses = ['Catalog', 'DatasetSeries', 'Dataset', 'DataService']
const vcardClasses = ['Individual', 'Kind']

/** Entities by their addresses. */
type Graph = () => ReadonlyMap<string, RdfNode>

/**
 * The entity that a document is about: the first catalogue, series of data sets, data set or service.
 * @param element the root element
 * @param local its local name
 */
export function mainRdfEntity(element: TreeNode, local: string): TreeNode | undefined {
  let known: ReadonlyMap<string, RdfNode> | undefined
  const graph: Graph = () => {
    known ??= entitiesBelow(element, graph)
    return known
  }
  if (local !== 'RDF') return dcatClasses.includes(local) ? new RdfNode(element, local, graph) : undefined
  const entities = elementsIn(element).map(([name, node]) => new RdfNode(node, name, graph))
  const byClass = mainClasses.map(form =>
    entities.find(entity => entity.children('@type').some(({ text = '' }) => form.test(text))),
  )
  return byClass.find(entity => entity !== undefined)
}

/** The elements inside, with their local names. */
function elementsIn(node: TreeNode): readonly (readonly [local: string, node: TreeNode])[] {
  const names = node.names().filter(name => !name.startsWith('@'))
  return names.flatMap(name => node.children(name).map(child => [name, child] as const))
}

function entitiesBelow(element: TreeNode, graph: Graph): ReadonlyMap<string, RdfNode> {
  const found = new Map<string, RdfNode>()
  const rest = [...elementsIn(element)]
  for (let next = rest.pop(); next; next = rest.pop()) {
    const [local, node] = next
    const [about] = [...node.children('@about'), ...node.children('@nodeID')]
    const inside = elementsIn(node)
    if (about?.text !== undefined && inside.length > 0) found.set(about.text, new RdfNode(node, local, graph))
    for (const each of inside) rest.push(each)
  }
  return found
}

class RdfNode implements TreeNode {
  readonly hasDottedNames = false

  /** @param local name of the class; undefined for the value of a property */
  constructor(
    private readonly element: TreeNode,
    private readonly local: string | undefined,
    private readonly graph: Graph,
  ) {}

  get text(): string | undefined {
    return this.local === undefined ? this.element.text : undefined
  }

  get path(): string {
    return this.element.path
  }

  children(name: string): readonly TreeNode[] {
    const { element } = this
    if (name === '@id') return [...element.children('@about'), ...element.children('@resource')]
    if (name === '@language') return element.children('@lang')
    if (name === '@type') return this.types()
    const [prefix = '', property = ''] = name.split(':')
    return prefixes.has(prefix) ? element.children(property).map(value => this.valueOf(value)) : []
  }

  names(): readonly string[] {
    return this.element.names()
  }

  private types(): readonly TreeNode[] {
    const stated = this.element.children('type').flatMap(type => type.children('@resource'))
    if (this.local === undefined || this.local === 'Description') return stated
    return [new TypeNode(classNamed(this.local), this.element.path), ...stated]
  }

  /** The entity that a property has inside or names, or else its text. */
  private valueOf(property: TreeNode): TreeNode {
    const [reference] = [...property.children('@resource'), ...property.children('@nodeID')]
    const named = reference?.text === undefined ? undefined : this.graph().get(reference.text)
    if (named) return named
    const [inside] = elementsIn(property)
    if (!inside) return new RdfNode(property, undefined, this.graph)
    const isEntityItself = property.children('@parseType').some(({ text }) => text === 'Resource')
    return isEntityItself
      ? new RdfNode(property, 'Description', this.graph)
      : new RdfNode(inside[1], inside[0], this.graph)
  }
}

/** Classes that are organizations in several vocabularies have the same meaning in each. */
function classNamed(local: string): string {
  const prefix = dcatClasses.includes(local) ? 'dcat' : vcardClasses.includes(local) ? 'vcard' : 'foaf'
  return `${prefix}:${local}`
}

class TypeNode implements TreeNode {
  readonly hasDottedNames = false

  constructor(
    readonly text: string,
    readonly path: string,
  ) {}

  children(): readonly TreeNode[] {
    return []
  }

  names(): readonly string[] {
    return []
  }
}
