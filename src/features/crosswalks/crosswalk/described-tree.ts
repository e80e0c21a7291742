import { tryParseJson } from '../../../core/json/try-parse.js'
import type { DocumentType } from '../../../core/records/collection.js'
import { decodeXmlLeniently } from '../../../core/xml/xml-encoding.js'
import { maxXmlLevels, readXml } from '../../../core/xml/xml-reader.js'
import { isJsonObject, type JsonObject } from './json-object.js'
import { type LinkedData, mainEntity, referenced, withoutPrefix, writtenTerm } from './linked-data.js'
import { mainRdfEntity } from './rdf-tree.js'
import type { TreeNode } from './tree-node.js'

/*
 * One view of JSON and XML documents for crosswalks: nodes with a text and named children.
 */

/** Limit of the bytes of a document that is described. */
export const maxDescribedBytes = 4 * 2 ** 20

/** The document as a tree; undefined for one that cannot be read, or is too large. */
export function documentTree(bytes: Uint8Array, type: DocumentType): DocumentTree | undefined {
  if (bytes.length > maxDescribedBytes) return undefined
  return type === 'XML' ? xmlTree(decodeXmlLeniently(bytes)) : jsonTree(new TextDecoder().decode(bytes))
}

/** The end of the sentence that says why {@link documentTree} gives no tree. */
export function unreadable(type: DocumentType): string {
  const limits = type === 'XML' ? `, has a DOCTYPE, has more than ${maxXmlLevels} levels of elements` : ''
  return `cannot be described: it is not well-formed ${type}${limits}, or has more than ${maxDescribedBytes} bytes.`
}

export interface DocumentTree {
  readonly root: TreeNode
  /** Namespace and local name of the root element; undefined for JSON. */
  readonly element?: { readonly namespace: string; readonly local: string }
  /** Namespaces of the elements below the root element; undefined for JSON. */
  readonly namespaces?: readonly string[]
  /** The main entity of linked data, whose references lead to the other entities; undefined for other documents. */
  readonly entity?: TreeNode
  /** Whether the entity has a type and a name of schema.org with a prefix or as whole addresses. */
  readonly hasPrefixedTerms?: boolean
}

function jsonTree(text: string): DocumentTree | undefined {
  const value = tryParseJson(text)
  if (value === undefined) return undefined
  const main = mainEntity(value)
  const root = new JsonNode(value, undefined, '')
  if (!main) return { root }
  const { entity, path, hasPrefixedTerms } = main
  return { root, entity: new JsonNode(entity, undefined, path, undefined, main), hasPrefixedTerms }
}

class JsonNode implements TreeNode {
  /** The children that were asked for: several rules read the same entries. */
  private known: Map<string, readonly JsonNode[]> | undefined
  private isDotted: boolean | undefined

  constructor(
    readonly value: unknown,
    private readonly parent: JsonNode | undefined,
    private readonly label: string,
    /** The place in an array; undefined outside of arrays. */
    private readonly index?: number,
    /** Undefined: references to entities are not followed, and names of members are as they are written. */
    readonly linked: LinkedData | undefined = parent?.linked,
  ) {}

  get text(): string | undefined {
    const { value } = this
    if (typeof value === 'string')
      return this.linked && this.label.startsWith('@type') ? withoutPrefix(value, this.linked) : value
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    // JSON-LD writes a text with its language or type as an object.
    if (isJsonObject(value) && typeof value['@value'] === 'string') return value['@value']
    return undefined
  }

  get path(): string {
    return pathBelow(this.parent?.path, labelOf(this.label, this.index))
  }

  children(name: string): readonly JsonNode[] {
    const known = this.known?.get(name)
    if (known) return known
    const found = this.findChildren(name)
    if (found === noNodes) return found
    this.known ??= new Map()
    this.known.set(name, found)
    return found
  }

