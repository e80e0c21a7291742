import type { CoreParts } from '../../compose/compose.js'
import { hasPermission, type Principal } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Permission } from '../../core/records/record.js'
import { findReadable } from '../../service/access/find-record.js'

/**
 * What a caller may do with a record now: the permissions with which its requests are not refused. READ is always among
 * them. WRITE and ADMINISTRATE need a token, and a server that takes changes; WRITE on a FIXED record needs
 * ADMINISTRATE.
 * @throws ProblemError `not-found`, `forbidden` for a record that the caller may not read
 */
export type Permissions = (
  caller: Principal,
  kind: Collection,
  name: string,
) => Promise<readonly Permission[]>

export function openPermissions({ collections, transactions }: CoreParts): Permissions {
  return async (caller, kind, name) => {
    const { record } = await transactions.readCommitted(state => findReadable(state, caller, kind, name))
    if (caller.anonymous) return ['READ']
    try {
      // The check of a PUT. A server that follows another one refuses all of them.
      await collections[kind].demandChangeable(caller, record.id, { any: true })
    } catch (error) {
      if (!(error instanceof ProblemError) || error.kind !== 'forbidden') throw error
      return ['READ']
    }
    return hasPermission(caller, record, 'ADMINISTRATE')
      ? ['READ', 'WRITE', 'ADMINISTRATE']
      : ['READ', 'WRITE']
  }
}
