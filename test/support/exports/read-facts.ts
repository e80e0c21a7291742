import { XmlDocument } from 'libxml2-wasm'
import { DataFactory, Store } from 'n3'
import { expandSchemaOrg } from './check-export.js'
import { readTurtle } from './read-rdf.js'

/* Reads facts of an export with programs of other projects. */

/** Prefixes of names in paths. */
const prefixes: Readonly<Record<string, string>> = {
  adms: 'http://www.w3.org/ns/adms#',
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  geo: 'http://www.opengis.net/ont/geosparql#',
  prov: 'http://www.w3.org/ns/prov#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  schema: 'http://schema.org/',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  spdx: 'http://spdx.org/rdf/terms#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
}

function expanded(name: string): string {
  return name.replace(/^(\w+):/, (whole, prefix: string) => prefixes[prefix] ?? whole)
}

function shortened(iri: string): string {
  const [prefix, address] = Object.entries(prefixes).find(([, each]) => iri.startsWith(each)) ?? []
  return address === undefined ? iri : `${prefix}:${iri.slice(address.length)}`
}

/**
 * Returns the values at the end of a path of properties, such as `dcat:distribution dct:license`. A text is followed by
 * its language or its type (`Rod@en`, `12^^xsd:decimal`). An IRI is in angle brackets (`<https://example.org/>`).
 */
export function turtleFacts(turtle: string, subject: string, path: string): readonly string[] {
  const graph = new Store(readTurtle(turtle))
  let nodes: readonly unknown[] = [DataFactory.namedNode(subject)]
  for (const name of path.split(' '))
    nodes = nodes.flatMap(node => graph.getObjects(node, DataFactory.namedNode(expanded(name)), null))
  return (nodes as ReturnType<Store['getObjects']>).map(({ termType, value, language, datatype }) => {
    if (termType !== 'Literal') return `<${shortened(value)}>`
    if (language) return `${value}@${language}`
    const type = shortened(datatype?.value ?? '')
    return type === 'xsd:string' ? value : `${value}^^${type}`
  })
}

type Expanded = Readonly<Record<string, unknown>>

/**
 * Returns the values at a path in schema.org JSON-LD. `@id` and `@type` are properties. The values have no language or
 * type.
 */
export async function schemaOrgFacts(text: string, path: string): Promise<readonly unknown[]> {
  let nodes: readonly unknown[] = [await expandSchemaOrg(text)]
  for (const name of path.split(' ')) {
    const property = name.startsWith('@') ? name : expanded(name.includes(':') ? name : `schema:${name}`)
    nodes = nodes.flatMap(node => (node as Expanded)[property] ?? [])
  }
  return nodes.map(node => {
    if (typeof node !== 'object' || node === null) return shortened(String(node))
    if ('@value' in node) return node['@value']
    return '@id' in node ? `<${node['@id']}>` : node
  })
}

const namespaces = {
  d: 'http://datacite.org/schema/kernel-4',
  dc: 'http://purl.org/dc/elements/1.1/',
}

/**
 * Returns the texts of elements or attributes by an XPath. The prefix `d` stands for DataCite, `dc` for Dublin Core.
 */
export function xmlFacts(xml: string, path: string): readonly string[] {
  const document = XmlDocument.fromString(xml)
  try {
    return document.root.find(path, namespaces).map(({ content }) => content)
  } finally {
    document.dispose()
  }
}
