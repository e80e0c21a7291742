import { isAtLeast, type Principal } from '../../core/access-control.js'
import { parseWrittenJson } from '../../core/json/written-number.js'
import { ProblemError } from '../../core/problem.js'
import { persistentIdentifier } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import { parseInstant } from '../../core/value-types.js'
import { documentText } from './document-text.js'
import type { JsonObject } from './record-format-interface.js'
import { createdAt } from './render-json-properties.js'
import { renderRecord } from './v2/version-2-members.js'

/**
 * A metadata record with its document, for search engines. The record is in the format of interface version 2. To be
 * written with {@link writeJson}.
 * @param root beginning of URLs, such as `https://example.org/api/v2`
 * @throws ProblemError `forbidden` for a caller who is neither an administrator nor a service
 * @see docs/contract.md#search-index-entries
 */
export function indexEntry(caller: Principal, revision: Revision, document: Buffer, root: string): unknown {
  if (!caller.administrator && caller.everywhere === undefined)
    throw new ProblemError('forbidden', 'Only for services!')
  const text = documentText(document, revision.documentType)
  return {
    ...serviceIndexEntryOf(revision, root),
    metadataDocument: revision.documentType === 'JSON' ? parseWrittenJson(text) : text,
  }
}

/** An index entry without the document. */
export interface ServiceIndexEntry {
  readonly id: string
  readonly pid: string | undefined
  /** Milliseconds since 1970, as `lastUpdate`. */
  readonly created: number
  readonly lastUpdate: number
  /** Subjects that may read the record. */
  readonly read: readonly string[]
  /** The record in the format of interface version 2. */
  readonly metadataRecord: JsonObject
}

/** The index entry of a revision without its document. @param root beginning of URLs: `https://example.org/api/v2` */
export function serviceIndexEntryOf(revision: Revision, root: string): ServiceIndexEntry {
  const { id, record, time } = revision
  return {
    id,
    pid: persistentIdentifier(record)?.value,
    created: parseInstant(createdAt(revision), 'CREATED'),
    lastUpdate: time,
    read: (record.acls ?? []).filter(entry => isAtLeast(entry.permission, 'READ')).map(entry => entry.sid),
    metadataRecord: renderRecord(revision, root.replace(/\/v1$/, '/v2')),
  }
}
