import { tryParseJson } from '../../../core/json/try-parse.js'
import type { DocumentType } from '../../../core/records/collection.js'
import { decodeXmlLeniently } from '../../../core/xml/xml-encoding.js'
import { readXml } from '../../../core/xml/xml-reader.js'

/*
 * One view of JSON and XML documents for crosswalks: nodes with a text and named children.
 */

/** A value of a JSON document, or an element or attribute of an XML document. */
export interface TreeNode {
  /** The text of a string, number or boolean, or of an element with all elements inside; undefined for others. */
  readonly text: string | undefined
  /** The place in the document, such as `authors[1].name`; empty for the whole document. */
  readonly path: string
  /**
   * The members, elements or attributes with a name. Entries of arrays stand for the array. Elements and attributes are
   * found by their local names, and names of attributes begin with `@`.
   */
  children(name: string): readonly TreeNode[]
  /** Whether the name of a child has a dot. */
  readonly hasDottedNames: boolean
  /** The names of the children, for a check of the content. */
  names(): readonly string[]
}

/** Limit of the bytes of a document that is described. */
export const maxDescribedBytes = 4 * 2 ** 20

/** The document as a tree; undefined for one that cannot be read, or is too large. */
export function documentTree(bytes: Uint8Array, type: DocumentType): DocumentTree | undefined {
  if (bytes.length > maxDescribedBytes) return undefined
  return type === 'XML' ? xmlTree(decodeXmlLeniently(bytes)) : jsonTree(new TextDecoder().decode(bytes))
}

export interface DocumentTree {
  readonly root: TreeNode
  /** Namespace and local name of the root element; undefined for JSON. */
  readonly element?: { readonly namespace: string; readonly local: string }
  /** Namespaces of the elements below the root element; undefined for JSON. */
  readonly namespaces?: readonly string[]
  /** The main entity of a graph of JSON-LD, whose references lead to the other entities; undefined without a graph. */
  readonly entity?: TreeNode
}

function jsonTree(text: string): DocumentTree | undefined {
  const value = tryParseJson(text)
  if (value === undefined) return undefined
  const entity = mainEntity(value)
  return { root: new JsonNode(value, undefined, ''), ...(entity && { entity }) }
}

/** Entities of a graph of JSON-LD by their `@id`. */
type Graph = ReadonlyMap<string, unknown>

/**
 * The entity that a graph of JSON-LD is about: the one that the entity of an RO-Crate's metadata file names, else the
 * first catalogue, series of data sets, data set or service with a title, else without one, else the first one with a
 * title.
 */
function mainEntity(document: unknown): TreeNode | undefined {
  const entities = isJsonObject(document) ? document['@graph'] : undefined
  if (!Array.isArray(entities)) return undefined
  const graph: Graph = new Map(
    entities
      .filter(isJsonObject)
      .flatMap(entity => (typeof entity['@id'] === 'string' ? [[entity['@id'], entity]] : [])),
  )
  const descriptor = [...graph].find(([id]) => /(?:^|\/)ro-crate-metadata\.json(?:ld)?$/.test(id))?.[1]
  const about =
    isJsonObject(descriptor) && isJsonObject(descriptor.about)
      ? graph.get(String(descriptor.about['@id']))
      : undefined
  const titled = entities.filter(entity => isJsonObject(entity) && titleMembers.some(name => name in entity))
  const main =
    about ?? firstOfMainTypes(titled) ?? firstOfMainTypes(entities.filter(isJsonObject)) ?? titled[0]
  return main === undefined
    ? undefined
    : new JsonNode(main, undefined, `@graph[${entities.indexOf(main)}]`, graph)
}

