import {
  hasPermission,
  isAtLeast,
  type Principal,
  requireCreateRole,
  requireToken,
  sameAcls,
  seesEverything,
  subjectsOf,
} from '../../core/access-control.js'
import { type Precondition, requireMatch } from '../../core/precondition.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Visibility } from '../../core/records/list-query.js'
import {
  blankIdentifier,
  type Permission,
  relatedResources,
  type SchemaReference,
  type StoredRecord,
  stateOf,
  uniqueNamesOf,
} from '../../core/records/record.js'
import type { TakenName } from '../../core/records/record-names.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { EventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { asVersion, type Id, isId, truncate, type Version } from '../../core/value-types.js'
import { canonicalRecordOrThrow } from '../../store/records/record-json.js'
import { recordDirectory } from '../../store/records/repository-layout.js'

/*
 * The rules that another writer can break between a request's arrival and its commit. All are functions of one state
 * (`CatalogQueries`): the services ask them of the committed state first, to answer early, and of the newest state again
 * inside the writer, where the answer counts.
 */

/** @see docs/contract.md#wording-that-clients-look-for */
export function unknownRecord(kind: Collection, name: string): ProblemError {
  const what = kind === 'schema' ? 'Schema' : 'Metadata'
  return new ProblemError('not-found', `${what} document with ID '${truncate(name, 200)}' doesn't exist!`, {
    missing: { kind, name },
  })
}

export function unknownVersion(id: string, version: Version): ProblemError {
  return new ProblemError('not-found', `Version '${version}' of ID '${truncate(id, 200)}' doesn't exist!`)
}

/** @param name as the request has it: its id is a secret to whoever may not read it */
function forbidden(wanted: Permission, name: string): ProblemError {
  return new ProblemError('forbidden', `This needs the permission ${wanted} on "${truncate(name, 200)}".`)
}

/** A revoked record exists only for those who may revive it. @see docs/contract.md#what-a-caller-may-not-learn */
export function isVisible(caller: Principal, record: StoredRecord): boolean {
  return stateOf(record) !== 'REVOKED' || hasPermission(caller, record, 'ADMINISTRATE')
}

export function isReadable(caller: Principal, record: StoredRecord): boolean {
  return isVisible(caller, record) && hasPermission(caller, record, 'READ')
}

/** What a caller may see of a list. */
export function restrictToVisible<Q extends object>(
  queries: CatalogQueries,
  caller: Principal,
  query: Q,
): Q & Visibility {
  return { ...query, ...visibilityOf(queries, caller) }
}

/** What a caller may see: undefined members of it narrow nothing. */
export function visibilityOf(queries: CatalogQueries, caller: Principal): Visibility {
  if (seesEverything(caller)) return {}
  const granted = [...(caller.granted?.keys() ?? [])].filter(isId).filter(id => {
    const found = queries.newest('metadata', id) ?? queries.newest('schema', id)
    return found && isReadable(caller, found.record)
  })
  return {
    readableBy: subjectsOf(caller),
    ...(granted.length > 0 && { readableIds: granted }),
    ...(isAtLeast(caller.everywhere ?? 'NONE', 'READ') && { readsUnrevoked: true }),
  }
}

/** What a caller may see of a list; `schemaIds` may be any names of schemas. */
export function restrictToVisibleByName<Q extends { readonly schemaIds?: readonly string[] }>(
  queries: CatalogQueries,
  caller: Principal,
  query: Q,
): Q & Visibility {
  const schemaIds = query.schemaIds?.map(name => {
    const found = findByName(queries, 'schema', name)
    // Which schema it is another name of is for those to know who may read it.
    return found && isReadable(caller, found.record) ? found.id : name
  })
  return restrictToVisible(queries, caller, { ...query, ...(schemaIds && { schemaIds }) })
}

/**
 * The newest revision of the record that has this name now: its id, persistent identifier or an alternate identifier.
 * @see docs/contract.md#names-of-a-record
 */
