/*
 * RDF graphs of a fixed shape, written as Turtle or as JSON-LD with a context of its own. Both describe one graph.
 * @see https://www.w3.org/TR/turtle/, https://www.w3.org/TR/json-ld11/
 */

const prefixes = {
  adms: 'http://www.w3.org/ns/adms#',
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  geosparql: 'http://www.opengis.net/ont/geosparql#',
  hydra: 'http://www.w3.org/ns/hydra/core#',
  prov: 'http://www.w3.org/ns/prov#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  spdx: 'http://spdx.org/rdf/terms#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
} as const

type Prefix = keyof typeof prefixes
/** A name such as `dct:title`. */
type RdfName = `${Prefix}:${string}`

/** A text, which may have a language or a type. */
export interface RdfLiteral {
  readonly text: string
  /** A language tag. */
  readonly lang?: string | undefined
  readonly type?: RdfName
}

/** A property without a value is left out. */
export type RdfProperty = readonly [name: RdfName, value: RdfLiteral | RdfNode | undefined]

/** A resource. Without an IRI it is a blank node. */
export interface RdfNode {
  /** The IRI is absolute and in ASCII, with characters of RFC 3986 only. */
  readonly iri?: string
  readonly types?: readonly RdfName[]
  readonly properties?: readonly RdfProperty[]
}

/** The resource with an IRI; undefined without one. */
export function resource(iri: string | undefined): RdfNode | undefined {
  return iri === undefined ? undefined : { iri }
}

/** The prefix declarations of the Turtle that this module writes. */
export const turtlePrefixes = Object.entries(prefixes)
  .map(([prefix, iri]) => `@prefix ${prefix}: <${iri}> .\n`)
  .join('')

/** The context of the JSON-LD that this module writes. */
export const jsonLdContext = prefixes

/** Statements about the nodes in Turtle, without the declarations of prefixes. */
export function turtleOf(nodes: readonly RdfNode[]): string {
  const waiting = [...nodes]
  let text = ''
  for (const node of waiting) {
    const statements = statementsOf(node, named => waiting.push(named))
    if (statements !== '') text += `\n<${node.iri}> ${statements} .\n`
  }
  return text
}

/**
 * The predicates and objects of a node in Turtle, without the subject; `''` for a node without types and properties.
 * @param later called with each value that has an IRI and also types or properties. The text has only its IRI; the
 *   caller writes its statements
 */
function statementsOf({ types = [], properties = [] }: RdfNode, later: (node: RdfNode) => void): string {
  const statements = types.length > 0 ? [`a ${types.join(', ')}`] : []
  for (const [name, value] of properties) if (value) statements.push(`${name} ${turtleValue(value, later)}`)
  return statements.join(' ;\n  ')
}

function turtleValue(value: RdfLiteral | RdfNode, later: (node: RdfNode) => void): string {
  if ('text' in value) {
    const quoted = `"${value.text.replace(/["\\\n\r]/g, character => turtleEscapes[character] ?? character)}"`
    if (value.type !== undefined) return `${quoted}^^${value.type}`
    return value.lang === undefined ? quoted : `${quoted}@${value.lang.toLowerCase()}`
  }
  if (value.iri === undefined) return `[ ${statementsOf(value, later)} ]`
  if (value.types || value.properties) later(value)
  return `<${value.iri}>`
}

const turtleEscapes: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r' }

/** A node as an object of JSON-LD, without the context. */
export function jsonLdOf({ iri, types, properties = [] }: RdfNode): Readonly<Record<string, unknown>> {
  const members = new Map<string, unknown[]>()
  for (const [name, value] of properties) {
    if (!value) continue
    const values = members.get(name) ?? []
    members.set(name, values)
    values.push('text' in value ? jsonLdLiteral(value) : jsonLdOf(value))
  }
  return {
    ...(iri !== undefined && { '@id': iri }),
    ...(types && { '@type': types }),
    ...Object.fromEntries(members),
  }
}

function jsonLdLiteral({ text, lang, type }: RdfLiteral): unknown {
  if (type !== undefined) return { '@value': text, '@type': type }
  return lang === undefined ? text : { '@value': text, '@language': lang.toLowerCase() }
}
