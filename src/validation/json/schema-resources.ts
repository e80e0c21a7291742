import { findingError, findingsOf, inFile } from '../findings.js'
import { bytesOf, identityOf, nameOf, type ReferenceTarget, resolveReference } from '../reference-resolver.js'
import type { SchemaBundle } from '../validator.js'
import { parseForValidation } from './compared-values.js'
import { parseJsonDocument } from './document-parser.js'
import { dialectOf, metaSchemaAt } from './schema-dialect.js'
import { type ReadDocument, readDocument } from './schema-document-reader.js'
import {
  decoded,
  isNode,
  type JsonReference,
  type Location,
  type Node,
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
