import { isForbidden, noElementName } from './corrected-schema.js'
import type { SchemaComponents } from './schema-components.js'
import { childrenOf, type Place } from './schema-files.js'
import { attributeOf, expanded } from './schema-tree.js'
import { type Wildcard, wildcard } from './wildcards.js'

/*
 * Whether each content that a restriction permits is permitted by the restricted type. The recommendation demands more,
 * by rules about the form of particles; a restriction that permits what its base does not is wrong in each reading.
 */

/**
 * Looks for a content that a restriction permits, and its base does not.
 * @param restriction an `xs:restriction` in `xs:complexContent`
 * @param base the `xs:complexType` that is restricted
 * @returns the names of the elements in their order; undefined if there is none, or if the contents are too large or
 *   have parts that are not compared
 * @see https://www.w3.org/TR/xmlschema-1/#cos-particle-restrict
 */
export function contentBeyond(
  restriction: Place,
  base: Place,
  components: SchemaComponents,
): readonly string[] | undefined {
  const narrow = new Automaton(components)
  const wide = new Automaton(components)
  try {
    const narrowEnd = narrow.addContent(restriction, 0)
    const wideEnd = wide.addType(base, 0)
    return difference(narrow, narrowEnd, wide, wideEnd, components)
  } catch (error) {
    if (error instanceof NotComparable) return undefined
    throw error
  }
}

class NotComparable extends Error {}

const maxStates = 2000
/** States and edges that are visited: a fraction of a second. */
const maxSteps = 1_000_000
/** Elements of `xs:all`, whose subsets are states. */
const maxOfAll = 8

/** What an edge accepts: an element by its name, or the elements of a wildcard. */
interface Label {
  readonly name?: string
  readonly wildcard?: Wildcard
}

/** The edges of several states. */
interface Edges {
  readonly named: ReadonlyMap<string, readonly number[]>
  readonly wildcards: readonly { readonly wildcard: Wildcard; readonly to: number }[]
}

/** A nondeterministic automaton whose words are sequences of elements. State 0 is the start. */
class Automaton {
  readonly #components: SchemaComponents
  readonly #edges: { readonly label: Label; readonly to: number }[][] = [[]]
  /** Edges without an element. */
  readonly #empty: number[][] = [[]]
  #steps = 0

  constructor(components: SchemaComponents) {
    this.#components = components
  }

  /** Adds the content of a complex type behind a state. @returns the last state */
  addType(type: Place, from: number): number {
    const [content] = childrenOf(type, 'complexContent', 'simpleContent')
    if (!content) return this.addContent(type, from)
    const [derivation] = childrenOf(content, 'restriction', 'extension')
    if (!derivation || content.node.local === 'simpleContent') throw new NotComparable()
    if (derivation.node.local === 'restriction') return this.addContent(derivation, from)
    const base = this.#components.baseOf(derivation)
    if (base.kind !== 'complex' || !base.definition) throw new NotComparable()
    return this.addContent(derivation, this.addType(base.definition, from))
  }
  /** Adds the particle that is written in a place. */
  addContent(place: Place, from: number): number {
    const [particle] = childrenOf(place, 'sequence', 'choice', 'all', 'group')
    return particle ? this.#addParticle(particle, from) : from
  }

