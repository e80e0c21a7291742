import { appendJsonPointer } from '../../core/json/strict-json.js'
import { findingError, findingsOf, inFile } from '../findings.js'
import { bytesOf, identityOf, nameOf, type ReferenceTarget, resolveReference } from '../reference-resolver.js'
import { parseForValidation } from './compared-values.js'
import { parseJsonDocument } from './document-parser.js'
import { repeatProtoMember } from './proto-member.js'
import { bundledMeta, checkAgainstMetaSchema, type Dialect, dialectOf } from './schema-dialect.js'

/*
 * The documents of a JSON schema under unique names, and the targets of their references. References are resolved by id
 * among the files of one bundle, as JSON Schema defines it, then by path, then among the registered schemas.
 */

/** A mutable JSON object: its ids and references are rewritten for the validator. */
type Node = { [member: string]: unknown }

/** A `$ref`, `$dynamicRef` or `$recursiveRef` to another document. */
export interface JsonReference {
  /** The reference as written, without its fragment. */
  readonly target: string
  /** The fragment with its `#`, or empty. */
  readonly fragment: string
  readonly keyword: string
  readonly holder: Node
  readonly pointer: string
  /** The reference resolved against the ids around it; undefined if that is not possible. */
  readonly uri: string | undefined
}

/** A regular expression of a schema. */
interface JsonPattern {
  readonly pattern: string
  /** JSON Pointer of the pattern. */
  readonly pointer: string
}

export interface SchemaResource {
  readonly place: ReferenceTarget
  readonly root: Node | boolean
  readonly dialect: Dialect
  /** Unique name for the validator; ids in documents need not be unique. */
  readonly uri: string
  readonly references: readonly JsonReference[]
  readonly patterns: readonly JsonPattern[]
}

/** The target of a reference: the name to replace the reference with, and the document to add to the validator. */
export type Target =
  | { readonly kind: 'resource'; readonly uri: string; readonly resource: SchemaResource }
  | { readonly kind: 'meta'; readonly uri: string }
  | { readonly kind: 'place'; readonly place: ReferenceTarget }

export interface SchemaResources {
  /** Reads a document. @throws ProblemError `unprocessable` if it is not well-formed or no valid schema */
  resource(place: ReferenceTarget): SchemaResource
  /** Finds the target of a reference. @returns undefined if there is no target */
  lookUp(reference: JsonReference, from: SchemaResource): Target | undefined
  /** The document and pointer of a schema object, for findings. */
  placeOf(node: object): string | undefined
}

interface Read {
  readonly resource: SchemaResource
  readonly ids: ReadonlyMap<string, string>
}

/** The unique name and the place of each id. */
type IdIndex = Map<string, { readonly uri: string; readonly place: ReferenceTarget }>

/** Reads a document at its first use. A reference that may be an id reads all documents of its bundle. */
export function openSchemaResources(deepest?: number): SchemaResources {
  const reads = new Map<string, Read>()
  const nodes = new WeakMap<object, string>()
  const indexes = new Map<string, IdIndex>()

  function read(place: ReferenceTarget): Read {
    const identity = identityOf(place)
    const known = reads.get(identity)
    if (known) return known
    // Files without `$schema` have the draft of their document.
    const inherited = place.file === undefined ? '2020-12' : read(documentOf(place)).resource.dialect
    const name = nameOf(place)
    try {
      const root = parseJsonDocument(bytesOf(place), deepest, parseForValidation).value
      const dialect = dialectOf(root, inherited)
      const found = readResource(place, root, dialect, `mem://schema/${reads.size}`, (node, pointer) =>
        nodes.set(node, name === undefined ? pointer : `${name}#${pointer}`),
      )
      reads.set(identity, found)
      return found
    } catch (thrown) {
      throw findingError(...inFile(findingsOf(thrown), name))
    }
  }

  /** The ids in all readable files of a bundle, the document first. If an id occurs twice, its first place counts. */
  function indexOf(from: ReferenceTarget): IdIndex {
    const known = indexes.get(from.bundle.key)
    if (known) return known
    const index: IdIndex = new Map()
    const document = documentOf(from)
    const files = [...from.bundle.files.keys()].map(file => ({ ...document, file }))
    const places: ReferenceTarget[] = [document, ...files]
    for (const place of places) {
      try {
        for (const [id, uri] of read(place).ids) if (!index.has(id)) index.set(id, { uri, place })
      } catch (thrown) {
        // A file that is no schema has no ids. It is a fault only if a reference leads to it.
        findingsOf(thrown)
      }
    }
    indexes.set(from.bundle.key, index)
    return index
  }

  return {
    resource: place => read(place).resource,
    placeOf: node => nodes.get(node),
    lookUp(reference, from) {
      const { target, uri } = reference
      const own = uri === undefined ? undefined : indexOf(from.place).get(uri)
      if (own) return { kind: 'resource', uri: own.uri, resource: read(own.place).resource }
      const place = resolveReference(target, from.place)
      if (place && place.bundle.type !== 'JSON') return { kind: 'place', place }
      if (place) {
        const { resource } = read(place)
        return { kind: 'resource', uri: resource.uri, resource }
      }
      const meta = bundledMeta(uri ?? target, from.dialect)
      return meta === undefined ? undefined : { kind: 'meta', uri: meta }
    },
  }
}

