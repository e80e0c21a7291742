import type { Catalog } from '../../catalog/catalog.js'
import type { Principal } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { outdated, retryWhileOutdated } from '../../core/scheduling/optimistic-retry.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import type { Change, Planned, Writer } from '../../store/write/writer.js'
import { findRevision } from '../rules/find-revision.js'

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
   * Runs `plan` on the newest records inside the writer, and writes the change that it returns.
   * @returns the new revision, or the current one if nothing changed; undefined if the record is deleted
   * @throws ProblemError of the plan or the writer
   * @throws StaleUpdateError of the plan
   */
  updateRecord(
    caller: Principal,
    kind: Collection,
    id: Id,
    plan: (state: CatalogQueries) => Promise<PlannedUpdate>,
  ): Promise<Revision | undefined>
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

/** The result of a plan, and the change that the writer gets. */
interface PlanResult<T> {
  readonly result: T
  readonly change: Planned
}

export function openTransactions(catalog: Catalog, writer: Writer): Transactions {
  const { committed, planning } = catalog

  /** Submits a plan to the writer. @returns the result of the plan, and the commit if there is one */
  async function submit<T>(
    caller: Principal,
    near: { readonly kind: Collection; readonly id: Id } | undefined,
    plan: (state: CatalogQueries) => PlanResult<T> | Promise<PlanResult<T>>,
  ): Promise<{ readonly result: T; readonly commit: Oid | undefined }> {
    let outcome: { readonly result: T } | { readonly thrown: unknown } | undefined
    const author = { name: caller.name, email: caller.email }
    const commit = await writer.write(
      author,
      async () => {
        // An error other than a refusal would fail the whole flush. The caller gets it below instead.
        try {
          const { result, change } = await plan(planning)
          outcome = { result }
          return change
        } catch (thrown) {
          outcome = { thrown }
          return undefined
        }
      },
      near,
    )
    if (!outcome) throw new Error('The writer resolved an update without running its plan.')
    if ('thrown' in outcome) throw outcome.thrown
    return { result: outcome.result, commit }
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
      const { result, commit } = await submit(caller, { kind, id }, async state => {
        const decision = await plan(state)
        return { result: decision, change: decision.change }
      })
      const { change, version, current } = result
      if (commit === undefined) return current ?? committed.newest(kind, id)
      if (!change?.state) return undefined
      const newest = catalog.written(kind, id, commit) ?? committed.newest(kind, id)
      return newest && findRevision(committed, newest, commit, version)
    },

    async commit(caller, plan, near) {
      const { commit } = await submit(caller, near, async state => ({
        result: undefined,
        change: await plan(state),
      }))
      return commit
    },
  }
}

/** The record was deleted between the caller's update and the read of its result. */
export function deletedAfterUpdate(id: Id): ProblemError {
  return new ProblemError('not-found', `"${id}" was stored, and then deleted by another caller.`)
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