  #addParticle(place: Place, from: number): number {
    if (isForbidden(place.node)) return from
    const least = Number(attributeOf(place.node, 'minOccurs') ?? 1)
    const most = attributeOf(place.node, 'maxOccurs') ?? '1'
    const isUnbounded = most === 'unbounded'
    if (!(least <= maxStates) || !(isUnbounded || Number(most) <= maxStates)) throw new NotComparable()
    let at = from
    for (let count = 0; count < least; count++) at = this.#addTerm(place, at)
    if (isUnbounded) {
      const loop = this.#stateAfter(at)
      this.#empty[this.#addTerm(place, loop)]?.push(loop)
      return loop
    }
    const ends = [at]
    for (let count = least; count < Number(most); count++) {
      at = this.#addTerm(place, at)
      ends.push(at)
    }
    return this.#stateAfter(...ends)
  }
  #addTerm(place: Place, from: number): number {
    const { node } = place
    const ref = attributeOf(node, 'ref')
    switch (node.local) {
      case 'element': {
        const name = this.#components.elementName(place)
        return name === nothing ? this.#stateAfter() : this.#addEdge(from, { name })
      }
      case 'any':
        return this.#addEdge(from, { wildcard: wildcard(place) })
      case 'group': {
        const group =
          ref === undefined ? undefined : this.#components.group(this.#components.nameOf(ref, place))
        const [content] = group ? childrenOf(group, 'sequence', 'choice', 'all') : []
        if (!content) throw new NotComparable()
        return this.#addTerm(content, from)
      }
      case 'sequence':
        return childrenOf(place, ...particles).reduce((at, child) => this.#addParticle(child, at), from)
      case 'choice': {
        const ends = childrenOf(place, ...particles)
          .filter(child => !isForbidden(child.node))
          .map(child => this.#addParticle(child, from))
        if (ends.length === 0) throw new NotComparable()
        return this.#stateAfter(...ends)
      }
      default:
        return this.#addAll(childrenOf(place, 'element'), from)
    }
  }
  /** Adds a state for each subset of the elements of `xs:all`. */
  #addAll(elements: readonly Place[], from: number): number {
    const present = elements.filter(({ node }) => attributeOf(node, 'maxOccurs') !== '0')
    if (present.length > maxOfAll) throw new NotComparable()
    const states = Array.from({ length: 2 ** present.length }, (_, set) =>
      set === 0 ? from : this.#stateAfter(),
    )
    for (const [index, element] of present.entries()) {
      for (const [set, state] of states.entries()) {
        const next = states[set | (1 << index)] ?? 0
        if (next !== state)
          this.#edges[state]?.push({ label: { name: this.#components.elementName(element) }, to: next })
      }
    }
    const isComplete = (set: number) =>
      present.every(({ node }, index) => (set & (1 << index)) !== 0 || attributeOf(node, 'minOccurs') === '0')
    return this.#stateAfter(...states.filter((_, set) => isComplete(set)))
  }
  #addEdge(from: number, label: Label): number {
    const to = this.#stateAfter()
    this.#edges[from]?.push({ label, to })
    return to
  }
  /** A new state that other states reach without an element. */
  #stateAfter(...others: readonly number[]): number {
    const state = this.#edges.length
    if (state >= maxStates) throw new NotComparable()
    this.#edges.push([])
    this.#empty.push([])
    for (const other of others) this.#empty[other]?.push(state)
    return state
  }

  /** The states that are reached from others without an element, in ascending order. */
  closure(states: Iterable<number>): readonly number[] {
    const found = new Set(states)
    for (const state of found) for (const next of this.#empty[state] ?? []) found.add(next)
    this.#steps += found.size
    return [...found].sort((a, b) => a - b)
  }
  edgesOf(states: readonly number[]): Edges {
    const named = new Map<string, number[]>()
    const wildcards: { readonly wildcard: Wildcard; readonly to: number }[] = []
    for (const { label, to } of states.flatMap(state => this.#edges[state] ?? [])) {
      this.#steps++
      if (label.wildcard) wildcards.push({ wildcard: label.wildcard, to })
      if (label.name === undefined) continue
      const others = named.get(label.name)
      if (others) others.push(to)
      else named.set(label.name, [to])
    }
    if (this.#steps > maxSteps) throw new NotComparable()
    return { named, wildcards }
  }
  /** The states that an element leads to. */
  after(
    { named, wildcards }: Edges,
    names: readonly string[],
    namespace: string | undefined,
  ): readonly number[] {
    const fitting = wildcards.filter(({ wildcard }) => namespace !== undefined && wildcard.accepts(namespace))
    return this.closure([...names.flatMap(name => named.get(name) ?? []), ...fitting.map(({ to }) => to)])
  }
}

/** A choice that accepts nothing has this element. */
const nothing = expanded('', noElementName)

const particles = ['element', 'any', 'group', 'sequence', 'choice', 'all']

function namespaceOf(name: string): string {
  return name.slice(1, name.lastIndexOf('}'))
}

/**
 * The shortest word that the first automaton accepts, and the second does not. A name with `*` stands for the elements of a
 * namespace that only wildcards accept.
 */
function difference(
  narrow: Automaton,
  narrowEnd: number,
  wide: Automaton,
  wideEnd: number,
  components: SchemaComponents,
): readonly string[] | undefined {
  const start = { narrow: narrow.closure([0]), wide: wide.closure([0]), word: [] as readonly string[] }
  const waiting = [start]
  const seen = new Set<string>()
  const namespaces = new Set(['', 'any other'])
  for (const pair of waiting) {
    if (pair.narrow.includes(narrowEnd) && !pair.wide.includes(wideEnd)) return pair.word
    const edges = narrow.edgesOf(pair.narrow)
    const wideEdges = wide.edgesOf(pair.wide)
    for (const { named, wildcards } of [edges, wideEdges]) {
      for (const name of named.keys()) namespaces.add(namespaceOf(name))
      for (const namespace of wildcards.flatMap(({ wildcard }) => wildcard.mentioned))
        namespaces.add(namespace)
    }
    const step = (element: string, isExample: boolean) => {
      const namespace = namespaceOf(element)
      const next = {
        narrow: narrow.after(edges, [element], isExample ? namespace : undefined),
        wide: wide.after(wideEdges, [element, ...components.headsOf(element)], namespace),
        word: [...pair.word, element],
      }
      const key = `${next.narrow.join()} ${next.wide.join()}`
      if (next.narrow.length === 0 || seen.has(key)) return
      seen.add(key)
      waiting.push(next)
    }
    for (const name of edges.named.keys()) step(name, false)
    if (edges.wildcards.length === 0) continue
    for (const namespace of namespaces) step(expanded(namespace, '*'), true)
  }
  return undefined
}
