import { appendJsonPointer } from '../../core/json/strict-json.js'
import type { Finding } from '../../core/problem.js'
import { findingError, findingsOf, inFile } from '../findings.js'
import {
  bytesOf,
  decoded,
  identityOf,
  nameOf,
  type ReferenceTarget,
  resolveReference,
} from '../reference-resolver.js'
import type { SchemaBundle } from '../validator.js'
import { parseForValidation } from './compared-values.js'
import { parseJsonDocument } from './document-parser.js'
import {
  type Dialect,
  hasRefSiblings,
  idKeywordOf,
  keywordsOf,
  referenceKeywordsOf,
} from './draft-keywords.js'
import { checkAgainstMetaSchema, dialectOf, metaSchemaAt } from './schema-dialect.js'
import {
  isNode,
  isRefAlone,
  type JsonPattern,
  type JsonReference,
  type Location,
  type Node,
  referenceAt,
  resolved,
  type SchemaDocument,
  type SchemaResource,
} from './schema-location.js'

/*
 * The documents of a JSON schema, the resources in them, and the targets of their references. References are resolved by
 * id among the files of one bundle, as JSON Schema defines it, then by path, then among the registered schemas.
 */

/** The target of a reference: a resource, or a document of the other language. */
export type Target =
  | { readonly kind: 'resource'; readonly resource: SchemaResource }
  | { readonly kind: 'place'; readonly place: ReferenceTarget }

export interface SchemaResources {
  /** Reads a document. @throws ProblemError `unprocessable` if it is not well-formed or no valid schema */
  document(place: ReferenceTarget): SchemaDocument
  /** Finds the target of a reference without its fragment. @returns undefined if there is no target */
  lookUp(reference: JsonReference): Target | undefined
  /**
   * Finds the schema that a fragment names: an anchor or a JSON Pointer.
   * @returns undefined if there is none
   * @throws ProblemError `unprocessable` if the value of an unknown keyword is the target, and no schema
   */
  locate(resource: SchemaResource, fragment: string): Location | undefined
  /** The location of a schema object that was read as a schema. */
  locationOf(node: Node): Location | undefined
}

/** Reads a document at its first use. A reference that may be an id reads all documents of its bundle. */
export function openSchemaResources(deepest?: number): SchemaResources {
  const reads = new Map<string, ReadDocument>()
  const locations = new WeakMap<object, Location>()
  const indexes = new Map<string, ReadonlyMap<string, SchemaResource>>()

  function read(place: ReferenceTarget): ReadDocument {
    const identity = identityOf(place)
    const known = reads.get(identity)
    if (known) return known
    // Files without `$schema` have the draft of their document.
    const inherited =
      place.file === undefined ? '2020-12' : read(documentOf(place)).document.root.resource.dialect
    try {
      const root = parseJsonDocument(bytesOf(place), deepest, parseForValidation).value
      const found = readDocument(place, root, dialectOf(root, inherited), locations)
      reads.set(identity, found)
      return found
    } catch (thrown) {
      throw findingError(...inFile(findingsOf(thrown), nameOf(place)))
    }
  }

  /** The resources in all readable files of a bundle by id, the document first. The first place of an id counts. */
  function indexOf(from: ReferenceTarget): ReadonlyMap<string, SchemaResource> {
    const known = indexes.get(from.bundle.key)
    if (known) return known
    const index = new Map<string, SchemaResource>()
    const document = documentOf(from)
    const files = [...from.bundle.files.keys()].map(file => ({ ...document, file }))
    const places: ReferenceTarget[] = [document, ...files]
    for (const place of places) {
      try {
        for (const [id, resource] of read(place).ids) if (!index.has(id)) index.set(id, resource)
      } catch (thrown) {
        // A file that is no schema has no ids. It is a fault only if a reference leads to it.
        findingsOf(thrown)
      }
    }
    indexes.set(from.bundle.key, index)
    return index
  }

  function rootOf(place: ReferenceTarget): Target {
    return { kind: 'resource', resource: read(place).document.root.resource }
  }

  return {
    document: place => read(place).document,
    locationOf: node => locations.get(node),
    lookUp({ target, from: { resource } }) {
      if (target === '') return { kind: 'resource', resource }
      const from = resource.document.place
      const uri = resolved(target, resource.base)
      const own = uri === undefined ? undefined : indexOf(from).get(uri)
      if (own) return { kind: 'resource', resource: own }
      const place = resolveReference(target, from)
      if (place && place.bundle.type !== 'JSON') return { kind: 'place', place }
      if (place) return rootOf(place)
      const meta = metaSchemaAt(uri ?? target)
      return meta && rootOf({ bundle: bundleOf(meta.uri, meta.schema), via: meta.uri })
    },
    locate(resource, fragment) {
      if (fragment === '' || fragment === '#') return resource.root
      const name = decoded(fragment.slice(1))
      if (!name.startsWith('/')) return resource.anchors.get(name)
      const found =
        follow(resource.root, name, locations) ?? follow(resource.root, fragment.slice(1), locations)
      if (!found || typeof found.value === 'boolean' || locations.has(found.value)) return found
      const { document } = resource
      try {
        read(document.place).extend(found.value, found.pointer, found.resource)
      } catch (thrown) {
        throw findingError(...inFile(findingsOf(thrown), nameOf(document.place)))
      }
      return locations.get(found.value)
    },
  }
}

