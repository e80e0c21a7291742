import { selfPrincipal, withAdministrator } from '../access-control.js'
import type { Id } from '../value-types.js'
import type { Agent, StoredRecord } from './record.js'

/** Who makes a record: the caller of a service, or the author of a commit. */
export interface RecordCreator {
  readonly name: string
  /** The subject; of somebody who is known by name only, the name. */
  readonly sid: string
  /** The parts of a person's name, where they are known. */
  readonly agent?: Agent
}

/** Members of a record that have a default of their own in every record. */
export const defaultedMembers = ['creators', 'publisher', 'publicationYear', 'acls'] as const

/**
 * What a new record is before anybody has had a say. The identifier `(:tba)`, the date CREATED and the state VOLATILE
 * are defaults of absent members and are not stored.
 * @param year the one it is made in, for `publicationYear`
 * @see docs/contract.md#defaults-of-a-new-record
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
 * What people committed with git, with what a POST of theirs would have added. They have no subject here, so it is
 * the service itself that administers the record.
 * @param author of the commit that made the record
 * @param year of that commit
 */
export function withDefaultsOfCommit(record: StoredRecord, author: string, year: number): StoredRecord {
  const made = newRecord(record.id, { name: author, sid: author }, year)
  return { ...made, acls: withAdministrator([], selfPrincipal), ...record }
}
