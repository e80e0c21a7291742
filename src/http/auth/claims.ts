import type { JWTPayload } from 'jose'
import { isAtLeast, type Principal, publicSubjects, selfPrincipal } from '../../core/access-control.js'
import { tryParseJson } from '../../core/json/try-parse.js'
import { ProblemError } from '../../core/problem.js'
import { type Agent, type Permission, permissions } from '../../core/records/record.js'
import { truncate } from '../../core/value-types.js'
import { invalidToken } from './token-verification.js'

/*
 * What the claims of a token make of whoever sent it. Nothing in them is trusted to have a shape: a signature says who
 * wrote them, not that they are well written.
 */

/** How an issuer calls what it says of a person. */
export interface ClaimNames {
  /** The claim with the name ACL entries have. */
  readonly username: string
  /** The claim with the names of groups. */
  readonly groups: string
}

/** Who a token says it is of. */
interface Holder extends Omit<Principal, 'administrator' | 'everywhere'> {
  readonly roles: readonly string[]
  /** Addresses it may be used from; undefined: any. */
  readonly sources?: readonly string[]
}

/**
 * Of a token that was signed with the shared secret.
 * @throws ProblemError `unauthenticated`
 * @see docs/access.md#what-is-in-one
 */
export function sharedSecretSubject(claims: JWTPayload): Holder {
  const groups = listIn(claims, 'groups')
  const roles = rolesOf(claims.roles)
  const type = textIn(claims, 'tokenType') ?? 'USER'
  if (type === 'USER') {
    const agent = agentOf(textIn(claims, 'firstname'), textIn(claims, 'lastname'))
    return holder(textIn(claims, 'username'), textIn(claims, 'email'), groups, roles, agent)
  }
  if (type === 'SERVICE') {
    const sources = encodedList(claims, 'sources')
    const service = holder(textIn(claims, 'servicename'), undefined, groups, roles)
    return { ...service, ...(sources && { sources: sources.map(source => String(source)) }) }
  }
  if (type === 'TEMPORARY') {
    const granted = grantedBy(encodedList(claims, 'permissions') ?? [])
    return { ...holder(textIn(claims, 'principalname'), undefined, groups, roles), granted }
  }
  throw invalidToken(`its tokenType "${truncate(type)}" is none of USER, SERVICE and TEMPORARY.`)
}

/**
 * Of a token of an OpenID Connect issuer.
 * @throws ProblemError `unauthenticated`
 * @see docs/access.md#tokens-of-an-issuer
 */
export function issuerSubject(claims: JWTPayload, names: ClaimNames): Holder {
  const realm = claims.realm_access as { readonly roles?: unknown } | null | undefined
  const roles = [...new Set([realm?.roles, claims.roles].flatMap(rolesIn))]
  const agent = agentOf(textIn(claims, 'given_name'), textIn(claims, 'family_name'))
  const name = textIn(claims, names.username)
  if (name === undefined)
    throw invalidToken(`it has no claim "${names.username}" with the name of its subject.`)
  return holder(
    name,
    textIn(claims, 'email'),
    listIn(claims, names.groups),
    roles.length > 0 ? roles : [guest],
    agent,
  )
}

/**
 * The caller with the rights of its roles.
 * @param createRole the role whoever creates records needs; undefined: none
 * @throws ProblemError `forbidden` for an account that is switched off
 * @see docs/access.md#roles
 */
export function callerFromSubject({ roles, sources: _, ...caller }: Holder, createRole?: string): Principal {
  if (roles.includes('ROLE_INACTIVE')) throw new ProblemError('forbidden', 'This account is inactive.')
  const administrator = roles.includes('ROLE_ADMINISTRATOR')
  const everywhere = permissions
    .filter(permission => roles.includes(`ROLE_SERVICE_${permission}`))
    .reduce<Permission>((highest, each) => (isAtLeast(highest, each) ? highest : each), 'NONE')
  return {
    ...caller,
    administrator,
    ...(everywhere !== 'NONE' && { everywhere }),
    ...(createRole !== undefined && !administrator && !roles.includes(createRole) && { lacks: createRole }),
  }
}

