import { selfPrincipal } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { ChangeSet, RecordChange } from '../../store/write/writer.js'
import { openChangeSetOverlay } from '../updates/change-set-overlay.js'
import { retryWhileStale, StaleUpdateError, type Transactions } from '../updates/submit-update.js'
import type { InterchangeItem } from './interchange-format.js'
import {
  type ImportOutcome,
  openItemPreparer,
  type PreparedItem,
  type PrepareOptions,
} from './prepare-import.js'

/** One thing a source has: an item, or why there is none. */
export interface SourceItem {
  /** Where it is, for people: `line 17`, `metadata/a/b/c/d/x`. */
  readonly place: string
  readonly content: InterchangeItem | ProblemError
}

export interface ImportOptions {
  /** A state that differs from the one there becomes its next version; else it is a conflict. */
  readonly update: boolean
  /**
   * All metadata in one commit, with this subject; schemas have a commit each, for their versions are counted by it.
   */
  readonly squash?: string
  /** The first failure ends it; what was under way is finished. */
  readonly strict: boolean
  /** Called for each item when its fate is known. */
  progress?(summary: ImportSummary): void
  failed(failure: ImportFailure): void
}

export interface ImportFailure {
  readonly place: string
  /** `metadata overview-7`, where that could be read. */
  readonly record?: string
  readonly problem: ProblemError
}

/** Numbers of items. */
export type ImportSummary = { [fate in ImportOutcome | 'failed']: number }

/** Items that are checked ahead of the one that is handed to the writer. */
const checkedAhead = 256
/** Updates with the writer, at most: two of its flushes. */
const mostWriting = 512

/**
 * Takes over items in their order. They are checked several at a time, and written in order, so that what one of them
 * frees another may take; schemas are waited for, because what follows is checked against them.
 */
export function openImport(options: PrepareOptions) {
  const { transactions } = options
  const prepare = openItemPreparer(options)

  return async (source: AsyncIterable<SourceItem>, wishes: ImportOptions): Promise<ImportSummary> => {
    const summary: ImportSummary = { created: 0, revised: 0, removed: 0, there: 0, failed: 0 }
    const checking: { readonly read: SourceItem; readonly prepared: Promise<PreparedItem> }[] = []
    const writing = new Set<Promise<void>>()
    const together: { readonly read: SourceItem; readonly prepared: PreparedItem }[] = []
    /** Schemas that could not be taken over yet: they may refer to one that comes later. */
    let postponed: { readonly read: SourceItem; readonly thrown: unknown }[] = []
    let stopped = false
    /** What is no failure of an item, but of the machine. */
    let broken: { readonly thrown: unknown } | undefined

    function note(fate: ImportOutcome): void {
      summary[fate]++
      wishes.progress?.(summary)
    }

    function fail({ place, content }: SourceItem, thrown: unknown): void {
      if (!(thrown instanceof ProblemError) || thrown.kind === 'unavailable' || thrown.kind === 'no-space') {
        broken ??= { thrown }
        return
      }
      // Of what was checked ahead, the first one was enough.
      if (stopped) return
      summary.failed++
      if (wishes.strict) stopped = true
      const about = content instanceof ProblemError ? {} : { record: `${content.kind} ${content.id}` }
      wishes.failed({ place, ...about, problem: thrown })
      wishes.progress?.(summary)
    }

    function start(read: SourceItem): void {
      const { content } = read
      const prepared =
        content instanceof ProblemError ? Promise.reject(content) : prepare(content, wishes.update)
      // Its failure is met when its turn comes.
      prepared.catch(() => undefined)
      checking.push({ read, prepared })
    }

    async function handOver(): Promise<void> {
      const next = checking.shift()
      if (!next) return
      const { read, prepared } = next
      try {
        const ready = await prepared
        if (stopped || broken) return
        if (wishes.squash !== undefined && ready.item.kind === 'metadata') {
          together.push({ read, prepared: ready })
          return
        }
        if (writing.size >= mostWriting) await Promise.race(writing)
        const write: Promise<void> = put(transactions, prepare, ready, wishes.update)
          .then(note, error => fail(read, error))
          .finally(() => writing.delete(write))
        writing.add(write)
      } catch (error) {
        fail(read, error)
      }
    }

    async function drain(): Promise<void> {
      while (checking.length > 0) await handOver()
      await Promise.all(writing)
    }

    /** @returns why it could not be taken over */
    async function takeSchema(item: InterchangeItem): Promise<{ readonly thrown: unknown } | undefined> {
      try {
        note(await put(transactions, prepare, await prepare(item, wishes.update), wishes.update))
        return undefined
      } catch (thrown) {
        return { thrown }
      }
    }

    /** Tries the postponed schemas again, as long as that helps one of them; the others have failed. */
    async function retry(): Promise<void> {
      for (let before = 0; postponed.length > 0 && postponed.length !== before; ) {
        before = postponed.length
        const again = postponed
        postponed = []
        for (const { read } of again) {
          const failure = await takeSchema(read.content as InterchangeItem)
          if (failure) postponed.push({ read, ...failure })
        }
      }
      for (const { read, thrown } of postponed.splice(0)) fail(read, thrown)
    }

    for await (const read of source) {
      const { content } = read
      if (!(content instanceof ProblemError) && content.kind === 'schema') {
        await drain()
        const failure = await takeSchema(content)
        if (failure) postponed.push({ read, ...failure })
      } else {
        if (postponed.length > 0) await retry()
        start(read)
        if (checking.length >= checkedAhead) await handOver()
      }
      if (stopped || broken) break
    }
    await drain()
    await retry()
    if (together.length > 0 && !stopped && !broken) {
      await putTogether(transactions, together, wishes, { note, fail })
    }
    if (broken) throw broken.thrown
    return summary
  }
}

