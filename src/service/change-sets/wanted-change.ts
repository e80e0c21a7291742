import type { Precondition } from '../../core/precondition.js'
import { ProblemError } from '../../core/problem.js'
import { type Collection, changeRank } from '../../core/records/collection.js'
import type { Id } from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import type { RecordChange } from '../../store/write/writer-interface.js'
import { recordLabel } from '../updates/commit-messages.js'
import type { NewRecordUpload, OwnBaseUrls, RecordDraft, RecordUpdate } from '../updates/record-drafts.js'

/** A change of one record, as a change set names it. */
export type WantedChange =
  | {
      readonly kind: Collection
      readonly action: 'create'
      readonly draft: RecordDraft
      readonly upload: NewRecordUpload
      readonly origins: OwnBaseUrls
    }
  | {
      readonly kind: Collection
      readonly action: 'update'
      readonly name: string
      readonly precondition: Precondition
      readonly update: RecordUpdate
      readonly origins: OwnBaseUrls
    }
  | {
      readonly kind: Collection
      readonly action: 'delete'
      readonly name: string
      readonly precondition: Precondition
    }

/** A change with its position in the set. */
export interface PlacedChange {
  /** Index in the request. */
  readonly place: number
  readonly wanted: WantedChange
  /** The id for a new metadata record, if the request names none. */
  readonly freeId: Id
}

/**
 * Order in which the changes of a set are prepared: deletions first, then schemas, then metadata, which may follow
 * these schemas. Changes of equal rank stay in the order of the request.
 */
export function inOrderOfPreparation(a: PlacedChange, b: PlacedChange): number {
  return (
    changeRank(a.wanted.kind, a.wanted.action === 'delete') -
      changeRank(b.wanted.kind, b.wanted.action === 'delete') || a.place - b.place
  )
}

/**
 * Sorts the changes of one commit into the order in which the catalog reads them from the history.
 * @see directoryChanges
 */
export function inOrderOfHistory(changes: readonly RecordChange[]): readonly RecordChange[] {
  return changes
    .map(change => ({
      change,
      rank: changeRank(change.kind, !change.state),
      directory: recordDirectory(change.kind, change.id),
    }))
    .sort((a, b) => a.rank - b.rank || (a.directory < b.directory ? -1 : 1))
    .map(({ change }) => change)
}

/** Runs a job for a change. @throws the error of the job; a ProblemError names the change */
export async function forChange<T>(change: PlacedChange, job: () => T | Promise<T>): Promise<T> {
  try {
    return await job()
  } catch (thrown) {
    throw thrown instanceof ProblemError ? problemOfChange(change, thrown) : thrown
  }
}

function problemOfChange({ place, wanted }: PlacedChange, problem: ProblemError): ProblemError {
  const { kind, action } = wanted
  const name = 'name' in wanted ? wanted.name : wanted.draft.id
  const what = `${action} ${name === undefined ? kind : recordLabel(kind, name)}`
  const { missing: _, ...extra } = problem.extra
  return new ProblemError(
    problem.kind,
    `changes[${place}] (${what}): ${problem.message}`,
    { ...extra, change: place },
    { cause: problem },
  )
}
