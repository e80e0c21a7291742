import { type Caller, withAdministrator } from '../core/access.js'
import type { StoredRecord } from '../core/record.js'
import type { Id } from '../core/values.js'

/**
 * What a new record is before the request has its say.
 * @param year the current one, for `publicationYear`
 * @see contract, 2.4; an identifier `(:tba)`, the date CREATED and the state VOLATILE are the defaults of an absent
 *   member and are not stored
 */
export function newRecord(id: Id, caller: Caller, year: number): StoredRecord {
  return {
    id,
    creators: [{ givenName: caller.name }],
    publisher: caller.sid,
    publicationYear: String(year),
  }
}

/** The record with the caller as its administrator, whatever entry the request had for it. @see contract, 2.4 */
export function ownedBy(caller: Caller, record: StoredRecord): StoredRecord {
  return { ...record, acls: withAdministrator(record.acls ?? [], caller) }
}
