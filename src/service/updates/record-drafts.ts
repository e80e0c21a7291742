import type { DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { Id, Version } from '../../core/value-types.js'

/**
 * The change of a record that a request wants. It is a pure function, because the writer runs it again on the newest
 * revision. For a new record, `base` is `{ id }` with the default members. The service sets `schema`, `id` and the ACL
 * entry of the caller.
 * @see docs/contract.md#defaults-of-a-new-record
 */
export type RecordEdit = (base: StoredRecord) => StoredRecord

export interface SchemaDraft {
  readonly id?: Id
  /** The language of the document. A document of the other language is `unprocessable`. */
  readonly type?: DocumentType
  readonly edit: RecordEdit
}

export interface MetadataDraft {
  /** For a new record; undefined: a random UUID. */
  readonly id?: Id
  /** Undefined: the record keeps its schema. @see docs/contract.md#which-schema-version-a-document-follows */
  readonly schema?: { readonly schemaId: Id; readonly version?: Version }
  readonly edit: RecordEdit
}

/** The draft of a new metadata record, which must follow a schema. */
export type NewMetadataDraft = MetadataDraft & Required<Pick<MetadataDraft, 'schema'>>

/** What an update of a metadata record changes. */
export interface MetadataChange {
  readonly draft?: MetadataDraft
  readonly document?: Uint8Array
}

/** Base URLs that lead to this server in schema documents: of the request, of `--base-url`, former ones. */
export interface OwnBaseUrls {
  readonly bases: readonly string[]
}

export interface SchemaUpload {
  readonly document?: Uint8Array
  /** The file name of the document, by which its files may refer to it. It is stored only if they do. */
  readonly fileName?: string
  /** Additional files by path relative to the document. */
  readonly files?: ReadonlyMap<string, Uint8Array>
}

export type NewSchemaUpload = SchemaUpload & Required<Pick<SchemaUpload, 'document'>>

/** What an update of a schema changes. */
export interface SchemaChange extends SchemaUpload {
  readonly draft?: SchemaDraft
}
