import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { depthFault, type JsonFault } from './json-depth.js'

/** Names of members and indexes of items, from the outermost value inwards. */
export type Path = readonly (string | number)[]

/**
 * A JSON text that is changed by edits at places. Everything beside an edit stays as it was written: order, spaces,
 * digits.
 */
export class JsonDocument {
  #text: string
  #root: Node
  readonly #listeners = new Set<(isStructural: boolean) => void>()

  private constructor(text: string, root: Node) {
    this.#text = text
    this.#root = root
  }

  /** Opens a text. An empty one is opened as an object without members. */
  static open(text: string): JsonDocument | JsonFault {
    const own = text.trim() === '' ? '{}' : text
    const root = parse(own)
    return 'message' in root ? root : new JsonDocument(own, root)
  }

  get text(): string {
    return this.#text
  }

  /** The node of a value; undefined if the document does not have it. */
  nodeAt(path: Path): Node | undefined {
    let node: Node | undefined = this.#root
    for (const step of path) {
      if (!node) return undefined
      node = typeof step === 'number' ? itemOf(node, step) : memberOf(node, step)?.children?.[1]
    }
    return node
  }

  /** The value at a path; undefined if the document does not have it. Long numbers lose digits here. */
  valueAt(path: Path): unknown {
    const node = this.nodeAt(path)
    return node && getNodeValue(node)
  }

