import { ProblemError } from './problem.js'
import { type AclEntry, type Agent, type Permission, type StoredRecord, stateOf } from './records/record.js'
import { permissions } from './records/record-json-schema.js'
import type { Instant } from './value-types.js'

/** The client that sent a request. Clients share the limits of the server. */
export interface Client {
  /** The subject of a token, else an address. */
  readonly key: string
  /** The client has a token, or the server requires none. */
  readonly isKnown: boolean
  /** Aborted when the client has closed the connection. */
  readonly signal?: AbortSignal
}

/**
 * The caller of a request. Without authentication every caller is `SELF` with full rights.
 * @see docs/contract.md#access
 */
export interface Principal {
  /** The subject in ACL entries. */
  readonly sid: string
  /** Name and address of the author of the caller's commits. */
  readonly name: string
  readonly email: string
  /** The parts of a person's name, if they are known. */
  readonly agent?: Agent
  /** Has ADMINISTRATE on every record, and rights on the repository as a whole. */
  readonly administrator: boolean
  /** The permission of a service on every record; default: none. */
  readonly everywhere?: Permission
  /** Permissions on single records by their ids, in addition to ACLs. */
  readonly granted?: ReadonlyMap<string, Permission>
  /** Groups whose ACL entries apply to the caller too. */
  readonly groups: readonly string[]
  /** The roles of the token as it names them; undefined: none. */
  readonly roles?: readonly string[]
  /** The time after which the token is not accepted; undefined if it has no end, or there is no token. */
  readonly validUntil?: Instant
  /** The request has no token: the caller may change nothing, even if an ACL permits it. */
  readonly anonymous?: true
  /** The client that sent the request. Undefined for the command line and for git. */
  readonly client?: Client
  /** The role that the caller would need to create records; undefined if the caller may create them. */
  readonly lacks?: string
}

/** The caller of a service without authentication. @see docs/contract.md#without-authentication */
export const selfPrincipal: Principal = {
  sid: 'SELF',
  name: 'SELF',
  email: 'self@git-metastore',
  administrator: true,
  groups: [],
}

/** Subjects whose ACL entries apply to every caller: the subject of callers without a token, and a group of all. */
export const publicSubjects = ['anonymousUser', 'PUBLIC'] as const

/** A caller without a token. */
export const anonymousPrincipal: Principal = {
  sid: publicSubjects[0],
  name: publicSubjects[0],
  email: 'anonymous@git-metastore',
  administrator: false,
  groups: [],
  anonymous: true,
}

/**
 * Requires a token, without which a caller may change nothing.
 * @throws ProblemError `unauthenticated`
 * @see docs/run/access.md#without-a-token
 */
export function requireToken(caller: Principal): void {
  if (!caller.anonymous) return
  throw new ProblemError(
    'unauthenticated',
    'Only callers with a token may change anything here. Send one as "Authorization: Bearer …".',
  )
}

/**
 * Requires the role for the creation of records.
 * @throws ProblemError `unauthenticated`, `forbidden`
 * @see docs/run/access.md#roles
 */
export function requireCreateRole(caller: Principal): void {
  requireToken(caller)
  if (caller.lacks === undefined) return
  throw new ProblemError('forbidden', `Creating something here needs the role ${caller.lacks}.`)
}

/** The problem for a caller without the required right: 401 without a token, else 403. */
export function accessDenied(caller: Principal, message: string): ProblemError {
  return new ProblemError(caller.anonymous ? 'unauthenticated' : 'forbidden', message)
}

export function isAtLeast(permission: Permission, wanted: Permission): boolean {
  return permissions.indexOf(permission) >= permissions.indexOf(wanted)
}

/** The subjects whose ACL entries apply to the caller. */
export function subjectsOf(caller: Principal): readonly string[] {
  return [...new Set([caller.sid, ...publicSubjects, ...caller.groups])]
}

/** Says whether the caller sees every record. */
export function seesEverything({ administrator, everywhere }: Principal): boolean {
  return administrator || everywhere === 'ADMINISTRATE'
}

/**
 * Says whether the caller has the permission `wanted` on the record: by its role, by its token, or by an ACL entry for
 * the caller, one of its groups, or every caller.
 */
export function hasPermission(caller: Principal, record: StoredRecord, wanted: Permission): boolean {
  if (caller.administrator || isAtLeast(caller.everywhere ?? 'NONE', wanted)) return true
  if (isAtLeast(caller.granted?.get(record.id) ?? 'NONE', wanted)) return true
  const { acls = [] } = record
  if (acls.length === 0) return false
  // A set, because a token may have many groups and a record many entries.
  const subjects = new Set(subjectsOf(caller))
  return acls.some(entry => subjects.has(entry.sid) && isAtLeast(entry.permission, wanted))
}

/** Subjects that see the record in lists. @see docs/contract.md#what-a-list-shows */
export function listReadersOf(record: StoredRecord): readonly string[] {
  const needed = stateOf(record) === 'REVOKED' ? 'ADMINISTRATE' : 'READ'
  return (record.acls ?? []).filter(entry => isAtLeast(entry.permission, needed)).map(entry => entry.sid)
}

/**
 * The entries with ADMINISTRATE for the caller, whose entry is changed or added.
 * @see docs/contract.md#defaults-of-a-new-record
 */
export function withAdministrator(acls: readonly AclEntry[], caller: Principal): readonly AclEntry[] {
  const own: AclEntry = { sid: caller.sid, permission: 'ADMINISTRATE' }
  if (!acls.some(entry => entry.sid === caller.sid)) return [own, ...acls]
  return acls.map(entry => (entry.sid === caller.sid ? own : entry))
}

/**
 * The entries of `wanted`: first those whose subject is in `current`, in the order of `current`, then the others.
 * @see docs/contract.md#members-that-the-server-sets
 */
export function mergeAcls(current: readonly AclEntry[], wanted: readonly AclEntry[]): readonly AclEntry[] {
  // The entries of each subject in reverse order: `pop` takes the first one quickly, even from thousands of entries.
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

/** Says whether two lists have the same entries in any order. */
export function sameAcls(a: readonly AclEntry[], b: readonly AclEntry[]): boolean {
  if (a.length !== b.length) return false
  if (a.every(({ sid, permission }, index) => sid === b[index]?.sid && permission === b[index]?.permission))
    return true
  const text = (acls: readonly AclEntry[]) =>
    acls
      .map(entry => JSON.stringify([entry.sid, entry.permission]))
      .sort()
      .join()
  return text(a) === text(b)
}
