import { hasPermission, type Principal } from '../../core/access-control.js'
import { type StoredRecord, stateOf } from '../../core/records/record.js'

/** A REVOKED record is visible only to callers who may revive it. @see docs/contract.md#what-a-caller-may-not-learn */
export function isVisible(caller: Principal, record: StoredRecord): boolean {
  return stateOf(record) !== 'REVOKED' || hasPermission(caller, record, 'ADMINISTRATE')
}

export function isReadable(caller: Principal, record: StoredRecord): boolean {
  return isVisible(caller, record) && hasPermission(caller, record, 'READ')
}
