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

/** What a request wants of a record, new or stored. */
export interface RecordDraft {
  /** For a new record. Absent: a metadata record gets a random UUID, and a schema is refused. */
  readonly id?: Id
  /** Of a schema: the language of the document. A document of the other language is `unprocessable`. */
  readonly type?: DocumentType
  /**
   * Of a metadata record: the schema that the document follows. Absent: the record keeps its schema version. Without an
   * id: a version of the schema that the record follows already.
   * @see docs/contract.md#which-schema-version-a-document-follows
   */
  readonly schema?: WantedSchema
  readonly edit: RecordEdit
}

/** A schema version that a request names. Without `version`: the newest one, or the one the record follows already. */
export interface WantedSchema {
  readonly schemaId?: Id
  readonly version?: Version
}

/** The content of a record that a request sends. */
export interface RecordUpload {
  readonly document?: Uint8Array
  /** Of a schema: the file name of the document, by which its files may refer to it. It is stored only if they do. */
  readonly fileName?: string
  /** Of a schema: additional files by path relative to the document. */
  readonly files?: ReadonlyMap<string, Uint8Array>
}

export type NewRecordUpload = RecordUpload & Required<Pick<RecordUpload, 'document'>>

/** What an update changes: the record, its content, or both. */
export interface RecordUpdate extends RecordUpload {
  readonly draft?: RecordDraft
}

/** Base URLs that lead to this server in schema documents: of the request, of `--base-url`, former ones. */
export interface OwnBaseUrls {
  readonly bases: readonly string[]
}
