import { type AclEntry, type Permission, permissions, type StoredRecord } from './record.js'

/** Who asks. With authentication off everybody is `SELF` with full rights. @see contract, 6 */
export interface Caller {
  /** The subject ACL entries name. */
  readonly sid: string
  /** Author of the commits the caller causes. */
  readonly name: string
  readonly email: string
  /** Has ADMINISTRATE on everything. */
  readonly administrator: boolean
  /** Groups whose ACL entries count for the caller too. */
  readonly groups: readonly string[]
}

/** The caller of a service without authentication. @see contract, "Authentication off" */
export const self: Caller = {
  sid: 'SELF',
  name: 'SELF',
  email: 'self@git-metastore',
  administrator: true,
  groups: [],
}

/** Subject that stands for everybody. */
const anybody = 'anonymousUser'

export function atLeast(permission: Permission, wanted: Permission): boolean {
  return permissions.indexOf(permission) >= permissions.indexOf(wanted)
}

/** The subjects whose ACL entries count for the caller. */
export function subjectsOf(caller: Caller): readonly string[] {
  return [caller.sid, anybody, ...caller.groups]
}

/** Says whether the caller has `wanted` on the record: the highest entry that names it, a group of it or everybody. */
export function permits(caller: Caller, record: StoredRecord, wanted: Permission): boolean {
  if (caller.administrator) return true
  const names = new Set(subjectsOf(caller))
  return (record.acls ?? []).some(entry => names.has(entry.sid) && atLeast(entry.permission, wanted))
}

/** Gives the caller ADMINISTRATE: raises its entry or adds one. @see contract, 2.4 */
export function withAdministrator(acls: readonly AclEntry[], caller: Caller): readonly AclEntry[] {
  const own: AclEntry = { sid: caller.sid, permission: 'ADMINISTRATE' }
  if (!acls.some(entry => entry.sid === caller.sid)) return [own, ...acls]
  return acls.map(entry => (entry.sid === caller.sid ? own : entry))
}

/** The entries of `current` that stay, in their order, then what `wanted` adds. @see contract, "Server-set members" */
export function mergeAcls(current: readonly AclEntry[], wanted: readonly AclEntry[]): readonly AclEntry[] {
  // by subject, the first last: a list may have thousands
  const waiting = new Map<string, AclEntry[]>()
  for (const entry of wanted.toReversed()) {
    const others = waiting.get(entry.sid)
    if (others) others.push(entry)
    else waiting.set(entry.sid, [entry])
  }
  const kept = current.flatMap(({ sid }) => waiting.get(sid)?.pop() ?? [])
  const left = new Set([...waiting.values()].flat())
  return [...kept, ...wanted.filter(entry => left.has(entry))]
}

/** Says whether two lists grant the same, in whatever order. */
export function sameAcls(a: readonly AclEntry[], b: readonly AclEntry[]): boolean {
  const text = (acls: readonly AclEntry[]) =>
    acls
      .map(entry => JSON.stringify([entry.sid, entry.permission]))
      .sort()
      .join()
  return text(a) === text(b)
}
