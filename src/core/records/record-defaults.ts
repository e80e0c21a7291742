import { selfPrincipal, withAdministrator } from '../access-control.js'
import { formatSecond, type Id, type Instant } from '../value-types.js'
import type { Agent, StoredRecord } from './record.js'

/** The creator of a record: the caller of a service, or the author of a commit. */
interface RecordCreator {
  readonly name: string
  /** The subject, or the name if the subject is unknown. */
  readonly sid: string
  /** The parts of a person's name, if they are known. */
  readonly agent?: Agent
}

/** Members whose default depends on the creation of the record. */
export const defaultedMembers = ['creators', 'publisher', 'acls'] as const

/**
 * The defaults of a new record. The identifier `(:tba)`, the publication year, the date CREATED and the state VOLATILE are
 * the defaults of absent members and are not stored.
 * @see docs/contract.md#defaults-of-a-new-record
 */
export function newRecord(id: Id, maker: RecordCreator): StoredRecord {
  return {
    id,
    creators: [maker.agent ?? { givenName: maker.name }],
    publisher: maker.sid,
  }
}

/** The publication year of a record that has none: the year of its first revision. */
export function defaultPublicationYear(createdAt: Instant): string {
  return formatSecond(createdAt).slice(0, 4)
}

/** Removes a year that a client has sent back as it was shown: the default, in place of none. @param now the current state */
export function withoutDefaultYear(
  edited: StoredRecord,
  now: { readonly record: StoredRecord; readonly createdAt: Instant },
): StoredRecord {
  const { publicationYear, ...others } = edited
  const isDefault =
    now.record.publicationYear === undefined && publicationYear === defaultPublicationYear(now.createdAt)
  return isDefault ? others : edited
}

/**
 * Adds the defaults of a POST to a record that was committed with plain git. The subject of the author is unknown, so
 * the server itself (`SELF`) gets ADMINISTRATE.
 * @param author author of the commit that created the record
 */
export function withDefaultsOfCommit(record: StoredRecord, author: string): StoredRecord {
  const made = newRecord(record.id, { name: author, sid: author })
  return { ...made, acls: withAdministrator([], selfPrincipal), ...record }
}