function documentOf({ bundle, via }: ReferenceTarget): ReferenceTarget {
  return { bundle, ...(via === undefined ? {} : { via }) }
}

function readResource(
  place: ReferenceTarget,
  root: unknown,
  dialect: Dialect,
  uri: string,
  found: (node: object, pointer: string) => void,
): Read {
  if (place.file === undefined && !(isNode(root) && Object.keys(root).length > 0)) {
    throw findingError({ message: 'A JSON schema must be an object with at least one member.', path: '' })
  }
  if (!isNode(root) && typeof root !== 'boolean') {
    throw findingError({ message: 'A JSON schema must be an object.', path: '' })
  }
  if (typeof root === 'boolean') {
    const resource: SchemaResource = { place, root, dialect, uri, references: [], patterns: [] }
    return { resource, ids: new Map() }
  }
  const findings = checkAgainstMetaSchema(root, dialect)
  if (findings.length > 0) throw findingError(...findings)
  const references: JsonReference[] = []
  const patterns: JsonPattern[] = []
  const ids = new Map<string, string>()
  const idKeyword = dialect === 'draft-04' ? 'id' : '$id'

  function visit(value: unknown, pointer: string, base: string, isMap: boolean): void {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, `${pointer}/${index}`, base, false)
      return
    }
    if (!isNode(value)) return
    const inner = isMap ? base : visitSchema(value, pointer, base)
    for (const [member, child] of Object.entries(value)) {
      if (isMap || !isData.has(member)) {
        visit(child, appendJsonPointer(pointer, member), inner, !isMap && isMapOfSchemas.has(member))
      }
    }
    if (!isMap) repeatProtoMember(value)
  }

  function visitSchema(node: Node, pointer: string, outer: string): string {
    found(node, pointer)
    if (node.$async === true) {
      throw findingError({
        message: '$async is not supported: it belongs to one library, not to JSON Schema.',
        path: pointer,
      })
    }
    // Removed, because ajv implements this keyword of OpenAPI, which JSON Schema does not have.
    if (typeof node.nullable === 'boolean') delete node.nullable
    let base = outer
    const id = node[idKeyword]
    if (typeof id === 'string' && !id.startsWith('#')) {
      base = resolved(id, outer) ?? outer
      const own = pointer === '' ? uri : `${uri}/${ids.size}`
      if (!ids.has(base)) ids.set(base, own)
      node[idKeyword] = ids.get(base)
    } else if (pointer === '') {
      node[idKeyword] = uri
    }
    const { pattern, patternProperties } = node
    if (typeof pattern === 'string') patterns.push({ pattern, pointer: `${pointer}/pattern` })
    for (const name of isNode(patternProperties) ? Object.keys(patternProperties) : []) {
      patterns.push({ pattern: name, pointer: appendJsonPointer(`${pointer}/patternProperties`, name) })
    }
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const written = node[keyword]
      if (typeof written !== 'string' || written.startsWith('#') || written === '') continue
      const hash = written.indexOf('#')
      const target = hash < 0 ? written : written.slice(0, hash)
      const fragment = hash < 0 ? '' : written.slice(hash)
      references.push({ target, fragment, keyword, holder: node, pointer, uri: resolved(target, base) })
    }
    return base
  }

  // Relative ids are relative to the path of the file in the bundle.
  const origin = `mem://bundle/${(place.file ?? 'schema.json').split('/').map(encodeURIComponent).join('/')}`
  ids.set(origin, uri)
  visit(root, '', origin, false)
  return { resource: { place, root, dialect, uri, references, patterns }, ids }
}

/** Keywords whose value is data and contains no schemas. */
const isData = new Set(['const', 'enum', 'default', 'examples', 'example'])
/** Keywords whose value is an object of schemas by arbitrary names. */
const isMapOfSchemas = new Set([
  'properties',
  'patternProperties',
  'definitions',
  '$defs',
  'dependentSchemas',
  'dependencies',
])

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The reference resolved against a base, without its fragment; undefined if the base has no hierarchy, as a URN. */
function resolved(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href.split('#', 1)[0] : undefined
}
