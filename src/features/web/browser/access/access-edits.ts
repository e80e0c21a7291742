import type { AclEntry, Caller, Permission } from '../api/interface-types.js'
import { peopleWords } from '../words-of-people.js'

/** A change of the permission of each of these subjects; undefined removes it from the list. */
export type AccessEdits = ReadonlyMap<string, Permission | undefined>

/** The subjects that stand for everybody. */
const everybody: ReadonlySet<string> = new Set(['anonymousUser', 'PUBLIC'])
export const [everybodySid = ''] = everybody

export const permissions = ['NONE', 'READ', 'WRITE', 'ADMINISTRATE'] as const satisfies readonly Permission[]

export function isEverybody(sid: string): boolean {
  return everybody.has(sid)
}

/** A subject of a list for people; the name of a person or group as it is. */
export function subjectInWords(sid: string): string {
  if (isEverybody(sid)) return peopleWords.access.everybody
  return sid === 'SELF' ? peopleWords.access.self : sid
}

/** Each subject of a list once, with its highest permission: that is what it may do. */
export function permissionsBySubject(acls: readonly AclEntry[]): ReadonlyMap<string, Permission> {
  const found = new Map<string, Permission>()
  for (const { sid, permission } of acls) {
    const before = found.get(sid)
    if (before === undefined || permissions.indexOf(permission) > permissions.indexOf(before))
      found.set(sid, permission)
  }
  return found
}

/** The list after the changes. Entries that they do not concern stay as they are. */
export function editedAcls(acls: readonly AclEntry[], edits: AccessEdits): AclEntry[] {
  const kept = acls.filter(({ sid }) => !edits.has(sid))
  const edited = [...edits].flatMap(([sid, permission]) => (permission ? [{ sid, permission }] : []))
  // The server numbers the entries.
  return [...kept, ...edited].map((entry, index) => ({ ...entry, id: index + 1 }))
}

/** The changes that are not among those that were sent. */
export function editsSince(edits: AccessEdits, sent: AccessEdits): AccessEdits {
  return new Map([...edits].filter(([sid, permission]) => !sent.has(sid) || sent.get(sid) !== permission))
}

/**
 * Whether a caller may change an access list: an entry must give it ADMINISTRATE by its own name.
 * @see docs/run/access.md#permissions
 */
export function mayEditAcls(
  acls: readonly AclEntry[],
  { name, administrator }: Pick<Caller, 'name' | 'administrator'>,
): boolean {
  return administrator || permissionsBySubject(acls).get(name) === 'ADMINISTRATE'
}