export function findByName(queries: CatalogQueries, kind: Collection, name: string): Revision | undefined {
  const direct = isId(name) ? queries.newest(kind, name) : undefined
  if (direct) return direct
  const owner = queries.owner(name)
  const found = owner?.kind === kind && !owner.gone ? queries.newest(kind, owner.id) : undefined
  // what was a name of it once stays taken, and leads nowhere
  return found && uniqueNamesOf(found.record).includes(name) ? found : undefined
}

/**
 * The newest revision, for a caller who may read it.
 * @throws ProblemError `not-found`, `forbidden`
 */
export function findReadable(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  name: string,
): Revision {
  return requireReadable(caller, kind, name, findByName(queries, kind, name))
}

/**
 * The same of a revision that was looked for.
 * @param current the newest one of what has this name
 */
export function requireReadable(
  caller: Principal,
  kind: Collection,
  name: string,
  current: Revision | undefined,
): Revision {
  if (current && seesEverything(caller)) return current
  if (!current || !isVisible(caller, current.record)) throw unknownRecord(kind, name)
  if (!hasPermission(caller, current.record, 'READ')) throw forbidden('READ', name)
  return current
}

/**
 * The newest revision, for a caller who may change it.
 * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`, in this order
 */
export function writable(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  name: string,
): Revision {
  requireToken(caller)
  const current = findByName(queries, kind, name)
  if (!current || !isVisible(caller, current.record)) throw unknownRecord(kind, name)
  const wanted = stateOf(current.record) === 'FIXED' ? 'ADMINISTRATE' : 'WRITE'
  if (!hasPermission(caller, current.record, wanted)) throw forbidden(wanted, name)
  return current
}

/**
 * The newest revision, for a caller who may change it and read it last.
 * @throws ProblemError what {@link writable} throws, then `precondition-failed`
 */
export function findChangeable(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  name: string,
  precondition: Precondition,
): Revision {
  const current = writable(queries, caller, kind, name)
  requireMatch(precondition, current.commit)
  return current
}

/**
 * The newest revision, for a caller who may delete it and read it last.
 * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`, `conflict` (documents refer to the schema),
 *   `precondition-failed`, in this order: that documents follow a schema is for those to know who may delete it
 */
export function findDeletable(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  name: string,
  precondition: Precondition,
): Revision {
  requireToken(caller)
  const current = findByName(queries, kind, name)
  if (!current || !isVisible(caller, current.record)) throw unknownRecord(kind, name)
  if (!hasPermission(caller, current.record, 'ADMINISTRATE')) throw forbidden('ADMINISTRATE', name)
  if (kind === 'schema') refuseDependents(queries, caller, current.id)
  requireMatch(precondition, current.commit)
  return current
}

function refuseDependents(queries: CatalogQueries, caller: Principal, id: Id): void {
  const dependent = queries.dependentOf(id)
  if (dependent === undefined) return
  throw new ProblemError(
    'conflict',
    `Conflict: ${nameOf(queries, caller, 'metadata', dependent)} follows a version of the schema "${id}". Delete the documents that follow it first.`,
  )
}

/**
 * The record by its name where the caller may read it: others must not learn of it.
 * @see docs/contract.md#what-a-caller-may-not-learn
 */
function nameOf(queries: CatalogQueries, caller: Principal, kind: Collection, id: Id): string {
  const record = queries.newest(kind, id)?.record
  return record && isReadable(caller, record) ? `the ${kind} record "${id}"` : `a ${kind} record`
}

/**
 * Says that every name of a new record is free: its id, persistent identifier and alternate identifiers.
 * @throws ProblemError `gone` for a name of a deleted record, `conflict` for any other that is taken
 * @see docs/contract.md#names-of-a-record
 */
