import { hasPermission, type Principal, requireToken, seesEverything } from '../../core/access-control.js'
import { type Precondition, requireMatch } from '../../core/precondition.js'
import { firstFault, ProblemError } from '../../core/problem.js'
import { type Collection, collectionLabels } from '../../core/records/collection.js'
import { type Permission, type StoredRecord, stateOf, uniqueNamesOf } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { isId, truncate, type Version } from '../../core/value-types.js'
import { findDependents, isReadable, isVisible, refuse, unservedText } from '../rules/record-rules.js'

/**
 * The problem of a record that does not exist or that the caller must not know of. Clients look for its wording.
 * @see docs/contract.md#wording-that-clients-look-for
 */
export function unknownRecord(kind: Collection, name: string): ProblemError {
  return new ProblemError(
    'not-found',
    `${collectionLabels[kind]} document with ID '${truncate(name, 200)}' doesn't exist!`,
    {
      missing: { kind, name },
    },
  )
}

/**
 * The problem of a version that is not served: there is none, or its commit breaks a rule. The caller may read the
 * record.
 * @param name as in the request
 * @see docs/contract.md#wording-that-clients-look-for
 */
export function unknownVersion(
  queries: CatalogQueries,
  { kind, id }: Pick<Revision, 'kind' | 'id'>,
  name: string,
  version: Version,
): ProblemError {
  const what = `Version '${version}' of ID '${truncate(name, 200)}'`
  const [unserved] = queries.unservedRevisions(kind, id, version)
  if (!unserved) return new ProblemError('not-found', `${what} doesn't exist!`)
  const { findings } = unserved
  return new ProblemError(
    'not-found',
    `${what} is not served: ${unservedText(unserved)} ${firstFault(findings) ?? ''}`.trimEnd(),
    { findings },
  )
}

/** The problem of a record of which no revision is served, because each breaks a rule; undefined for other names. */
function neverServed(queries: CatalogQueries, kind: Collection, name: string): ProblemError | undefined {
  const [newest] = isId(name) ? queries.unservedRevisions(kind, name) : []
  if (!newest?.isNewest) return undefined
  const { findings } = newest
  const what = `${collectionLabels[kind]} document with ID '${name}' is not served:`
  const message = `${what} ${unservedText(newest)} ${firstFault(findings) ?? ''}`.trimEnd()
  return new ProblemError('not-found', message, { findings })
}

/**
 * The problem of a caller who lacks a permission.
 * @param name as in the request: a caller who may not read the record must not learn its id
 */
export function forbidden(wanted: Permission, name: string): ProblemError {
  return new ProblemError('forbidden', `This needs the permission ${wanted} on "${truncate(name, 200)}".`)
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
  // A former name stays taken, but the record is not found by it.
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
  return requireReadable(queries, caller, kind, name, findByName(queries, kind, name))
}

/** As {@link findReadable}; undefined if there is no such record, or the caller may not read it. */
export function findIfReadable(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  name: string,
): Revision | undefined {
  const current = findByName(queries, kind, name)
  return current && (seesEverything(caller) || isReadable(caller, current.record)) ? current : undefined
}

/**
 * Checks the result of a look-up by name.
 * @param current the newest revision of the record with the name, if there is one
 * @throws ProblemError `not-found`, `forbidden`
 */
export function requireReadable(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  name: string,
  current: Revision | undefined,
): Revision {
  if (current && seesEverything(caller)) return current
  if (!current && seesEverything(caller)) throw neverServed(queries, kind, name) ?? unknownRecord(kind, name)
  if (!current || !isVisible(caller, current.record)) throw unknownRecord(kind, name)
  if (!hasPermission(caller, current.record, 'READ')) throw forbidden('READ', name)
  return current
}

/**
 * The newest revision, for a caller who may change it.
 * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`, in this order
 */
export function findWritable(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  name: string,
): Revision {
  return findPermitted(queries, caller, kind, name, record =>
    stateOf(record) === 'FIXED' ? 'ADMINISTRATE' : 'WRITE',
  )
}

/** The newest revision, for a caller with a token and a permission on the record. */
function findPermitted(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  name: string,
  permissionFor: (record: StoredRecord) => Permission,
): Revision {
  requireToken(caller)
  const current = findByName(queries, kind, name)
  if (!current || !isVisible(caller, current.record)) throw unknownRecord(kind, name)
  const wanted = permissionFor(current.record)
  if (!hasPermission(caller, current.record, wanted)) throw forbidden(wanted, name)
  return current
}

/**
 * The newest revision, for a caller who may change the record, if the precondition holds.
 * @throws ProblemError as {@link findWritable}, then `precondition-failed`
 */
export function findChangeable(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  name: string,
  precondition: Precondition,
): Revision {
  const current = findWritable(queries, caller, kind, name)
  requireMatch(precondition, current.commit)
  return current
}

/**
 * The newest revision, for a caller who may delete the record, if the precondition holds.
 * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`, `conflict` (documents follow the schema),
 *   `precondition-failed`, in this order: only callers who may delete a schema learn that documents follow it
 */
export function findDeletable(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  name: string,
  precondition: Precondition,
): Revision {
  const current = findPermitted(queries, caller, kind, name, () => 'ADMINISTRATE')
  if (kind === 'schema') refuse(findDependents(queries, caller, current.id))
  requireMatch(precondition, current.commit)
  return current
}
