import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import { type CatalogQueries, findRevision } from '../../core/records/record-queries.js'
import type { Revision, RevisionLogEntry } from '../../core/records/revision.js'
import type { Id } from '../../core/value-types.js'
import { contentOf, type RecordContent, sameContent } from '../../service/rules/record-content.js'
import { sameRecord } from '../../store/records/record-json.js'

/** The content of a record in another repository, with the record in its stored form. */
export interface IncomingState extends RecordContent {
  readonly record: StoredRecord
}

export interface IncomingRevision {
  readonly kind: Collection
  readonly id: Id
  /** Number of the revision in the history of the record. Undefined: the revision is to be the newest. */
  readonly number?: number | undefined
}

/**
 * Whether a revision is stored already. If not, it is the next one.
 * @param wanted undefined: the record is removed
 * @param update whether content that differs from the stored one is the next version
 * @throws ProblemError `conflict` if the revision is neither stored nor the next one
 */
export function isStoredAlready(
  state: CatalogQueries,
  { kind, id, number }: IncomingRevision,
  wanted: IncomingState | undefined,
  update: boolean,
): boolean {
  const newest = state.newest(kind, id)
  if (number === undefined) {
    if (!newest) return wanted === undefined && state.owner(id)?.gone === true
    if (wanted && isSame(newest, wanted)) return true
    if (update) return false
    throw new ProblemError(
      'conflict',
      `Conflict: the ${kind} record "${id}" exists already, and differs. With --update it becomes its next version.`,
    )
  }
  const past = state.revisions(kind, id).filter(entry => entry.findings === undefined)
  if (number === past.length + 1) return false
  if (number > past.length) {
    throw new ProblemError(
      'conflict',
      `Conflict: it is revision ${number} of the ${kind} record "${id}", which has ${past.length} revisions so far: those in between are missing.`,
    )
  }
  // `past` begins with the newest one.
  const entry = past[past.length - number] as RevisionLogEntry
  const known =
    newest && entry.version !== undefined
      ? findRevision(state, newest, entry.commit, entry.version)
      : undefined
  // The catalog does not keep the revisions of deleted records: only their numbers are compared.
  if (newest ? known && wanted && isSame(known, wanted) : !wanted || entry.version !== undefined) return true
  throw new ProblemError(
    'conflict',
    `Conflict: revision ${number} of the ${kind} record "${id}" is different here: the histories differ.`,
  )
}

function isSame(revision: Revision, wanted: IncomingState): boolean {
  return sameContent(contentOf(revision), wanted) && sameRecord(revision.record, wanted.record)
}