export function refuseTakenNames(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  record: StoredRecord,
): void {
  const [owner] = queries.owners(uniqueNamesOf(record))
  if (owner?.gone) throw new ProblemError('gone', `Gone: ${neverAgain(owner)}`)
  if (owner) throw taken(queries, caller, owner)
  // A directory that somebody damaged with git may hold no readable record, and is still not ours to replace.
  if (isFaulty(queries, kind, record.id)) {
    throw new ProblemError(
      'conflict',
      `Conflict: the repository holds something for the id "${record.id}" that cannot be read as a record.`,
    )
  }
}

/**
 * Says that everything a new record has to itself is free: its names, and the resources it describes with its schema.
 * @throws ProblemError as {@link refuseTakenNames}, {@link refuseSecondDocument}
 */
export function refuseTakenClaims(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  record: StoredRecord,
): void {
  const claim = {
    directory: recordDirectory(kind, record.id),
    names: uniqueNamesOf(record),
    resources: relatedResources(record),
    schemaId: record.schema?.schemaId,
  }
  if (queries.isFree(claim)) return
  refuseTakenNames(queries, caller, kind, record)
  refuseSecondDocument(queries, caller, record)
}

/** Says that no name of a changed record belongs to another. @throws ProblemError `conflict` */
export function refuseNamesOfOthers(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  record: StoredRecord,
): void {
  const [foreign] = queries.owners(uniqueNamesOf(record), { kind, id: record.id })
  if (foreign) throw taken(queries, caller, foreign)
}

function taken(queries: CatalogQueries, caller: Principal, owner: TakenName): ProblemError {
  const { name } = owner
  if (owner.gone) return new ProblemError('conflict', `Conflict: ${neverAgain(owner)}`)
  const whose = nameOf(queries, caller, owner.kind, owner.id)
  return new ProblemError(
    'conflict',
    `Conflict: the identifier "${truncate(name, 200)}" belongs to ${whose}.`,
  )
}

function neverAgain({ kind, name }: TakenName): string {
  return `the ${kind} record with the identifier "${truncate(name, 200)}" was deleted; its identifiers are never given again.`
}

/**
 * Says that no other record describes one of the resources with the schema, whatever its version.
 * @param before the record as it was: what it describes already is not looked at again
 * @throws ProblemError `conflict`
 * @see docs/contract.md#one-document-per-resource-and-schema
 */
export function refuseSecondDocument(
  queries: CatalogQueries,
  caller: Principal,
  record: StoredRecord,
  before?: StoredRecord,
): void {
  const schemaId = record.schema?.schemaId
  if (schemaId === undefined) return
  const had = new Set(before?.schema?.schemaId === schemaId ? relatedResources(before) : [])
  const fresh = relatedResources(record).filter(resource => !had.has(resource))
  if (fresh.length === 0) return
  const [other] = queries.describers(fresh, schemaId, record.id)
  if (!other) return
  throw new ProblemError(
    'conflict',
    `Conflict: the resource "${truncate(other.resource, 500)}" already has a document that follows the schema "${schemaId}": ${nameOf(queries, caller, 'metadata', other.id)}.`,
  )
}

/**
 * The schema version that the body of a request names, by any name the schema has.
 * @param wanted undefined: the one the record follows where it is of this schema, else the newest
 * @param followed what the record follows
 * @throws ProblemError `unprocessable` where it is unknown, revoked or gone; `forbidden`
 * @see docs/contract.md#which-schema-version-a-document-follows
 */
export function findSchemaToFollow(
  queries: CatalogQueries,
  caller: Principal,
  name: Id,
  wanted: Version | undefined,
  followed: SchemaReference | undefined,
): Revision {
  const newest = findByName(queries, 'schema', name)
  if (!newest || stateOf(newest.record) === 'REVOKED') {
    throw new ProblemError('unprocessable', `There is no schema with the id "${name}" to follow.`)
  }
  const { id } = newest
  if (!hasPermission(caller, newest.record, 'READ')) throw forbidden('READ', name)
  const version = wanted ?? (followed?.schemaId === id ? followed.version : undefined)
  // Most follow the newest version, which has just been asked for.
  const isNewest = version === undefined || version === newest.version
  const found = isNewest ? newest : queries.atVersion('schema', id, version)
  if (!found) {
    throw new ProblemError('unprocessable', `The schema "${id}" has no version ${version}.`)
  }
  return found
}

