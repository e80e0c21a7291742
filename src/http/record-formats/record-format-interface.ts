import type { Collection } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Version } from '../../core/value-types.js'
import type { MetadataDraft, SchemaDraft } from '../../service/updates/record-drafts.js'

/** A `record` part, parsed. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A change of a metadata record; a schema version without a schema means the schema it follows. */
export interface MetadataChange {
  readonly schemaId?: Id
  readonly schemaVersion?: Version
  readonly edit: MetadataDraft['edit']
}

/**
 * One version of the interface: records as JSON, both ways. Pure. The routes are the same for all versions; what
 * differs is here.
 */
export interface RecordFormat {
  readonly version: 1 | 2
  /** Where it is served. */
  readonly mounts: readonly string[]
  /** Media types of its records; the one asked for is echoed. */
  readonly recordTypes: { readonly schema: readonly string[]; readonly metadata: readonly string[] }
  /** Media types of content information; none: the version has none. */
  readonly contentTypes: readonly string[]
  /** Media types of what search engines read of metadata. @see docs/contract.md#search-index-entries */
  readonly indexTypes: readonly string[]
  /** Kinds whose document is an answer only to `Accept` headers that fit one; other kinds' are one to any. */
  readonly strictAcceptKinds: readonly Collection[]
  /** Says with a record, in `Location`, where its document is. @see docs/contract.md#choosing-a-representation */
  readonly locatesDocuments: boolean
  /** What to say where there is no such record. @see docs/contract.md#wording-that-clients-look-for */
  notFoundMessage(kind: Collection, id: string, wanted: 'record' | 'document' | 'content' | 'index'): string
  /** @param root base and mount of the request: what URLs begin with */
  renderSchema(revision: Revision, root: string): JsonObject
  renderMetadata(revision: Revision, root: string): JsonObject
  /** @throws ProblemError `malformed-request` */
  parseNewSchema(json: JsonObject): SchemaDraft
  parseSchemaChange(json: JsonObject): SchemaDraft
  /**
   * @param bases what an URL of ours may begin with
   * @throws ProblemError `malformed-request`; `unprocessable` for a schema reference that cannot be one of ours
   */
  parseNewMetadata(
    json: JsonObject,
    bases: readonly string[],
  ): MetadataDraft & Required<Pick<MetadataDraft, 'schema'>>
  parseMetadataChange(json: JsonObject, bases: readonly string[]): MetadataChange
}