async function put(
  transactions: Transactions,
  prepare: ReturnType<typeof openItemPreparer>,
  first: PreparedItem,
  update: boolean,
): Promise<ImportOutcome> {
  let ready: PreparedItem | undefined = first
  return await retryWhileStale(async () => {
    const { item, caller, plan } = ready ?? (await prepare(first.item, update))
    // What was prepared is good for one try.
    ready = undefined
    let fate: ImportOutcome = 'there'
    await transactions.commit(
      caller,
      state => {
        const planned = plan(state)
        fate = planned.fate
        return planned.change
      },
      item,
    )
    return fate
  })
}

interface Tell {
  note(fate: ImportOutcome): void
  fail(read: SourceItem, thrown: unknown): void
}

async function putTogether(
  transactions: Transactions,
  all: readonly { readonly read: SourceItem; readonly prepared: PreparedItem }[],
  { squash = '', strict }: ImportOptions,
  tell: Tell,
): Promise<void> {
  let outcomes: { readonly read: SourceItem; readonly fate?: ImportOutcome; readonly thrown?: unknown }[] = []

  function plan(state: CatalogQueries): ChangeSet | undefined {
    outcomes = []
    const changes: RecordChange[] = []
    const overlay = openChangeSetOverlay()
    const seen = new Set<string>()
    for (const { read, prepared } of all) {
      try {
        const { id } = prepared.item
        if (seen.has(id)) throw comesTwice(id)
        const { fate, change, version } = prepared.plan(overlay.over(state))
        if (change) {
          seen.add(id)
          overlay.add(change, version)
          changes.push(change)
        }
        outcomes.push({ read, fate })
      } catch (thrown) {
        outcomes.push({ read, thrown: thrown instanceof StaleUpdateError ? changedMeanwhile() : thrown })
      }
    }
    if (changes.length === 0 || (strict && outcomes.some(({ fate }) => fate === undefined))) return undefined
    const trailers = [['Records', String(changes.length)]] as const
    return { changes, subject: squash, trailers }
  }

  await transactions.commit(selfPrincipal, plan)
  const failures = outcomes.filter(({ fate }) => fate === undefined)
  for (const { read, thrown } of strict ? failures.slice(0, 1) : failures) tell.fail(read, thrown)
  if (strict && failures.length > 0) return
  for (const { fate } of outcomes) if (fate !== undefined) tell.note(fate)
}

function comesTwice(id: string): ProblemError {
  return new ProblemError(
    'conflict',
    `Conflict: the metadata record "${id}" comes twice, and one commit makes one version. Leave out --squash.`,
  )
}

function changedMeanwhile(): ProblemError {
  return new ProblemError('conflict', 'What it depends on was changed meanwhile. Run the import again.')
}
