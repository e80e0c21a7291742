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

/** What a plan decided: a change, or that the record stays as it is. */
export interface PlannedUpdate {
  readonly change?: Change
  /** The version the change will have, where that is known. */
  readonly version?: Version | undefined
  /** The revision that stays where nothing changes. */
  readonly current?: Revision
}

/** Where updates are handed in. */
export interface Transactions {
  readonly committed: CatalogQueries
  /** Asks the committed state; a refusal is given only when what others committed with git has been looked at too. */
  readCommitted<T>(question: (state: CatalogQueries) => T | Promise<T>): Promise<T>
  /**
   * Runs `plan` on the newest state inside the writer.
   * @returns the revision it made, or the one that stays
   * @throws ProblemError from the plan or the writer
   * @throws Outdated from the plan
   */
  updateRecord(
    caller: Principal,
    kind: Collection,
    id: Id,
    plan: (state: CatalogQueries) => Promise<PlannedUpdate>,
  ): Promise<Revision | undefined>
  /**
   * The same for a change of one record or of several, which the plan does not see itself.
   * @param near the record it is about, where it is one
   * @returns the commit; undefined where nothing changes
   */
  commit(
    caller: Principal,
    plan: (state: CatalogQueries) => Planned | Promise<Planned>,
    near?: { readonly kind: Collection; readonly id: Id },
  ): Promise<Oid | undefined>
}

interface Made<T> {
  readonly made: T
  readonly change: Planned
}

export function openTransactions(catalog: Catalog, writer: Writer): Transactions {
  const { committed, planning } = catalog

  /** Has an update written. @returns what its plan made, and the commit where there is one */
  async function planned<T>(
    caller: Principal,
    near: { readonly kind: Collection; readonly id: Id } | undefined,
    plan: (state: CatalogQueries) => Made<T> | Promise<Made<T>>,
  ): Promise<{ readonly made: T; readonly commit: Oid | undefined }> {
    let outcome: { readonly made: T } | { readonly thrown: unknown } | undefined
    const author = { name: caller.name, email: caller.email }
    const commit = await writer.write(
      author,
      async () => {
        // The writer takes whatever is thrown here, except for refusals, as a failure of the whole batch.
        try {
          const { made, change } = await plan(planning)
          outcome = { made }
          return change
        } catch (thrown) {
          outcome = { thrown }
          return undefined
        }
      },
      near,
    )
    if (!outcome) throw new Error('The writer answered without having planned.')
    if ('thrown' in outcome) throw outcome.thrown
    return { made: outcome.made, commit }
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
      const { made, commit } = await planned(caller, { kind, id }, async state => {
        const decision = await plan(state)
        return { made: decision, change: decision.change }
      })
      const { change, version, current } = made
      if (commit === undefined) return current ?? committed.newest(kind, id)
      if (!change?.state) return undefined
      const newest = catalog.written(kind, id, commit) ?? committed.newest(kind, id)
      return newest && findRevision(committed, newest, commit, version)
    },

    async commit(caller, plan, near) {
      const { commit } = await planned(caller, near, async state => ({
        made: undefined,
        change: await plan(state),
      }))
      return commit
    },
  }
}

/** The record was deleted after the caller had written it and before it could be read. */
export function deletedAfterUpdate(id: Id): ProblemError {
  return new ProblemError('not-found', `"${id}" was stored, and deleted by somebody else right after.`)
}

/** What was prepared outside the writer (a verdict, the meaning of a reference) no longer fits the newest state. */
export class StaleUpdateError extends Error {
  override readonly name = 'Outdated'
}

/**
 * Prepares and submits an update again while a plan throws {@link StaleUpdateError}.
 * @throws ProblemError `unavailable` if other updates do not stop changing what it depends on
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
