/*
 * Documents to start from: what a schema requires, with an empty place for each value, or its only value. The module
 * imports nothing, because it runs in the server and in the browser.
 */

interface Member {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly type?: string
  readonly min: number
  readonly fixed?: unknown
}

interface MemberType {
  readonly kinds?: readonly string[]
  readonly values?: readonly { readonly value: unknown }[]
  readonly members?: readonly Member[]
  readonly text?: string
  readonly items?: string
  readonly alternatives?: readonly string[]
  readonly examples?: readonly unknown[]
}

/** What a skeleton needs of an outline of a schema, as JSON. @see SchemaOutline */
export interface SkeletonSource<Root extends Member = Member> {
  readonly type: 'JSON' | 'XML'
  readonly roots: readonly Root[]
  readonly types: Readonly<Record<string, MemberType>>
}

/** Limits of the levels and of the members of a skeleton, and of the members of a document that requires none. */
const most = { levels: 8, members: 200, optional: 20 }

/** The root of which a document is, if nobody chooses: the first one that no other element contains. */
export function usualRoot<Root extends Member>({ roots, types }: SkeletonSource<Root>): Root | undefined {
  const nameOf = ({ name, namespace = '' }: Member) => `${namespace} ${name}`
  const contained = new Set<string>()
  for (const { members = [] } of Object.values(types))
    for (const member of members) if (member.kind === 'element') contained.add(nameOf(member))
  return roots.find(root => !contained.has(nameOf(root))) ?? roots[0]
}

/**
 * A document to start from.
 * @param hasOptional whether a document that requires nothing has its first members all the same
 */
export function skeletonOf(source: SkeletonSource, root: Member, hasOptional = false): string {
  const reader = new SkeletonReader(source, hasOptional)
  if (source.type === 'XML') return xmlText(reader.element(root, 0))
  return `${JSON.stringify(reader.value(root.type, 0), null, 2)}\n`
}

/** An element with names as the outline has them. */
interface Element {
  readonly name: string
  readonly namespace: string
  readonly attributes: readonly (readonly [member: Member, value: string])[]
  readonly children: readonly Element[]
  readonly text: string
}

class SkeletonReader {
  readonly #types: SkeletonSource['types']
  readonly #hasOptional: boolean
  #left = most.members

  constructor({ types }: SkeletonSource, hasOptional: boolean) {
    this.#types = types
    this.#hasOptional = hasOptional
  }

  #typeOf(key: string | undefined): MemberType {
    return (key !== undefined && this.#types[key]) || {}
  }

  #required(members: readonly Member[], level: number): readonly Member[] {
    if (level >= most.levels) return []
    const required = members.filter(({ min }) => min > 0)
    return required.length > 0 || level > 0 || !this.#hasOptional ? required : members.slice(0, most.optional)
  }

  element(member: Member, level: number): Element {
    const { members = [] } = this.#typeOf(member.type)
    const required = this.#required(members, level)
    const children: Element[] = []
    for (const each of required.filter(({ kind }) => kind === 'element'))
      for (let count = 0; count < Math.max(1, each.min) && this.#left-- > 0; count++)
        children.push(this.element(each, level + 1))
    return {
      name: member.name,
      namespace: member.namespace ?? '',
      attributes: required
        .filter(({ kind }) => kind === 'attribute')
        .map(each => [each, this.#onlyText(each)] as const),
      children,
      text: children.length > 0 ? '' : this.#onlyText(member),
    }
  }

  /** The only text that an element or attribute may have; empty if there are several. */
  #onlyText({ type, fixed }: Member): string {
    const { values, text } = this.#typeOf(type)
    const [only, ...others] = values ?? this.#typeOf(text).values ?? []
    return String(fixed ?? (others.length === 0 ? (only?.value ?? '') : ''))
  }

  /** A value of a JSON document. */
  value(key: string | undefined, level: number): unknown {
    const given = this.#typeOf(key)
    const [only, ...others] = given.values ?? []
    if (only !== undefined && others.length === 0) return only.value
    const [first] = given.alternatives ?? []
    if (first !== undefined && !given.members && level < most.levels) return this.value(first, level + 1)
    const { kinds = [], members = [], items, examples = [] } = given
    const [kind = items === undefined ? 'string' : 'array'] = kinds
    if (members.length > 0 || kind === 'object') return this.#object(members, level)
    if (kind === 'array')
      return items !== undefined && level < most.levels && this.#left-- > 0
        ? [this.value(items, level + 1)]
        : []
    if (kind === 'boolean') return false
    if (kind === 'number' || kind === 'integer') return 0
    return kind === 'null' ? null : (examples[0] ?? '')
  }

  #object(members: readonly Member[], level: number): object {
    const named = members.filter(({ kind }) => kind === 'member')
    const entries: [string, unknown][] = []
    for (const { name, type } of this.#required(named, level))
      if (this.#left-- > 0) entries.push([name, this.value(type, level + 1)])
    return Object.fromEntries(entries)
  }
}

/** The namespace of `xml:lang`, whose prefix needs no declaration. */
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'

/** An XML document whose root declares all namespaces. */
function xmlText(root: Element): string {
  const elements = withDescendants(root)
  // A default namespace would hold for elements without a namespace, too.
  const hasDefault = elements.every(({ namespace }) => namespace !== '')
  const namespaces = new Set([
    ...elements.map(({ namespace }) => namespace),
    ...elements.flatMap(({ attributes }) => attributes.map(([{ namespace = '' }]) => namespace)),
  ])
  const prefixes = new Map([
    ['', ''],
    [xmlNamespace, 'xml:'],
  ])
  for (const namespace of namespaces)
    if (!prefixes.has(namespace)) prefixes.set(namespace, `ns${prefixes.size - 1}:`)
  const own = hasDefault ? root.namespace : ''
  const attributed = new Set(
    elements.flatMap(({ attributes }) => attributes.map(([{ namespace }]) => namespace)),
  )
  const declared = [...prefixes].flatMap(([namespace, prefix]) => {
    if (namespace === '' || namespace === xmlNamespace) return []
    const needsPrefix = namespace !== own || attributed.has(namespace)
    return needsPrefix ? [` xmlns:${prefix.slice(0, -1)}="${escaped(namespace)}"`] : []
  })
  const all = [...(own === '' ? [] : [` xmlns="${escaped(own)}"`]), ...declared]
  const named = ({ name, namespace }: Element) =>
    namespace === own ? name : `${prefixes.get(namespace) ?? ''}${name}`

  function lines(element: Element, indent: string, declarations: string): string {
    const { attributes, children, text } = element
    const name = named(element)
    const given = attributes.map(
      ([{ name: local, namespace = '' }, value]) =>
        ` ${prefixes.get(namespace) ?? ''}${local}="${escaped(value)}"`,
    )
    const start = `${indent}<${name}${declarations}${given.join('')}>`
    if (children.length === 0) return `${start}${escaped(text)}</${name}>`
    const inner = children.map(child => lines(child, `${indent}  `, ''))
    return `${start}\n${inner.join('\n')}\n${indent}</${name}>`
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${lines(root, '', all.join(''))}\n`
}

function withDescendants(element: Element): readonly Element[] {
  return [element, ...element.children.flatMap(withDescendants)]
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;')
}
