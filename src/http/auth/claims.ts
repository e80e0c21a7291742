import type { JWTPayload } from 'jose'
import { isAtLeast, type Principal, publicSubjects, selfPrincipal } from '../../core/access-control.js'
import { tryParseJson } from '../../core/json/try-parse.js'
import { ProblemError } from '../../core/problem.js'
import type { Agent, Permission } from '../../core/records/record.js'
import { permissions } from '../../core/records/record-json-schema.js'
import { toInstant, truncate } from '../../core/value-types.js'
import { invalidToken } from './token-verification.js'

/*
 * Reads the claims of a token. The types of all claims are checked: a signature proves who wrote the claims, but not
 * that they have the expected types.
 */

/** Names of the claims in which an OpenID Connect issuer puts the user and the groups. */
export interface ClaimNames {
  /** The claim with the name of the user, as access lists have it. */
  readonly username: string
  /** The claim with the names of groups. */
  readonly groups: string
}

/** Whom a token is for, with the roles that the token gives. */
interface Subject extends Omit<Principal, 'administrator' | 'everywhere' | 'validUntil'> {
  readonly roles: readonly string[]
  /** Addresses from which the token may be used; undefined: any. */
  readonly sources?: readonly string[]
}

/**
 * The subject of a token that was signed with the shared secret.
 * @throws ProblemError `unauthenticated`
 * @see docs/run/access.md#what-is-in-one
 */
export function sharedSecretSubject(claims: JWTPayload): Subject {
  const groups = listIn(claims, 'groups')
  const roles = rolesOf(claims.roles)
  const type = textIn(claims, 'tokenType') ?? 'USER'
  if (type === 'USER') {
    const agent = agentOf(textIn(claims, 'firstname'), textIn(claims, 'lastname'))
    return subjectOf(textIn(claims, 'username'), textIn(claims, 'email'), groups, roles, agent)
  }
  if (type === 'SERVICE') {
    const sources = encodedList(claims, 'sources')
    const service = subjectOf(textIn(claims, 'servicename'), undefined, groups, roles)
    return { ...service, ...(sources && { sources: sources.map(source => String(source)) }) }
  }
  if (type === 'TEMPORARY') {
    const granted = grantedBy(encodedList(claims, 'permissions') ?? [])
    return { ...subjectOf(textIn(claims, 'principalname'), undefined, groups, roles), granted }
  }
  throw invalidToken(`its tokenType "${truncate(type)}" is not one of USER, SERVICE and TEMPORARY.`)
}

/**
 * The subject of a token of an OpenID Connect issuer.
 * @throws ProblemError `unauthenticated`
 * @see docs/run/access.md#tokens-of-an-issuer
 */
export function issuerSubject(claims: JWTPayload, names: ClaimNames): Subject {
  const realm = claims.realm_access as { readonly roles?: unknown } | null | undefined
  const agent = agentOf(textIn(claims, 'given_name'), textIn(claims, 'family_name'))
  const name = textIn(claims, names.username)
  if (name === undefined)
    throw invalidToken(`it has no claim "${names.username}" with the name of its subject.`)
  return subjectOf(
    name,
    textIn(claims, 'email'),
    listIn(claims, names.groups),
    rolesOf(realm?.roles, claims.roles),
    agent,
  )
}

/**
 * The caller that a subject is, with the permissions that its roles give.
 * @param createRole role that callers need to create records; undefined: none
 * @param expires claim `exp`: the time at which the token expires, in seconds; undefined: it has no end
 * @throws ProblemError `forbidden` for an inactive account
 * @see docs/run/access.md#roles
 */
