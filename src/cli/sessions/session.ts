import type { Finding } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { Id, Version } from '../../core/value-types.js'
import type { AffectedDocument, ImpactCounts } from '../../service/records/schema-impact.js'

/** A record as the commands show it, from a repository or from a server. */
export interface RecordSummary {
  readonly kind: Collection
  readonly id: string
  readonly version: number
  readonly type?: DocumentType
  /** Metadata only. */
  readonly schema?: { readonly schemaId: string; readonly version: number }
  /** Metadata only: identifiers of what it describes. */
  readonly resources?: readonly string[]
  readonly lastUpdate: string
  /** `sha1:<hex digits>` of the document. */
  readonly hash: string
  /** The commit that made this state, where it is known. */
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

export interface MetadataChange {
  readonly document: Uint8Array
  /** Where one of them is given, the document follows another schema or version from now on. */
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

/** What a change of a schema would do, as it is found out. */
export interface ImpactListener {
  /** Is told how far it is. */
  readonly onProgress: (tally: ImpactCounts) => void
  /** Is told every document that is affected, by id. */
  readonly onDocument: (document: AffectedDocument) => void
}

export interface ImpactSummary extends Omit<ImpactCounts, 'total'> {
  readonly schema: { readonly id: string; readonly version: number }
  /** The documents are those of this commit. */
  readonly commit: string
}

/**
 * What the commands need of a repository on this disk (`--data`) or of a running server (`--url`). Every function may
 * throw the ProblemErrors of the services.
 */
export interface Session {
  /** The newest state, or that of a version; a schema where there is no metadata record of that id. */
  find(id: Id, version?: Version): Promise<RecordSummary>
  register(schemaId: Id, upload: SchemaFiles): Promise<RecordSummary>
  /** @param message what the commit says; default: that it is an update */
  reviseSchema(id: Id, upload: SchemaFiles, tag: string | undefined, message?: string): Promise<RecordSummary>
  add(metadata: NewMetadata): Promise<RecordSummary>
  /** @param message as of {@link reviseSchema} */
  reviseMetadata(
    id: Id,
    change: MetadataChange,
    tag: string | undefined,
    message?: string,
  ): Promise<RecordSummary>
  document(entry: RecordSummary): Promise<Uint8Array>
  /** Further files of a schema, by path relative to the document. */
  furtherFiles(entry: RecordSummary): Promise<ReadonlyMap<string, Uint8Array>>
  /** The record as JSON, in the shape of interface version 1. */
  record(entry: RecordSummary): Promise<unknown>
  list(kind: Collection, filters: Filters): Promise<RecordPage>
  /** Newest states that have all the words, of one kind or of both. */
  search(words: string, kind: Collection | undefined, page: number, size: number): Promise<RecordPage>
  validate(schemaId: Id, version: Version | undefined, document: Uint8Array): Promise<readonly Finding[]>
  impact(schemaId: Id, upload: SchemaFiles, assessed: ImpactListener): Promise<ImpactSummary>
  close(): Promise<void>
}