function documentOf({ bundle, via }: ReferenceTarget): ReferenceTarget {
  return { bundle, ...(via === undefined ? {} : { via }) }
}

/** A bundle of one document that is not among the files of a schema. */
function bundleOf(key: string, schema: unknown): SchemaBundle {
  const document = Buffer.from(JSON.stringify(schema))
  return { key, type: 'JSON', document, files: new Map(), registered: new Map() }
}

/** Follows a JSON Pointer. @returns undefined if it leads nowhere, or not to an object or boolean */
function follow(from: Location, pointer: string, locations: WeakMap<object, Location>): Location | undefined {
  let value: unknown = from.value
  let { resource } = from
  for (const token of pointer.slice(1).split('/')) {
    const name = token.replace(/~1/g, '/').replace(/~0/g, '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Node)[name]
    if (isNode(value)) resource = locations.get(value)?.resource ?? resource
  }
  if (!isNode(value) && typeof value !== 'boolean') return undefined
  return { value, resource, pointer: from.pointer + pointer }
}

/* Reads a schema document: its resources with their ids and anchors, its references and its patterns. */

interface ReadDocument {
  readonly document: SchemaDocument
  readonly ids: ReadonlyMap<string, SchemaResource>
  /** Reads the value of an unknown keyword as a schema. */
  readonly extend: (value: Node, pointer: string, resource: SchemaResource) => void
}

/**
 * Reads the schemas of a parsed document.
 * @param locations gets the location of each schema object
 * @throws ProblemError `unprocessable` with findings if it is no valid schema of its draft
 */
function readDocument(
  place: ReferenceTarget,
  root: unknown,
  dialect: Dialect,
  locations: WeakMap<object, Location>,
): ReadDocument {
  if (place.file === undefined && !(isNode(root) && Object.keys(root).length > 0)) {
    throw findingError({ message: 'A JSON schema must be an object with at least one member.', path: '' })
  }
  if (!isNode(root) && typeof root !== 'boolean') {
    throw findingError({ message: 'A JSON schema must be an object.', path: '' })
  }
  const references: JsonReference[] = []
  const patterns: JsonPattern[] = []
  const ids = new Map<string, SchemaResource>()
  /** Embedded resources of another draft. */
  const foreign: Location[] = []

  function visit(value: unknown, pointer: string, outer: SchemaResource): void {
    if (!isNode(value)) return
    const location = locationIn(value, pointer, outer)
    locations.set(value, location)
    const { resource } = location
    if (resource.dialect !== outer.dialect) foreign.push(location)
    const isOnlyRef = isRefAlone(value, resource.dialect)
    if (!isOnlyRef) addAnchors(location)
    addReferences(location)
    for (const [keyword, kind] of keywordsOf(resource.dialect)) {
      const child = Object.hasOwn(value, keyword) ? value[keyword] : undefined
      // What is beside `$ref` does not count, but schemas rely on the definitions there.
      if (child === undefined || (isOnlyRef && kind !== 'definitions')) continue
      const at = `${pointer}/${keyword}`
      if (keyword === 'pattern' && typeof child === 'string') patterns.push({ pattern: child, pointer: at })
      if (kind === 'assertion') continue
      if (Array.isArray(child)) {
        for (const [index, item] of child.entries()) visit(item, `${at}/${index}`, resource)
      } else if ((kind === 'map' || kind === 'definitions') && isNode(child)) {
        for (const [name, item] of Object.entries(child)) {
          const inner = appendJsonPointer(at, name)
          if (keyword === 'patternProperties') patterns.push({ pattern: name, pointer: inner })
          visit(item, inner, resource)
        }
      } else visit(child, at, resource)
    }
  }

  /** The location of a subschema, in a resource of its own if it has an id. */
  function locationIn(node: Node, pointer: string, outer: SchemaResource): Location {
    const inherited = { resource: outer, pointer, value: node }
    if (node === outer.root.value) return inherited
    const own = dialectOfResource(node, pointer, outer.dialect)
    if (own === undefined || isRefAlone(node, own)) return inherited
    const id = idOfResource(node, own, outer.dialect)
    const base = id === undefined ? undefined : resolved(id, outer.base)
    if (base === undefined || (base === outer.base && own === outer.dialect)) return inherited
    const resource = openResource(outer.document, base, own, pointer, node)
    if (!ids.has(base)) ids.set(base, resource)
    return resource.root
  }

  function addReferences(from: Location): void {
    const node = from.value as Node
    for (const keyword of referenceKeywordsOf(from.resource.dialect)) {
      const reference = referenceAt(from, keyword, node[keyword])
      if (reference) references.push(reference)
    }
  }

  function check(value: Node | boolean, own: Dialect, pointer: string): void {
    if (typeof value === 'boolean') return
    const others = foreign.filter(
      location => location.pointer.startsWith(pointer) && location.value !== value,
    )
    const findings = checkAgainstMetaSchema(without(value, others), own)
    const at = (finding: Finding) => ({ ...finding, path: pointer + (finding.path ?? '') })
    if (findings.length > 0) throw findingError(...findings.map(at))
  }

  function extend(value: Node, pointer: string, outer: SchemaResource): void {
    const known = foreign.length
    visit(value, pointer, outer)
    check(value, locations.get(value)?.resource.dialect ?? outer.dialect, pointer)
    for (const { value: other, resource, pointer: at } of foreign.slice(known))
      check(other, resource.dialect, at)
  }

  // Relative ids are relative to the path of the file in the bundle.
  const origin = `mem://bundle/${(place.file ?? 'schema.json').split('/').map(encodeURIComponent).join('/')}`
  const id = isNode(root) ? root[idKeywordOf(dialect)] : undefined
  const named = typeof id === 'string' ? resolved(id, origin) : undefined
  const isNamed = isNode(root) && !isRefAlone(root, dialect)
  const document = { place, references, patterns, root: undefined as unknown as Location }
  const resource = openResource(document, (isNamed && named) || origin, dialect, '', root)
  document.root = resource.root
  ids.set(origin, resource)
  // An id beside `$ref` is no base before 2019-09, but it may still be the name by which others refer to the document.
  if (named !== undefined) ids.set(named, resource)
  if (isNode(root)) extend(root, '', resource)
  return { document, ids, extend }
}

/** Adds the anchors of a schema to its resource. */
function addAnchors(location: Location): void {
  const node = location.value as Node
  const { anchors, dynamicAnchors, dialect: own } = location.resource
  const add = (to: Map<string, Location>, name: unknown) => {
    if (typeof name === 'string' && !to.has(name)) to.set(name, location)
  }
  if (!hasRefSiblings(own)) {
    const id = node[idKeywordOf(own)]
    const hash = typeof id === 'string' ? id.indexOf('#') : -1
    if (hash >= 0 && hash < (id as string).length - 1) add(anchors, decoded((id as string).slice(hash + 1)))
    return
  }
  add(anchors, node.$anchor)
  if (own === '2020-12') {
    add(anchors, node.$dynamicAnchor)
    add(dynamicAnchors, node.$dynamicAnchor)
  } else if (node.$recursiveAnchor === true) add(dynamicAnchors, '')
}

function openResource(
  document: SchemaDocument,
  base: string,
  dialect: Dialect,
  pointer: string,
  value: Node | boolean,
): SchemaResource {
  const anchors = new Map<string, Location>()
  const dynamicAnchors = new Map<string, Location>()
  const resource = {
    document,
    base,
    dialect,
    anchors,
    dynamicAnchors,
    root: undefined as unknown as Location,
  }
  resource.root = { resource, pointer, value }
  return resource
}

/** The draft of a subschema that has an id of its own; undefined if it has none. @throws ProblemError for an unknown draft */
function dialectOfResource(node: Node, pointer: string, outer: Dialect): Dialect | undefined {
  if (!isResourceId(node.$id) && !isResourceId(node.id)) return undefined
  try {
    const own = dialectOf(node, outer)
    return idOfResource(node, own, outer) === undefined ? undefined : own
  } catch (thrown) {
    throw findingError(...findingsOf(thrown).map(finding => ({ ...finding, path: `${pointer}/$schema` })))
  }
}

/** The id of a subschema: by the keyword of its own draft, or of the draft around it if it names another one. */
function idOfResource(node: Node, own: Dialect, outer: Dialect): string | undefined {
  return [node[idKeywordOf(own)], node[idKeywordOf(outer)]].find(isResourceId)
}

function isResourceId(id: unknown): id is string {
  return typeof id === 'string' && !id.startsWith('#')
}

/** A copy of a schema with `{}` in the place of some of its subschemas. */
function without(value: unknown, others: readonly Location[]): Node {
  if (others.length === 0) return value as Node
  const left = new Set<unknown>(others.map(({ value }) => value))
  const copy = (inner: unknown): unknown => {
    if (left.has(inner)) return {}
    if (Array.isArray(inner)) return inner.map(copy)
    if (!isNode(inner)) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, member]) => [name, copy(member)]))
  }
  return copy(value) as Node
}