  /** The JSON text of a value, as written. */
  literalAt(path: Path): string | undefined {
    const node = this.nodeAt(path)
    return node && literalOf(this.#text, node)
  }

  /**
   * Sets a value. Objects and lists around it are made if they are missing.
   * @param literal JSON text
   * @param order names of members in the order of the schema: a new member stands before those that follow it
   * @throws SyntaxError if the literal is no JSON; Error if something else stands where an object or list is needed
   */
  set(path: Path, literal: string, order: readonly string[] = []): void {
    JSON.parse(literal)
    const node = this.nodeAt(path)
    if (node) {
      const isScalar = !node.children && !/^[[{]/.test(literal.trimStart())
      this.#splice(node.offset, node.length, literal, !isScalar)
      return
    }
    const step = path.at(-1)
    const parent = path.slice(0, -1)
    if (step === undefined) throw new Error('A document without a value cannot be edited.')
    if (!this.nodeAt(parent)) this.set(parent, typeof step === 'number' ? '[]' : '{}')
    if (typeof step === 'number') this.insertItem(parent, literal)
    else this.#insertMember(parent, step, literal, order)
  }

  /** {@link set}; an empty text removes the value. */
  setOrRemove(path: Path, literal: string, order?: readonly string[]): void {
    if (literal === '') this.remove(path)
    else this.set(path, literal, order)
  }

  /** Removes a member or an item. Does nothing if the document does not have it. */
  remove(path: Path): void {
    const value = this.nodeAt(path)
    const container = value && this.nodeAt(path.slice(0, -1))
    const children = container?.children
    if (path.length === 0 || !value || !container || !children) return
    const at = children.findIndex(child => child === value || child.children?.[1] === value)
    const [before, child, after] = [children[at - 1], children[at], children[at + 1]]
    if (!child) return
    const [from, to] = before
      ? [endOf(before), endOf(child)]
      : after
        ? [child.offset, after.offset]
        : [container.offset + 1, endOf(container) - 1]
    this.#splice(from, to - from, '', true)
  }

  /** Adds an item to a list, which must exist. @param at index; default: at the end */
  insertItem(list: Path, literal: string, at?: number): void {
    const node = this.#container(list, 'array')
    this.#insert(node, at ?? node.children?.length ?? 0, literal)
  }

  /** Moves an item of a list to the place of another one. */
  moveItem(list: Path, from: number, to: number): void {
    const node = this.#container(list, 'array')
    const items = node.children ?? []
    const texts = items.map(item => literalOf(this.#text, item))
    const [moved] = texts.splice(from, 1)
    if (moved === undefined || to < 0 || to >= items.length) return
    texts.splice(to, 0, moved)
    const gaps = items.map((item, at) => this.#text.slice(endOf(item), items[at + 1]?.offset ?? endOf(item)))
    const first = items[0]?.offset ?? node.offset
    const length = endOf(items.at(-1) ?? node) - first
    this.#splice(first, length, texts.map((text, at) => text + gaps[at]).join(''), true)
  }

  /** Calls a function after each edit, with whether values came, went or moved. @returns ends that */
  subscribe(listener: (isStructural: boolean) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #insertMember(object: Path, name: string, literal: string, order: readonly string[]): void {
    const node = this.#container(object, 'object')
    const members = node.children ?? []
    const followers = new Set(order.slice(order.indexOf(name) + 1))
    const before = order.includes(name) ? members.findIndex(member => followers.has(nameOf(member))) : -1
    const [key, value] = members[0]?.children ?? []
    const colon = key && value ? this.#text.slice(endOf(key), value.offset) : ': '
    this.#insert(node, before < 0 ? members.length : before, `${JSON.stringify(name)}${colon}${literal}`)
  }

  /** Inserts a member or an item, with the spaces of those that are there. */
  #insert(container: Node, at: number, text: string): void {
    const children = container.children ?? []
    const [first, second] = children
    const [before, after] = [children[at - 1], children[at]]
    if (!first) {
      this.#splice(container.offset + 1, container.length - 2, this.#onLine(container, text), true)
      return
    }
    const opening = this.#text.slice(container.offset + 1, first.offset)
    const between = second ? this.#text.slice(endOf(first), second.offset) : `,${opening || ' '}`
    if (before) this.#splice(endOf(before), 0, between + text, true)
    else if (after) this.#splice(after.offset, 0, text + between, true)
  }

  /** The only member or item of a container: on a line of its own if the document has lines. */
  #onLine(container: Node, text: string): string {
    const line = /\r?\n/.exec(this.#text)?.[0]
    if (line === undefined) return text
    const start = this.#text.lastIndexOf('\n', container.offset - 1) + 1
    const indentation = /^[ \t]*/.exec(this.#text.slice(start))?.[0] ?? ''
    const unit = /\n([ \t]+)/.exec(this.#text)?.[1] ?? '  '
    return `${line}${indentation}${unit}${text}${line}${indentation}`
  }

  #container(path: Path, type: 'array' | 'object'): Node {
    const node = this.nodeAt(path)
    if (node?.type !== type) throw new Error(`There is no ${type} at /${path.join('/')}.`)
    return node
  }

  #splice(offset: number, length: number, text: string, isStructural: boolean): void {
    const changed = this.#text.slice(0, offset) + text + this.#text.slice(offset + length)
    const root = parse(changed)
    if ('message' in root) throw new Error(`The edit would break the document: ${root.message}`)
    this.#text = changed
    this.#root = root
    for (const listener of this.#listeners) listener(isStructural)
  }
}

function parse(text: string): Node | JsonFault {
  const tooDeep = depthFault(text)
  if (tooDeep) return tooDeep
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  const [error] = errors
  if (error) return { message: printParseErrorCode(error.error), offset: error.offset }
  if (!root) return { message: 'ValueExpected', offset: 0 }
  return repeatedMember(root) ?? root
}

/** A member that stands twice in an object: an edit could change the one that readers ignore. */
function repeatedMember(node: Node): JsonFault | undefined {
  const names = new Set<string>()
  for (const child of node.children ?? []) {
    if (node.type === 'object') {
      const name = nameOf(child)
      if (names.has(name)) return { message: 'RepeatedMember', offset: child.offset }
      names.add(name)
    }
    const fault = repeatedMember(child)
    if (fault) return fault
  }
  return undefined
}

function memberOf(node: Node, name: string): Node | undefined {
  return node.type === 'object' ? node.children?.find(member => nameOf(member) === name) : undefined
}

function itemOf(node: Node, index: number): Node | undefined {
  return node.type === 'array' ? node.children?.[index] : undefined
}

/** The name of a member. */
export function nameOf(member: Node): string {
  return String(member.children?.[0]?.value)
}

function literalOf(text: string, node: Node): string {
  return text.slice(node.offset, endOf(node))
}

function endOf(node: Node): number {
  return node.offset + node.length
}