/** @throws ProblemError `malformed-request` @see docs/contract.md#order-of-checks-of-a-post */
export function refuseWithoutResource(record: StoredRecord): void {
  if (relatedResources(record).length > 0) return
  throw new ProblemError('malformed-request', 'The record names no related resource that it describes.')
}

/**
 * What may be done to the members that guard a record.
 * @param before undefined for a new record
 * @throws ProblemError `unauthenticated`, `malformed-request`, `forbidden`
 * @see docs/contract.md#changes-of-state-and-access
 */
export function refuseUnauthorised(
  caller: Principal,
  before: StoredRecord | undefined,
  after: StoredRecord,
): void {
  if (!before) requireCreateRole(caller)
  const state = stateOf(after)
  if (state !== (before ? stateOf(before) : 'VOLATILE')) {
    if (state === 'REVOKED' || state === 'GONE') {
      throw new ProblemError('malformed-request', `A record becomes ${state} by DELETE only.`)
    }
    if (before && !hasPermission(caller, before, 'ADMINISTRATE')) throw forbidden('ADMINISTRATE', before.id)
  }
  if (!before || caller.administrator || sameAcls(before.acls ?? [], after.acls ?? [])) return
  if (!administers(caller, before)) throw forbidden('ADMINISTRATE', before.id)
  if (!administers(caller, after)) {
    throw new ProblemError('malformed-request', 'You cannot take the permission ADMINISTRATE from yourself.')
  }
}

/** By name: an entry for everybody gives nobody the right to change who has rights. */
function administers(caller: Principal, record: StoredRecord): boolean {
  return (record.acls ?? []).some(entry => entry.sid === caller.sid && entry.permission === 'ADMINISTRATE')
}

/** What is wrong with identifiers that say nothing. */
export function blankFault(record: StoredRecord): string | undefined {
  const blank = blankIdentifier(record)
  return blank && `The member ${blank} is blank. Write the identifier, or leave the entry out.`
}

/** @throws ProblemError `malformed-request` */
export function refuseBlankIdentifier(record: StoredRecord): void {
  const fault = blankFault(record)
  if (fault !== undefined) throw malformedRequest(fault)
}

/**
 * The stored form of what a request made of a record.
 * @throws ProblemError `malformed-request` where it is none: nothing unreadable is ever written
 */
export async function toCanonicalRecord(
  record: StoredRecord,
  pauses: EventLoopPauses,
): Promise<StoredRecord> {
  refuseBlankIdentifier(record)
  await pauses.ifDue()
  try {
    return await canonicalRecordOrThrow(record, pauses)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    throw new ProblemError('malformed-request', error.message, error.extra, { cause: error })
  }
}

/** Says whether the newest revision of a record is one that cannot be served. */
export function isFaulty(queries: CatalogQueries, kind: Collection, id: Id): boolean {
  return queries.isFaulty(recordDirectory(kind, id))
}

/**
 * The version a change will have.
 * @param filesChange whether the document or one of its files changes
 * @returns undefined for a schema whose newest revision is faulty: what that changed is known only to history
 */
export function nextVersion(
  queries: CatalogQueries,
  current: Revision,
  filesChange: boolean,
): Version | undefined {
  if (isFaulty(queries, current.kind, current.id)) {
    if (current.kind === 'schema') return undefined
    // Faulty revisions count too.
    const last = queries.revisions(current.kind, current.id).find(entry => entry.version !== undefined)
    return asVersion((last?.version ?? current.version) + 1)
  }
  return current.kind === 'schema' && !filesChange ? current.version : asVersion(current.version + 1)
}
