import type { Catalog } from '../../catalog/catalog.js'
import type { Principal } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import { type CatalogQueries, findRevision } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { outdated, retryWhileOutdated } from '../../core/scheduling/optimistic-retry.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import type { Change, Planned, Writer } from '../../store/write/writer-interface.js'

/** The result of a plan: a change, or no change. */
export interface PlannedUpdate {
  readonly change?: Change
  /** The version that the change will have, if it is known. */
  readonly version?: Version | undefined
  /** The current revision, if nothing changes. */
  readonly current?: Revision
}

/**
 * Runs the plans of updates in the writer, and queries on the committed state. A *plan* computes from the newest
 * records which files an update writes; it runs again if the branch has moved. The *committed* state has the records
 * as the last flush stored them, without updates whose flush is under way.
 */
export interface Transactions {
  readonly committed: CatalogQueries
  /** Queries the committed state. A refusal counts only after the catalog has caught up with commits of git users. */
  readCommitted<T>(question: (state: CatalogQueries) => T | Promise<T>): Promise<T>
  /**
   * Runs `plan` on the newest records inside the writer, and stores the record that it returns.
   * @returns the new revision, or the current one if nothing changed
   * @throws ProblemError of the plan or the writer; `not-found` if another caller deleted the record right after the
   *   update
   * @throws StaleUpdateError of the plan
   */
  updateRecord(
    caller: Principal,
    kind: Collection,
    id: Id,
    plan: (state: CatalogQueries) => Promise<PlannedUpdate>,
  ): Promise<Revision>
  /**
   * Runs a plan that changes one record or several.
   * @param near the record, if the plan changes only one
   * @returns the commit; undefined if nothing changed
   */
  commit(
    caller: Principal,
    plan: (state: CatalogQueries) => Planned | Promise<Planned>,
    near?: { readonly kind: Collection; readonly id: Id },
  ): Promise<Oid | undefined>
}

export function openTransactions(catalog: Catalog, writer: Writer): Transactions {
  const { committed, planning } = catalog

  const commit: Transactions['commit'] = async (caller, plan, near) => {
    let hasRun = false
    let failure: { readonly thrown: unknown } | undefined
    const author = { name: caller.name, email: caller.email }
    const oid = await writer.write(
      author,
      async () => {
        hasRun = true
        failure = undefined
        // An error other than a refusal would fail the whole flush. The caller gets it below instead.
        try {
          return await plan(planning)
        } catch (thrown) {
          failure = { thrown }
          return undefined
        }
      },
      near,
    )
    if (!hasRun) throw new Error('The writer resolved an update without running its plan.')
    if (failure) throw failure.thrown
    return oid
  }

  return {
    committed,

    async readCommitted(question) {
      try {
        return await question(committed)
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error
        await writer.catchUp()
        return await question(committed)
      }
    },

    async updateRecord(caller, kind, id, plan) {
      let planned: PlannedUpdate = {}
      const oid = await commit(
        caller,
        async state => {
          planned = await plan(state)
          return planned.change
        },
        { kind, id },
      )
      const stored = oid === undefined ? planned.current : catalog.written(kind, id, oid)
      const newest = stored ?? committed.newest(kind, id)
      const revision =
        newest && oid !== undefined ? findRevision(committed, newest, oid, planned.version) : newest
      if (revision) return revision
      throw new ProblemError('not-found', `"${id}" was stored, and then deleted by another caller.`)
    },

    commit,
  }
}

/** Thrown by a plan if the preparation (a validation, a resolved reference) no longer fits the newest records. */
export class StaleUpdateError extends Error {
  override readonly name = 'StaleUpdateError'
}

/**
 * Prepares and submits an update again while a plan throws {@link StaleUpdateError}.
 * @throws ProblemError `unavailable` if other updates do not stop changing what this update depends on
 */
export async function retryWhileStale<T>(attempt: () => Promise<T>): Promise<T> {
  return await retryWhileOutdated<T>(
    async () => {
      try {
        return await attempt()
      } catch (error) {
        if (error instanceof StaleUpdateError) return outdated
        throw error
      }
    },
    () =>
      new ProblemError('unavailable', 'Others keep changing what this update depends on. Try again.', {
        retryAfter: 1,
      }),
  )
}
