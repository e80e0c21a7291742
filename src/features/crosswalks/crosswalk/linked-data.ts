import { isJsonObject, type JsonObject } from './json-object.js'

/*
 * Linked data as JSON-LD: which of several entities a document is about, and how it writes the terms of schema.org.
 */

/** What the members of the entities of a document mean. */
export interface LinkedData {
  /** Entities by their `@id`. */
  readonly graph: ReadonlyMap<string, unknown>
  /** What the document writes before the terms of schema.org, such as `schema:`; empty if it writes nothing. */
  readonly prefixes: readonly string[]
}

/** The main entity of a document, and its place there. */
interface MainEntity extends LinkedData {
  readonly entity: JsonObject
  readonly path: string
  /** Whether the entity has a type and a name of schema.org with a prefix or as whole addresses. */
  readonly hasPrefixedTerms: boolean
}

/**
 * The entity that a graph, a list of entities or an entity with prefixed terms is about: the one that the metadata file
 * of an RO-Crate names, else the first catalogue, series of data sets, data set or service with a title, else without
 * one, else the first one with a title. Undefined for another document.
 */
export function mainEntity(document: unknown): MainEntity | undefined {
  const inGraph = isJsonObject(document) ? document['@graph'] : undefined
  const all = Array.isArray(document) ? document : inGraph
  if (!Array.isArray(all)) return singleEntity(document)
  const entities = all.filter(isJsonObject)
  const isLinked = inGraph !== undefined || entities.some(isTyped)
  if (!isLinked) return undefined
  const graph = new Map(
    entities.flatMap(entity => (typeof entity['@id'] === 'string' ? [[entity['@id'], entity] as const] : [])),
  )
  const prefixes = schemaOrgPrefixes(inGraph === undefined ? entities : [document as JsonObject, ...entities])
  const titled = entities.filter(entity =>
    titleMembers.some(name => name in entity || prefixes.some(prefix => prefix + name in entity)),
  )
  const entity =
    entityOfCrate(entities, graph) ?? firstOfMainClasses(titled) ?? firstOfMainClasses(entities) ?? titled[0]
  if (!entity) return undefined
  const path = `${inGraph === undefined ? '' : '@graph'}[${all.indexOf(entity)}]`
  return { entity, path, graph, prefixes, hasPrefixedTerms: isPrefixed(entity, prefixes) }
}

function isPrefixed(entity: JsonObject, prefixes: readonly string[]): boolean {
  return prefixes.some(
    prefix =>
      [`${prefix}name`, `${prefix}headline`, 'name', 'headline'].some(name => name in entity) &&
      typesOf(entity).some(type => type.startsWith(prefix)),
  )
}

/** A document that is one entity. It is looked at in this way only if its terms have prefixes. */
function singleEntity(document: unknown): MainEntity | undefined {
  if (!isJsonObject(document) || !isTyped(document)) return undefined
  const prefixes = schemaOrgPrefixes([document])
  return isPrefixed(document, prefixes)
    ? { entity: document, path: '', graph: new Map(), prefixes, hasPrefixedTerms: true }
    : undefined
}

function isTyped(entity: JsonObject): boolean {
  return '@type' in entity
}

/**
 * The data set that the metadata file of an RO-Crate is about. The file has its usual name, or else it says that it
 * conforms to RO-Crate, as that of a crate on the web may have any name.
 */
function entityOfCrate(
  entities: readonly JsonObject[],
  graph: ReadonlyMap<string, unknown>,
): JsonObject | undefined {
  const file =
    entities.find(entity => /(?:^|\/)ro-crate-metadata\.json(?:ld)?$/.test(String(entity['@id']))) ??
    entities.find(
      ({ about, conformsTo }) =>
        isJsonObject(about) &&
        [conformsTo].flat().some(to => /^https?:\/\/w3id\.org\/ro\/crate\b/.test(idOf(to) ?? '')),
    )
  const about = file && graph.get(idOf(file.about) ?? '')
  return isJsonObject(about) ? about : undefined
}

function idOf(value: unknown): string | undefined {
  return isJsonObject(value) && typeof value['@id'] === 'string' ? value['@id'] : undefined
}

/** Classes of entities that a document is about, the most important first. */
export const mainClasses = [
  /(?:^|[:/#])(?:Data)?Catalog(?:ue)?$/,
  /(?:^|[:/#])DatasetSeries$/,
  /(?:^|[:/#])Dataset$/,
  /(?:^|[:/#])DataService$/,
]

function firstOfMainClasses(entities: readonly JsonObject[]): JsonObject | undefined {
  for (const form of mainClasses) {
    const found = entities.find(entity => typesOf(entity).some(type => form.test(type)))
    if (found) return found
  }
  return undefined
}

function typesOf(entity: JsonObject): readonly string[] {
  return [entity['@type']].flat().map(String)
}

const titleMembers = [
  'name',
  'headline',
  'title',
  'dct:title',
  'dcterms:title',
  'http://purl.org/dc/terms/title',
]

/** Limit of the prefixes for schema.org in one document. Each name of a member is looked for with each of them. */
const maxPrefixes = 4

const schemaOrg = /^https?:\/\/(?:www\.)?schema\.org\/$/

/** What the types of the entities have before the terms of schema.org: prefixes of a context, or the whole address. */
function schemaOrgPrefixes(entities: readonly JsonObject[]): readonly string[] {
  const declared = entities
    .flatMap(entity => [entity['@context']].flat())
    .filter(isJsonObject)
    .flatMap(context => Object.entries(context))
    .flatMap(([prefix, address]) =>
      typeof address === 'string' && schemaOrg.test(address) && !prefix.startsWith('@') ? [`${prefix}:`] : [],
    )
  const possible = [...new Set(declared)]
    .slice(0, maxPrefixes)
    .concat('http://schema.org/', 'https://schema.org/')
  const types = entities.flatMap(typesOf)
  return possible.filter(prefix => types.some(type => type.startsWith(prefix)))
}

/** The member that has a term of schema.org, as the entity writes it; undefined if it lacks the term. */
export function writtenTerm(entity: JsonObject, term: string, { prefixes }: LinkedData): string | undefined {
  const prefix = prefixes.find(each => Object.hasOwn(entity, each + term))
  return prefix === undefined ? undefined : prefix + term
}

/** A type without what the document writes before terms of schema.org. */
export function withoutPrefix(type: string, { prefixes }: LinkedData): string {
  const prefix = prefixes.find(each => type.startsWith(each))
  return prefix === undefined ? type : type.slice(prefix.length)
}

/**
 * The entity that a reference such as `{"@id": "#jane"}` names, or the address that a term with `"@type": "@id"` in the
 * context has; another value as it is.
 */
export function referenced(value: unknown, label: string, { graph }: LinkedData): unknown {
  if (typeof value === 'string')
    return (!/^@|^id$/.test(label) && /[:#/]/.test(value) && graph.get(value)) || value
  if (!isJsonObject(value) || typeof value['@id'] !== 'string' || Object.keys(value).length > 1) return value
  return graph.get(value['@id']) ?? value
}
