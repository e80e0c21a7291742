import { selfPrincipal, withAdministrator } from '../access-control.js'
import type { Id } from '../value-types.js'
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
export const defaultedMembers = ['creators', 'publisher', 'publicationYear', 'acls'] as const

/**
 * The defaults of a new record. The identifier `(:tba)`, the date CREATED and the state VOLATILE are the defaults of
 * absent members and are not stored.
 * @param year year of creation, for `publicationYear` @see docs/contract.md#defaults-of-a-new-record
 */
export function newRecord(id: Id, maker: RecordCreator, year: number): StoredRecord {
  return {
    id,
    creators: [maker.agent ?? { givenName: maker.name }],
    publisher: maker.sid,
    publicationYear: String(year),
  }
}

/**
 * Adds the defaults of a POST to a record that was committed with plain git. The subject of the author is unknown, so
 * the server itself (`SELF`) gets ADMINISTRATE.
 * @param author author of the commit that created the record
 * @param year year of that commit
 */
export function withDefaultsOfCommit(record: StoredRecord, author: string, year: number): StoredRecord {
  const made = newRecord(record.id, { name: author, sid: author }, year)
  return { ...made, acls: withAdministrator([], selfPrincipal), ...record }
}
