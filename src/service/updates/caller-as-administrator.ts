import { type Principal, withAdministrator } from '../../core/access-control.js'
import type { StoredRecord } from '../../core/records/record.js'

/** The record with the caller as its administrator, whatever entry the request had for it. @see contract, 2.4 */
export function withCallerAsAdministrator(caller: Principal, record: StoredRecord): StoredRecord {
  return { ...record, acls: withAdministrator(record.acls ?? [], caller) }
}