const mainTypes = [
  /(?:^|[:/#])(?:Data)?Catalog(?:ue)?$/,
  /(?:^|[:/#])DatasetSeries$/,
  /(?:^|[:/#])Dataset$/,
  /(?:^|[:/#])DataService$/,
]

function firstOfMainTypes(entities: readonly JsonObject[]): JsonObject | undefined {
  for (const form of mainTypes) {
    const found = entities.find(entity => [entity['@type']].flat().some(type => form.test(String(type))))
    if (found) return found
  }
  return undefined
}

const titleMembers = [
  'name',
  'headline',
  'title',
  'dct:title',
  'dcterms:title',
  'http://purl.org/dc/terms/title',
]

class JsonNode implements TreeNode {
  /** The children that were asked for: several rules read the same entries. */
  private known: Map<string, readonly JsonNode[]> | undefined
  private isDotted: boolean | undefined

  constructor(
    readonly value: unknown,
    private readonly parent: JsonNode | undefined,
    private readonly label: string,
    /** Undefined: references to entities are not followed. */
    readonly graph: Graph | undefined = parent?.graph,
  ) {}

  get text(): string | undefined {
    const { value } = this
    if (typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    // JSON-LD writes a text with its language or type as an object.
    if (isJsonObject(value) && typeof value['@value'] === 'string') return value['@value']
    return undefined
  }

  get path(): string {
    return pathBelow(this.parent?.path, this.label)
  }

  children(name: string): readonly JsonNode[] {
    const { value } = this
    if (!isJsonObject(value)) return noNodes
    if (name === languageMap) return this.textsByLanguage(value)
    if (!Object.hasOwn(value, name)) return noNodes
    this.known ??= new Map()
    const known = this.known.get(name) ?? entriesOf(value[name], this, name)
    this.known.set(name, known)
    return known
  }

  get hasDottedNames(): boolean {
    this.isDotted ??= this.names().some(name => name.includes('.'))
    return this.isDotted
  }

  private textsByLanguage(value: JsonObject): readonly JsonNode[] {
    return Object.entries(value).flatMap(([tag, texts]) =>
      /^[a-z]{2}(?:-[A-Za-z]{2,4})?$/.test(tag)
        ? [texts].flat().map(text => new JsonNode({ '@value': text, '@language': tag }, this, tag))
        : [],
    )
  }

  names(): readonly string[] {
    return isJsonObject(this.value) ? Object.keys(this.value) : []
  }
}

/** In a path, the texts of a map of JSON-LD such as `{"en": "Bees", "de": ["Bienen"]}`, with their languages. */
export const languageMap = '#languages'

export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Limit of the entries of a list that are described. */
const maxEntries = 10_000
/** Limit of the depth of arrays in arrays, and of elements whose text belongs to the text of an outer element. */
const maxDepth = 100

/** The value, or the first entries of an array and of the arrays in it. */
function entriesOf(value: unknown, parent: JsonNode, label: string, depth = 0): readonly JsonNode[] {
  if (depth > maxDepth || (value === null && depth === 0)) return noNodes
  // JSON-LD may write a list as an object.
  if (isJsonObject(value) && (Array.isArray(value['@list']) || Array.isArray(value['@set'])))
    return entriesOf(value['@list'] ?? value['@set'], parent, label, depth + 1)
  if (!Array.isArray(value)) return [new JsonNode(referenced(value, label, parent.graph), parent, label)]
  return value
    .slice(0, maxEntries)
    .flatMap((entry, index) => entriesOf(entry, parent, `${label}[${index}]`, depth + 1))
    .slice(0, maxEntries)
}

/**
 * The entity that a reference such as `{"@id": "#jane"}` names, or the address that a term with `"@type": "@id"` in the
 * context has; another value as it is.
 */
function referenced(value: unknown, label: string, graph: Graph | undefined): unknown {
  if (!graph) return value
  if (typeof value === 'string')
    return (!/^@|^id$/.test(label) && /[:#/]/.test(value) && graph.get(value)) || value
  if (!isJsonObject(value) || typeof value['@id'] !== 'string' || Object.keys(value).length > 1) return value
  return graph.get(value['@id']) ?? value
}

function pathBelow(parent: string | undefined, label: string): string {
  return parent === undefined || parent === '' ? label : `${parent}.${label}`
}

class XmlNode implements TreeNode {
  /** Texts and elements in their order. A list that begins with its first entry has no room for others, so it is small. */
  private content: (string | XmlNode)[] | undefined
  /** Elements and attributes by name; the names of attributes begin with `@`. */
  private byName: Map<string, XmlNode[]> | undefined
  /** The place among the children of the same name. */
  private index = 0
  hasDottedNames = false
  /** The text with that of the elements inside, once it was asked for. */
  private wholeText: string | undefined

  constructor(
    private readonly parent: XmlNode | undefined,
    private readonly name: string,
  ) {}

  addElement(name: string): XmlNode {
    const child = this.addChild(name)
    this.addContent(child)
    return child
  }

  addAttribute(name: string, value: string): void {
    this.addChild(`@${name}`).addText(value)
  }

  addText(text: string): void {
    this.addContent(text)
  }

  private addContent(part: string | XmlNode): void {
    if (this.content) this.content.push(part)
    else this.content = [part]
  }

  private addChild(name: string): XmlNode {
    const child = new XmlNode(this, name)
    this.byName ??= new Map()
    const same = this.byName.get(name)
    if (same) child.index = same.push(child) - 1
    else {
      this.byName.set(name, [child])
      if (name.includes('.')) this.hasDottedNames = true
    }
    return child
  }

  get text(): string | undefined {
    const { content = noNodes } = this
    const first = content[0]
    if (content.length === 1 && typeof first === 'string') return first
    this.wholeText ??= this.allText(maxDepth)
    const all = this.wholeText
    return all.trim() === '' && content.some(part => typeof part !== 'string') ? undefined : all
  }

  private allText(depth: number): string {
    if (depth === 0) return ''
    if (lineBreaks.has(this.name)) return '\n'
    const { content = noNodes } = this
    const text = content.map(part => (typeof part === 'string' ? part : part.allText(depth - 1))).join('')
    return blocks.has(this.name) ? `\n\n${text}\n\n` : text
  }

  get path(): string {
    const { parent, name, index } = this
    if (!parent) return ''
    const isOneOfMany = (parent.byName?.get(name)?.length ?? 0) > 1
    return pathBelow(parent.path, isOneOfMany ? `${name}[${index}]` : name)
  }

  children(name: string): readonly XmlNode[] {
    if (name === ownText) return [this.withoutElements()]
    const all = this.byName?.get(name) ?? noNodes
    return all.length > maxEntries ? all.slice(0, maxEntries) : all
  }

  private withoutElements(): XmlNode {
    const node = new XmlNode(this, ownText)
    for (const part of this.content ?? noNodes) node.addText(typeof part === 'string' ? part : ' ')
    return node
  }

  names(): readonly string[] {
    return [...(this.byName?.keys() ?? [])]
  }
}

/** In a path, the text of an element without that of the elements inside. */
const ownText = '#text'

/** Elements that end a line, and elements around a paragraph, in the vocabularies that have text with markup. */
const lineBreaks = new Set(['br', 'lb', 'break'])
const blocks = new Set([
  'p',
  'para',
  'sec',
  'section',
  'title',
  'head',
  'item',
  'listitem',
  'list-item',
  'li',
  'div',
])

const noNodes: readonly never[] = []

function xmlTree(text: string): DocumentTree | undefined {
  const root = new XmlNode(undefined, '')
  const open = [root]
  let element: DocumentTree['element']
  const namespaces = new Set<string>()
  const isRead = readXml(text, {
    open({ namespace, local, attributes }) {
      const parent = open.at(-1) ?? root
      const node = parent.addElement(local)
      for (const { local: name, value } of attributes) node.addAttribute(name, value)
      open.push(node)
      if (open.length === 3) namespaces.add(namespace)
      element ??= { namespace, local }
    },
    text(piece) {
      open.at(-1)?.addText(piece)
    },
    close() {
      open.pop()
    },
  })
  return isRead && element ? { root, element, namespaces: [...namespaces] } : undefined
}
