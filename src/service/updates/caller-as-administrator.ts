import { type Principal, withAdministrator } from '../../core/access-control.js'
import type { StoredRecord } from '../../core/records/record.js'

/**
 * The record with the caller as its administrator, whatever entry the request had for it.
 * @see docs/contract.md#defaults-of-a-new-record
 */
export function withCallerAsAdministrator(caller: Principal, record: StoredRecord): StoredRecord {
  return { ...record, acls: withAdministrator(record.acls ?? [], caller) }
}
