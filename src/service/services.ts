import type { Principal } from '../core/access-control.js'
import type { Revision } from '../core/records/revision.js'
import type { Oid } from '../core/value-types.js'
import type { ChangeSets } from './change-sets/apply-change-set.js'
import type { ReadSpace } from './operations/disk-space.js'
import type { ReadGauges } from './operations/gauges.js'
import type { Health } from './operations/health-check.js'
import type { RecordsAtPoint } from './points/read-at-point.js'
import type { RecordLog } from './record-history/record-log.js'
import type { ContentInformation } from './records/document-information.js'
import type { Pages } from './records/page-reader.js'
import type { ReadNewest, RecordCollection } from './records/record-collection.js'
import type { Schemas } from './records/schema-collection.js'

export interface Services {
  readonly collections: { readonly schema: Schemas; readonly metadata: RecordCollection }
  readonly past: RecordsAtPoint
  readonly pages: Pages
  readonly audit: RecordLog
  /** The name and the description of the repository. */
  about(): Promise<{ readonly name?: string; readonly description?: string }>
  /** Size in bytes of a document or another file. Does not read the file. @throws MissingObject */
  blobSize(blob: Oid): Promise<number>
  readonly changeSets: ChangeSets
  readonly readNewest: ReadNewest
  /** Bytes of the document, as they were uploaded. */
  readDocument(revision: Revision): Promise<Buffer>
  contentInformation(revision: Revision): Promise<ContentInformation>
  /** Checks the service. All callers learn whether something is wrong; those who may read everything learn what. */
  health(caller: Principal): Promise<Health>
  /**
   * Whether the branch has commits that the catalog could not read, so that records may be missing. It is a fast check
   * while nothing is wrong.
   */
  isBehind(): boolean
  /** Number of records whose access list names others than the caller of a service without authentication and everyone. */
  accessListsOfOthers(): number
  readonly gauges: ReadGauges
  readonly space: ReadSpace
  /** Resolves when the work tree and the index are at the branch. */
  workTreeUpToDate(): Promise<void>
  /** Finishes accepted updates and closes everything. */
  close(): Promise<void>
}