export function callerFromSubject(
  { sources: _, ...caller }: Subject,
  createRole?: string,
  expires?: number,
): Principal {
  const { roles } = caller
  if (roles.includes('ROLE_INACTIVE')) throw new ProblemError('forbidden', 'This account is inactive.')
  const administrator = roles.includes('ROLE_ADMINISTRATOR')
  const everywhere = permissions
    .filter(permission => roles.includes(`ROLE_SERVICE_${permission}`))
    .reduce<Permission>((highest, each) => (isAtLeast(highest, each) ? highest : each), 'NONE')
  return {
    ...caller,
    administrator,
    // The clocks may differ by some seconds, for which a token is accepted longer. Nobody should rely on that.
    ...(expires !== undefined && expires * 1000 <= lastInstant && { validUntil: toInstant(expires * 1000) }),
    ...(everywhere !== 'NONE' && { everywhere }),
    ...(createRole !== undefined && !administrator && !roles.includes(createRole) && { lacks: createRole }),
  }
}

/** The last time that can be written with a year of four digits, in milliseconds. A later end is none. */
const lastInstant = Date.UTC(10_000, 0) - 1

/** The roles in claims, each a list or, from existing issuers, a JSON text of a list; without any, that of guests. */
function rolesOf(...values: readonly unknown[]): readonly string[] {
  const claimed = values.map(value => (typeof value === 'string' ? tryParseJson(value) : value))
  const roles = claimed
    .filter(Array.isArray)
    .flat()
    .filter(role => typeof role === 'string')
  return roles.length > 0 ? roles : ['ROLE_GUEST']
}

function subjectOf(
  sid: string | undefined,
  email: string | undefined,
  groups: readonly string[],
  roles: readonly string[],
  agent?: Agent,
): Subject {
  if (sid === undefined || sid.trim() === '') throw invalidToken('it does not say whose it is.')
  if (sid.length > maxNameLength || sid !== plain(sid)) {
    throw invalidToken(
      `the name of its subject has control characters, or more than ${maxNameLength} in all.`,
    )
  }
  const taken = [sid, ...groups].find(name => reserved.has(name))
  if (taken !== undefined) throw invalidToken(`"${taken}" means somebody else here.`)
  const name = [agent?.givenName, agent?.familyName].filter(part => part !== undefined).join(' ')
  return {
    sid,
    name: name === '' ? sid : name,
    email:
      email !== undefined && /^[^\s<>@]+@[^\s<>@]+$/.test(email) && email === plain(email)
        ? truncate(email, maxNameLength)
        : `${sid.replace(/[^A-Za-z0-9._+-]+/g, '-')}@git-metastore`,
    ...(name !== '' && agent && { agent }),
    groups,
    roles,
  }
}

/** Limit of the characters of a name. */
const maxNameLength = 200

/** Names that a token must not have as its subject or group: in access lists they mean other callers. */
const reserved: ReadonlySet<string> = new Set([...publicSubjects, selfPrincipal.sid])

function agentOf(given: string | undefined, family: string | undefined): Agent {
  const [givenName, familyName] = [given, family].map(part => truncate(plain(part ?? ''), maxNameLength))
  return { ...(familyName && { familyName }), ...(givenName && { givenName }) }
}

/** Replaces line breaks, control characters and characters that change the direction of text. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
}

/** The text of a claim; undefined if absent or null. @throws ProblemError `unauthenticated` for another type */
function textIn(claims: JWTPayload, name: string): string | undefined {
  const value = claims[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw invalidToken(`its claim "${name}" is not a string.`)
}

function listIn(claims: JWTPayload, name: string): readonly string[] {
  const value = claims[name] ?? []
  if (Array.isArray(value) && value.every(each => typeof each === 'string')) return value
  throw invalidToken(`its claim "${name}" is not a list of names.`)
}

/** The list in a claim, which is a list or a JSON text of one; undefined if the claim is absent or null. */
function encodedList(claims: JWTPayload, name: string): readonly unknown[] | undefined {
  const value = claims[name] ?? undefined
  if (value === undefined) return undefined
  const list = typeof value === 'string' ? tryParseJson(value) : value
  if (Array.isArray(list)) return list
  throw invalidToken(`its claim "${name}" is not a list.`)
}

/**
 * Reads permissions by resource, from `[{ resourceType: 'DataResource', resourceId, permission }]`. If there are
 * several entries for a resource, the highest permission counts.
 */
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
