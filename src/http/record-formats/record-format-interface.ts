import type { Collection } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Version } from '../../core/value-types.js'
import type { MetadataDraft, SchemaDraft } from '../../service/updates/record-drafts.js'

export type JsonObject = Readonly<Record<string, unknown>>

/**
 * A change of a metadata record. A schema version without a schema id is a version of the schema it follows already.
 */
export interface MetadataChange {
  readonly schemaId?: Id
  readonly schemaVersion?: Version
  readonly edit: MetadataDraft['edit']
}

/**
 * How one version of the interface writes records as JSON, and reads them. All functions are pure. The versions have
 * the same routes, and differ in this only.
 */
export interface RecordFormat {
  readonly version: 1 | 2
  readonly mounts: readonly string[]
  /** Media types of its records. The response has the one in `Accept`. */
  readonly recordTypes: { readonly schema: readonly string[]; readonly metadata: readonly string[] }
  /** Media types of content information; empty: the version has none. */
  readonly contentTypes: readonly string[]
  /** Media types of search index entries of metadata. @see docs/contract.md#search-index-entries */
  readonly indexTypes: readonly string[]
  /** Kinds whose document is answered only if `Accept` names a type that a document can have. */
  readonly strictAcceptKinds: readonly Collection[]
  /**
   * Whether a record is answered with the address of its document in `Location`.
   * @see docs/contract.md#choosing-a-representation
   */
  readonly locatesDocuments: boolean
  /** Message of the problem for a missing record. @see docs/contract.md#wording-that-clients-look-for */
  notFoundMessage(kind: Collection, id: string, wanted: 'record' | 'document' | 'content' | 'index'): string
  /** @param root base URL and mount of the request */
  renderSchema(revision: Revision, root: string): JsonObject
  renderMetadata(revision: Revision, root: string): JsonObject
  /** @throws ProblemError `malformed-request` */
  parseNewSchema(json: JsonObject): SchemaDraft
  parseSchemaChange(json: JsonObject): SchemaDraft
  /**
   * @param bases with which a URL of the service may begin
   * @throws ProblemError `malformed-request`; `unprocessable` for a reference to a schema of another service
   */
  parseNewMetadata(
    json: JsonObject,
    bases: readonly string[],
  ): MetadataDraft & Required<Pick<MetadataDraft, 'schema'>>
  parseMetadataChange(json: JsonObject, bases: readonly string[]): MetadataChange
}
