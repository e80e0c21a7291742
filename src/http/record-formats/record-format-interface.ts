import type { Collection } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { RecordDraft } from '../../service/updates/record-drafts.js'

export type JsonObject = Readonly<Record<string, unknown>>

/**
 * Reads the record of a request.
 * @param bases base URLs with which a URL of this service may begin
 * @throws ProblemError `malformed-request`; `unprocessable` for a reference to a schema of another service
 */
type ParseRecord = (json: JsonObject, bases: readonly string[]) => RecordDraft

/**
 * How one version of the interface writes records as JSON, and reads them. The versions differ in little else. All
 * functions are pure.
 */
export interface RecordFormat {
  readonly version: 1 | 2
  readonly mounts: readonly string[]
  /** Media types of a record. The response has the one that `Accept` names. */
  readonly recordTypes: Readonly<Record<Collection, readonly string[]>>
  /** Media types of content information; empty: the version has none. */
  readonly contentTypes: readonly string[]
  /** Media types of search index entries. @see docs/contract.md#search-index-entries */
  readonly indexTypes: Readonly<Record<Collection, readonly string[]>>
  /** Collections whose documents are sent only if `Accept` names a type that a document can have. */
  readonly strictAcceptKinds: readonly Collection[]
  /**
   * Whether the response with a record has the address of its document in `Location`.
   * @see docs/contract.md#choosing-a-representation
   */
  readonly locatesDocuments: boolean
  /** Message of the problem for a missing record. @see docs/contract.md#wording-that-clients-look-for */
  notFoundMessage(kind: Collection, id: string, wanted: 'record' | 'document' | 'content' | 'index'): string
  /** @param root beginning of URLs in the record, such as `https://example.org/api/v1` */
  render(revision: Revision, root: string): JsonObject
  readonly parseNew: Readonly<Record<Collection, ParseRecord>>
  readonly parseChange: Readonly<Record<Collection, ParseRecord>>
}
