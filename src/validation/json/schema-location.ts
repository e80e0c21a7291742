import type { ReferenceTarget } from '../reference-resolver.js'
import { type Dialect, hasRefSiblings } from './draft-keywords.js'

/* Where the schemas of a document are, and what refers to them. */

/** A JSON object. */
export type Node = { readonly [member: string]: unknown }

/** A schema: an object or a boolean, and where it is. */
export interface Location {
  readonly resource: SchemaResource
  /** JSON Pointer from the root of the document. */
  readonly pointer: string
  readonly value: Node | boolean
}

/** A schema with an identifier of its own, and its subschemas without one. @see https://json-schema.org/draft/2020-12/json-schema-core#section-4.3.5 */
export interface SchemaResource {
  readonly document: SchemaDocument
  readonly dialect: Dialect
  /** The URI to which references are relative. */
  readonly base: string
  readonly root: Location
  readonly anchors: Map<string, Location>
  /** The anchors of `$dynamicAnchor`; of `$recursiveAnchor` with the empty name. */
  readonly dynamicAnchors: Map<string, Location>
}

/** A `$ref`, `$dynamicRef` or `$recursiveRef`. */
export interface JsonReference {
  /** The reference as written, without its fragment; empty for a reference into its own resource. */
  readonly target: string
  /** The fragment with its `#`, or empty. */
  readonly fragment: string
  readonly keyword: string
  readonly from: Location
}

/** A regular expression of a schema. */
export interface JsonPattern {
  readonly pattern: string
  /** JSON Pointer of the pattern. */
  readonly pointer: string
}

export interface SchemaDocument {
  readonly place: ReferenceTarget
  readonly root: Location
  /** Grows when a reference leads into the value of an unknown keyword. */
  readonly references: readonly JsonReference[]
  readonly patterns: readonly JsonPattern[]
}

/** The reference that a keyword of a schema makes; undefined if its value is no text. */
export function referenceAt(from: Location, keyword: string, written: unknown): JsonReference | undefined {
  if (typeof written !== 'string') return undefined
  const hash = written.indexOf('#')
  const target = hash < 0 ? written : written.slice(0, hash)
  return { target, fragment: hash < 0 ? '' : written.slice(hash), keyword, from }
}

/** Whether a schema is nothing but a reference, because other keywords beside `$ref` do not count in its draft. */
export function isRefAlone(node: Node, dialect: Dialect): boolean {
  return !hasRefSiblings(dialect) && typeof node.$ref === 'string'
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The reference resolved against a base, without its fragment; undefined if the base has no hierarchy, as a URN. */
export function resolved(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href.split('#', 1)[0] : undefined
}
