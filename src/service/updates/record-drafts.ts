import type { DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { Id, Version } from '../../core/value-types.js'

/**
 * What a request wants of a record: pure, and run again on the newest state inside the writer. For a new record
 * `base` is `{ id }` with its defaults. The service sets `schema`, `id` and the caller's own ACL entry.
 * @see docs/contract.md#defaults-of-a-new-record
 */
export type RecordEdit = (base: StoredRecord) => StoredRecord

export interface SchemaDraft {
  readonly id?: Id
  /** Refused with 422 where the document is of the other language. */
  readonly type?: DocumentType
  readonly edit: RecordEdit
}

export interface MetadataDraft {
  /** Undefined on creation: the service gives a random UUID. */
  readonly id?: Id
  /** Undefined keeps the stored one. @see docs/contract.md#which-schema-version-a-document-follows */
  readonly schema?: { readonly schemaId: Id; readonly version?: Version }
  readonly edit: RecordEdit
}

/** How URLs in schema documents are told to be ours: the base of the request, `--base-url`, former bases. */
export interface OwnBaseUrls {
  readonly bases: readonly string[]
}

export interface SchemaUpload {
  readonly document?: Uint8Array
  /** Further files by path relative to the document. */
  readonly files?: ReadonlyMap<string, Uint8Array>
}
