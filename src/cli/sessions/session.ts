import type { Finding } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { Id, Version } from '../../core/value-types.js'

/** What commands show of a record. */
export interface RecordSummary {
  readonly kind: Collection
  readonly id: string
  readonly version: number
  readonly type?: DocumentType
  /** Metadata only. */
  readonly schema?: { readonly schemaId: string; readonly version: number }
  /** Metadata only: identifiers of the resources it describes. */
  readonly resources?: readonly string[]
  readonly lastUpdate: string
  /** The newest commit breaks a rule and is not served. Only lists of a data folder say so. */
  readonly isBroken?: true
  /** `sha1:<hex digits>` of the document. */
  readonly hash: string
  /** The commit of this version. Lists of a server do not have it. */
  readonly commit?: string
}

export interface RecordPage {
  readonly entries: readonly RecordSummary[]
  readonly total: number
}

export interface SchemaFiles {
  readonly document: Uint8Array
  /** Further files by path relative to the document. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

export interface NewMetadata {
  readonly id: Id | undefined
  readonly schemaId: Id
  readonly schemaVersion: Version | undefined
  readonly resource: { readonly identifier: string; readonly identifierType: string }
  readonly document: Uint8Array
}

export interface MetadataUpdate {
  readonly document: Uint8Array
  /** If one of these two is given, the document is to follow another schema, or another version of its schema. */
  readonly schemaId: Id | undefined
  readonly schemaVersion: Version | undefined
}

export interface Filters {
  readonly types: readonly DocumentType[]
  readonly schemaIds: readonly string[]
  readonly resources: readonly string[]
  readonly from: string | undefined
  readonly until: string | undefined
  readonly page: number
  readonly size: number
}

/**
 * Access to a repository on this disk (`--data`) or to a running server (`--url`). Every function may throw the
 * ProblemErrors of the services.
 */
export interface Session {
  /** A version of a metadata record, or of a schema if no metadata record has the id. @param version default: newest */
  find(id: Id, version?: Version): Promise<RecordSummary>
  register(schemaId: Id, upload: SchemaFiles): Promise<RecordSummary>
  /** Stores a new version of a schema. @param message of the commit; default: a message that says it is an update */
  reviseSchema(id: Id, upload: SchemaFiles, tag: string | undefined, message?: string): Promise<RecordSummary>
  add(metadata: NewMetadata): Promise<RecordSummary>
  /** Stores a new version of a metadata record. @param message as of {@link reviseSchema} */
  reviseMetadata(
    id: Id,
    change: MetadataUpdate,
    tag: string | undefined,
    message?: string,
  ): Promise<RecordSummary>
  document(entry: RecordSummary): Promise<Uint8Array>
  /** Further files of a schema, by path relative to the document. */
  furtherFiles(entry: RecordSummary): Promise<ReadonlyMap<string, Uint8Array>>
  /** The record as JSON of version 1 of the interface. */
  record(entry: RecordSummary): Promise<unknown>
  list(kind: Collection, filters: Filters): Promise<RecordPage>
  validate(schemaId: Id, version: Version | undefined, document: Uint8Array): Promise<readonly Finding[]>
}
