import { hasPermission, type Principal, requireCreateRole, sameAcls } from '../../core/access-control.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import {
  relatedResources,
  type SchemaReference,
  type StoredRecord,
  stateOf,
  uniqueNamesOf,
} from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { EventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { asVersion, type Id, type Version } from '../../core/value-types.js'
import { canonicalRecordOrThrow } from '../../store/records/record-json.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import {
  findBlankIdentifier,
  findMisplacedCrosswalk,
  findSearchDeclaration,
  findSecondDocuments,
  findStateByHand,
  findTakenNames,
  noSuchSchema,
  noSuchVersion,
  problemOf,
  refuse,
} from '../rules/record-rules.js'
import { findByName, forbidden } from './find-record.js'

/*
 * Rules of requests that updates of others can break between the arrival of a request and its commit. The services
 * check them on the committed records (`CatalogQueries`), to refuse early, and again inside the writer on the newest
 * records. The second check decides. The rules that also apply to commits are in `record-rules`.
 */

/**
 * Refuses a record with a unique value of another record: a name, or a resource that it describes with its schema.
 * @param before the former record; undefined for a new record, whose directory must be free too
 * @param isReturning whether the record was deleted and comes back: it may have its former names again
 * @throws ProblemError `conflict`; `gone` for a new record with a name of a deleted one
 * @see docs/contract.md#names-of-a-record
 */
export function refuseTakenClaims(
  queries: CatalogQueries,
  caller: Principal,
  kind: Collection,
  record: StoredRecord,
  before?: StoredRecord,
  isReturning = false,
): void {
  const isNew = before === undefined && !isReturning
  const claim = {
    directory: recordDirectory(kind, record.id),
    names: uniqueNamesOf(record),
    resources: relatedResources(record),
    schemaId: record.schema?.schemaId,
  }
  // One query is enough for most new records.
  if (isNew && queries.isFree(claim)) return
  refuse(findTakenNames(queries, caller, kind, record, isNew))
  // The directory may hold a record that was damaged with git. A new record must not replace it.
  if (isNew && isFaulty(queries, kind, record.id)) {
    throw new ProblemError(
      'conflict',
      `Conflict: the repository holds something for the id "${record.id}" that cannot be read as a record.`,
    )
  }
  refuse(findSecondDocuments(queries, caller, record, before))
}

/**
 * The schema version that a record is going to follow.
 * @param name any name of the schema
 * @param wanted undefined: the version that the record follows, if it is one of this schema; else the newest
 * @param followed the schema version that the record follows
 * @throws ProblemError `unprocessable` if the schema version is unknown, or the schema REVOKED or GONE; `forbidden`
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
    throw problemOf(noSuchSchema(name))
  }
  const { id } = newest
  if (!hasPermission(caller, newest.record, 'READ')) throw forbidden('READ', name)
  const version = wanted ?? (followed?.schemaId === id ? followed.version : undefined)
  // Most records follow the newest version, which was just read.
  const isNewest = version === undefined || version === newest.version
  const found = isNewest ? newest : queries.atVersion('schema', id, version)
  if (!found) throw problemOf(noSuchVersion(queries, id, version))
  return found
}

/**
 * Refuses changes of state and permissions that the caller may not make.
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
    refuse(findStateByHand(after, ['REVOKED', 'GONE']))
    if (before && !hasPermission(caller, before, 'ADMINISTRATE')) throw forbidden('ADMINISTRATE', before.id)
  }
  if (!before || caller.administrator || sameAcls(before.acls ?? [], after.acls ?? [])) return
  if (!administers(caller, before)) throw forbidden('ADMINISTRATE', before.id)
  if (!administers(caller, after)) {
    throw malformedRequest('You cannot take the permission ADMINISTRATE from yourself.')
  }
}

/** Whether the caller may change permissions. An entry for everyone does not suffice: it must be for the caller. */
function administers(caller: Principal, record: StoredRecord): boolean {
  return (record.acls ?? []).some(entry => entry.sid === caller.sid && entry.permission === 'ADMINISTRATE')
}

/**
 * The stored form of an edited record.
 * @throws ProblemError `malformed-request` for a record that could not be read again
 */
export async function toCanonicalRecord(
  record: StoredRecord,
  pauses: EventLoopPauses,
): Promise<StoredRecord> {
  refuse(findBlankIdentifier(record))
  refuse(findSearchDeclaration(record))
  refuse(findMisplacedCrosswalk(record))
  await pauses.ifDue()
  try {
    return await canonicalRecordOrThrow(record, pauses)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    throw new ProblemError('malformed-request', error.message, error.extra, { cause: error })
  }
}

/** Says whether the newest revision of a record breaks a rule, so that it is not served. */
export function isFaulty(queries: CatalogQueries, kind: Collection, id: Id): boolean {
  return queries.isFaulty(recordDirectory(kind, id))
}

/**
 * The version that a change will have.
 * @param filesChange whether the document or one of its files changes
 * @returns undefined for a schema whose newest revision breaks a rule: only the history tells what that one changed
 */
export function nextVersion(
  queries: CatalogQueries,
  current: Revision,
  filesChange: boolean,
): Version | undefined {
  if (isFaulty(queries, current.kind, current.id)) {
    if (current.kind === 'schema') return undefined
    // Revisions that break a rule have versions too.
    const last = queries.revisions(current.kind, current.id).find(entry => entry.version !== undefined)
    return asVersion((last?.version ?? current.version) + 1)
  }
  return current.kind === 'schema' && !filesChange ? current.version : asVersion(current.version + 1)
}