/** What whoever has no other role has. */
const guest = 'ROLE_GUEST'

/** Roles as a list, or as the text of one that existing issuers send; of anything else the least there is. */
function rolesOf(value: unknown): readonly string[] {
  const roles = rolesIn(value)
  return roles.length > 0 ? roles : [guest]
}

function rolesIn(value: unknown): readonly string[] {
  const list = typeof value === 'string' ? tryParseJson(value) : value
  return Array.isArray(list) ? list.filter(role => typeof role === 'string') : []
}

function holder(
  sid: string | undefined,
  email: string | undefined,
  groups: readonly string[],
  roles: readonly string[],
  agent?: Agent,
): Holder {
  if (sid === undefined || sid.trim() === '') throw invalidToken('it does not say whose it is.')
  if (sid.length > longestName || sid !== plain(sid)) {
    throw invalidToken(`the name of its subject has control characters, or more than ${longestName} in all.`)
  }
  const taken = [sid, ...groups].find(name => reserved.has(name))
  if (taken !== undefined) throw invalidToken(`"${taken}" means somebody else here.`)
  const name = [agent?.givenName, agent?.familyName].filter(part => part !== undefined).join(' ')
  return {
    sid,
    name: name === '' ? sid : name,
    email:
      email !== undefined && /^[^\s<>@]+@[^\s<>@]+$/.test(email) && email === plain(email)
        ? truncate(email, longestName)
        : `${sid.replace(/[^A-Za-z0-9._+-]+/g, '-')}@git-metastore`,
    ...(name !== '' && agent && { agent }),
    groups,
    roles,
  }
}

/** Characters of a name. */
const longestName = 200

/** Subjects a token cannot make its holder: what they may do is meant for others. */
const reserved: ReadonlySet<string> = new Set([...publicSubjects, selfPrincipal.sid])

function agentOf(given: string | undefined, family: string | undefined): Agent {
  const [givenName, familyName] = [given, family].map(part => truncate(plain(part ?? ''), longestName))
  return { ...(familyName && { familyName }), ...(givenName && { givenName }) }
}

/** Text on one line that reads in the order in which it is written. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
}

/** @throws ProblemError `unauthenticated` for a claim of another type */
function textIn(claims: JWTPayload, name: string): string | undefined {
  const value = claims[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw invalidToken(`its claim "${name}" is no text.`)
}

function listIn(claims: JWTPayload, name: string): readonly string[] {
  const value = claims[name] ?? []
  if (Array.isArray(value) && value.every(each => typeof each === 'string')) return value
  throw invalidToken(`its claim "${name}" is no list of names.`)
}

/** A list that is a claim as text. */
function encodedList(claims: JWTPayload, name: string): readonly unknown[] | undefined {
  const value = claims[name] ?? undefined
  if (value === undefined) return undefined
  const list = typeof value === 'string' ? tryParseJson(value) : value
  if (Array.isArray(list)) return list
  throw invalidToken(`its claim "${name}" is no list.`)
}

/** `[{ resourceType: 'DataResource', resourceId, permission }]`; the highest of several for one. */
function grantedBy(entries: readonly unknown[]): ReadonlyMap<string, Permission> {
  const granted = new Map<string, Permission>()
  for (const entry of entries) {
    const { resourceType, resourceId, permission } = (entry ?? {}) as Readonly<Record<string, unknown>>
    const known = permissions.find(each => each === permission)
    if (typeof resourceId !== 'string' || known === undefined)
      throw invalidToken('its permissions cannot be read.')
    if (resourceType === 'DataResource' && isAtLeast(known, granted.get(resourceId) ?? 'NONE')) {
      granted.set(resourceId, known)
    }
  }
  return granted
}
