import { selfPrincipal } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import { openChangeSetOverlay } from '../../service/change-sets/change-set-overlay.js'
import { StaleUpdateError, type Transactions } from '../../service/updates/submit-update.js'
import type { ChangeSet, RecordChange } from '../../store/write/writer-interface.js'
import type { ImportOptions, ImportOutcome, ImportReport } from './import-report.js'
import type { SourceItem } from './interchange-format.js'
import type { PreparedItem } from './prepare-import.js'

/** An item with its preparation. */
export interface ReadyItem {
  readonly read: SourceItem
  readonly prepared: PreparedItem
}

interface PlannedItem {
  readonly read: SourceItem
  /** What was done with the item; undefined if the item failed. */
  readonly outcome?: ImportOutcome
  readonly thrown?: unknown
}

/**
 * Imports items in one commit. Items that fail are left out and reported; a strict import then commits nothing.
 * @throws ProblemError if the repository cannot be written
 */
export async function importSquashed(
  transactions: Transactions,
  all: readonly ReadyItem[],
  { squash = '', strict }: ImportOptions,
  report: ImportReport,
): Promise<void> {
  let outcomes: PlannedItem[] = []

  function plan(state: CatalogQueries): ChangeSet | undefined {
    outcomes = []
    const changes: RecordChange[] = []
    const overlay = openChangeSetOverlay()
    const seen = new Set<string>()
    for (const { read, prepared } of all) {
      try {
        const { id } = prepared.item
        if (seen.has(id)) throw duplicateProblem(id)
        const { outcome, change, version } = prepared.plan(overlay.queriesOn(state))
        if (change) {
          seen.add(id)
          overlay.add(change, version)
          changes.push(change)
        }
        outcomes.push({ read, outcome })
      } catch (thrown) {
        outcomes.push({
          read,
          thrown: thrown instanceof StaleUpdateError ? changedMeanwhileProblem() : thrown,
        })
      }
    }
    const hasFailed = outcomes.some(({ outcome }) => outcome === undefined)
    if (changes.length === 0 || (strict && hasFailed)) return undefined
    return { changes, subject: squash, trailers: [['Records', String(changes.length)]] }
  }

  await transactions.commit(selfPrincipal, plan)
  const failures = outcomes.filter(({ outcome }) => outcome === undefined)
  for (const { read, thrown } of strict ? failures.slice(0, 1) : failures) report.fail(read, thrown)
  if (strict && failures.length > 0) return
  for (const { outcome } of outcomes) if (outcome !== undefined) report.note(outcome)
}

function duplicateProblem(id: string): ProblemError {
  return new ProblemError(
    'conflict',
    `Conflict: the metadata record "${id}" comes twice, and one commit makes one version. Leave out --squash.`,
  )
}

function changedMeanwhileProblem(): ProblemError {
  return new ProblemError('conflict', 'What it depends on was changed meanwhile. Run the import again.')
}