  private findChildren(name: string): readonly JsonNode[] {
    const { value } = this
    if (name === positionsInText) return this.positions()
    if (!isJsonObject(value)) return noNodes
    if (name === languageMap) return this.textsByLanguage(value)
    const member = Object.hasOwn(value, name) ? name : this.linked && writtenTerm(value, name, this.linked)
    if (member === undefined) return noNodes
    const found: JsonNode[] = []
    addEntries(value[member], this, member, undefined, 0, found)
    return found
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

  private positions(): readonly JsonNode[] {
    const numbers = this.text?.trim().split(/[\s,]+/, 2 * maxEntries) ?? []
    return numbers.flatMap((number, index) =>
      index % 2 === 0
        ? []
        : [new JsonNode(`${numbers[index - 1]} ${number}`, this.parent, this.label, this.index)],
    )
  }

  names(): readonly string[] {
    return isJsonObject(this.value) ? Object.keys(this.value) : []
  }
}

/** In a path, the texts of a map of JSON-LD such as `{"en": "Bees", "de": ["Bienen"]}`, with their languages. */
export const languageMap = '#languages'

/** In a path, the pairs of numbers in a text such as `54.1 8.2 54.1 8.9`. */
export const positionsInText = '#positions'

/** Limit of the entries of a list that are described. */
const maxEntries = 10_000
/** Limit of the depth of arrays in arrays, and of elements whose text belongs to the text of an outer element. */
const maxDepth = 100

/** Adds the value, or the first entries of an array and of the arrays in it. */
function addEntries(
  value: unknown,
  parent: JsonNode,
  label: string,
  index: number | undefined,
  depth: number,
  found: JsonNode[],
): void {
  if (depth > maxDepth || found.length >= maxEntries || (value === null && depth === 0)) return
  // JSON-LD may write a list as an object.
  if (isJsonObject(value) && (Array.isArray(value['@list']) || Array.isArray(value['@set'])))
    addEntries(value['@list'] ?? value['@set'], parent, label, index, depth + 1, found)
  else if (Array.isArray(value)) {
    const array = labelOf(label, index)
    const end = Math.min(value.length, maxEntries)
    for (let entry = 0; entry < end; entry++) addEntries(value[entry], parent, array, entry, depth + 1, found)
  } else {
    const node = parent.linked ? referenced(value, label, parent.linked) : value
    found.push(new JsonNode(node, parent, label, index))
  }
}

function labelOf(label: string, index: number | undefined): string {
  return index === undefined ? label : `${label}[${index}]`
}

function pathBelow(parent: string | undefined, label: string): string {
  return parent === undefined || parent === '' ? label : `${parent}.${label}`
}

class XmlNode implements TreeNode {
  /** Texts and elements in their order. A list that begins with its first entry has no room for others, so it is small. */
  private content: (string | XmlNode)[] | undefined
  /** Elements and attributes by name; the names of attributes begin with `@`. {@link special} adds what it finds. */
  private byName: Map<string, XmlNode[]> | undefined
  /** The place among the children of the same name. */
  private index = 0
  hasDottedNames = false
  /** The text with that of the elements inside, once it was asked for. */
  private wholeText: string | undefined
  /** Of the root, once an id was looked for. */
  private byId: ReadonlyMap<string, readonly XmlNode[]> | undefined

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
    const all = this.byName?.get(name) ?? this.special(name)
    return all.length > maxEntries ? all.slice(0, maxEntries) : all
  }

  /** What a name stands for that no element has. It is found once, because many rules may ask for it. */
  private special(name: string): readonly XmlNode[] {
    if (name !== ownText && name !== target) return noNodes
    const found = name === target ? [...this.targets()] : [this.withoutElements()]
    this.byName ??= new Map()
    this.byName.set(name, found)
    return found
  }

  /** The elements with the ids that the text names. */
  private targets(): readonly XmlNode[] {
    const { text = '', parent } = this
    if (!parent || text === '') return noNodes
    const ids = this.root.elementsById()
    return (
      ids.get(text) ??
      text
        .trim()
        .split(/\s+/, maxTargets)
        .flatMap(id => ids.get(id) ?? noNodes)
    )
  }

  private get root(): XmlNode {
    let node: XmlNode = this
    while (node.parent) node = node.parent
    return node
  }

  /** Each id has a list of its first element. */
  private elementsById(): ReadonlyMap<string, readonly XmlNode[]> {
    if (this.byId) return this.byId
    const found = new Map<string, readonly XmlNode[]>()
    const rest: XmlNode[] = [this]
    for (let node = rest.pop(); node; node = rest.pop()) {
      for (const attribute of idAttributes) {
        const id = node.byName?.get(attribute)?.[0]?.text
        if (id !== undefined && !found.has(id)) found.set(id, [node])
      }
      const { content = noNodes } = node
      for (let index = content.length - 1; index >= 0; index--) {
        const part = content[index]
        if (part instanceof XmlNode) rest.push(part)
      }
    }
    this.byId = found
    return found
  }

  private withoutElements(): XmlNode {
    const node = new XmlNode(this, ownText)
    for (const part of this.content ?? noNodes) node.addText(typeof part === 'string' ? part : ' ')
    return node
  }

  names(): readonly string[] {
    return [...(this.byName?.keys() ?? [])].filter(name => name !== ownText && name !== target)
  }
}

/** In a path, the text of an element without that of the elements inside. */
const ownText = '#text'

/** In a path behind a text or an attribute with ids, such as `xref.@rid.#target`: the elements that have them. */
const target = '#target'
const idAttributes = ['@id', '@ID']
/** Limit of the ids in one text. */
const maxTargets = 100

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

/** Namespaces of root elements of RDF. */
const rdf = /^http:\/\/www\.w3\.org\/(?:1999\/02\/22-rdf-syntax-ns|ns\/dcat)#$/

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
  if (!isRead || !element) return undefined
  const [top] = root.children(element.local)
  const entity = top && rdf.test(element.namespace) ? mainRdfEntity(top, element.local) : undefined
  return { root, element, namespaces: [...namespaces], ...(entity && { entity }) }
}
