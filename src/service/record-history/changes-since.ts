import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Catalog } from '../../catalog/catalog.js'
import type { FeedEntry } from '../../catalog/revision-history/change-feed.js'
import { type Client, hasPermission, type Principal, seesEverything } from '../../core/access-control.js'
import { shuttingDown } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { SchemaReference } from '../../core/records/record.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id, Instant, Oid, Version } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import { visibilityOf } from '../access/visible-lists.js'
import type { UndoneUpdates, UndoneVersion } from '../manual-edits/report-undone-updates.js'
import { firstCommit } from '../points/resolve-point.js'
import { isReadable } from '../rules/record-rules.js'
import type { Transactions } from '../updates/submit-update.js'
import { openCommitAuthors } from './record-log.js'

/** The feed of changes: the revisions of all records in the order of history. */
export interface ChangesSince {
  /**
   * The changes after a commit. Changes that the caller may not read are left out without a trace.
   * @param since undefined: from the beginning
   * @param limit number of revisions; the revisions of the last commit are complete even if they exceed it
   * @param patience how long to wait for changes if there are none; undefined: no wait
   * @throws ProblemError `not-found` for a commit outside the served history; `unavailable`
   */
  read(caller: Principal, since: Oid | undefined, limit: number, patience?: LongPoll): Promise<ChangesPage>
}

export interface LongPoll {
  readonly milliseconds: number
  /** Ends the wait. */
  readonly signal: AbortSignal
}

export interface ChangesPage {
  readonly items: readonly ChangeItem[]
  /** The commit with which the next request continues. */
  readonly next: Oid
  /** Whether the next request gets more changes at once. */
  readonly more: boolean
}

export interface ChangeItem {
  readonly kind: Collection
  readonly id: Id
  readonly commit: Oid
  readonly time: Instant
  readonly change: FeedEntry['change']
  /** The newest revision that this commit undid: a user of git committed an edit of an older version. */
  readonly undoes?: UndoneVersion['undone']
  /** The version that the change made; undefined if the record is deleted now. */
  readonly state?: {
    readonly version: Version
    readonly author: string
    readonly schema?: SchemaReference
  }
}

export interface ChangesOptions {
  readonly catalog: Pick<Catalog, 'feed' | 'headChanges' | 'committed' | 'chain'>
  readonly transactions: Pick<Transactions, 'readCommitted'>
  readonly history: Pick<History, 'commit'>
  readonly undone: UndoneUpdates
}

export function openChanges(options: ChangesOptions): ChangesSince {
  const { catalog, history, undone } = options
  const { headChanges } = catalog
  const authorsOf = openCommitAuthors(history)

  async function itemsOf(
    entries: readonly FeedEntry[],
    client: Client | undefined,
  ): Promise<readonly ChangeItem[]> {
    const commits = new Set(entries.filter(({ gone }) => !gone).map(({ commit }) => commit))
    const authors = await authorsOf([...commits], client)
    const undoing = undone.all()
    return entries.map(({ kind, id, commit, time, change, version, schema, gone }) => {
      const readable = gone || version === undefined ? undefined : version
      const undid = undoing.find(each => each.commit === commit && each.kind === kind && each.id === id)
      return {
        kind,
        id,
        commit,
        time,
        change,
        ...(undid && { undoes: undid.undone }),
        ...(readable && {
          state: { version: readable, author: authors.get(commit) ?? '', ...(schema && { schema }) },
        }),
      }
    })
  }

  return {
    async read(caller, since, limit, patience) {
      const end = performance.now() + (patience?.milliseconds ?? 0)
      const readFeed = seesEverything(caller) ? readAll(options, limit) : readVisible(options, caller, limit)
      for (;;) {
        const { count } = headChanges
        const { entries, next, more } = await readFeed(since)
        const items = await itemsOf(entries, caller.client)
        const left = end - performance.now()
        if (!patience || items.length > 0 || more || left <= 0) return { items, next, more }
        const how = await headChanges.next(count, left, patience.signal)
        if (how === 'ended' && !patience.signal.aborted) {
          throw shuttingDown()
        }
        if (how !== 'changed') return { items, next, more }
        since = next
      }
    },
  }
}

/** Reads entries after a commit. */
type FeedReader = (since: Oid | undefined) => Promise<{
  readonly entries: readonly FeedEntry[]
  readonly next: Oid
  readonly more: boolean
}>

/** Reads the feed for a caller who may read everything. */
function readAll({ catalog, transactions }: ChangesOptions, limit: number): FeedReader {
  return since => transactions.readCommitted(() => catalog.feed.after(since, limit))
}

/**
 * Reads the feed for a caller who may read a part of it. Without readable changes `next` stays the same, so that the
 * caller does not learn of other commits, or how many there are.
 */
function readVisible(
  { catalog, transactions }: ChangesOptions,
  caller: Principal,
  limit: number,
): FeedReader {
  const { feed, committed, chain } = catalog
  let place: number | undefined
  return async since => {
    // An earlier read found nothing for this caller between `since` and `place`.
    let start = place ?? (await transactions.readCommitted(() => feed.startOf(since)))
    const entries: FeedEntry[] = []
    const pauses = openEventLoopPauses()
    for (let end = false; !end; ) {
      const wanted = Math.max(limit - entries.length, 1)
      const seen = feed.visibleAfter(start, wanted, visibilityOf(committed, caller))
      const known: FeedEntry[] = []
      for (const entry of seen.entries) {
        // `mayKnow` reads the record, which may be long.
        await pauses.ifDue()
        if (mayKnow(caller, entry)) known.push(entry)
      }
      const next = entries.at(-1)?.commit
      if (known.length > 0 && next !== undefined && entries.length >= limit)
        return { entries, next, more: true }
      entries.push(...known)
      start = seen.reached
      end = seen.end
      if (!end) await nextTurn()
    }
    if (entries.length === 0) place = start
    return { entries, next: entries.at(-1)?.commit ?? since ?? firstCommit(chain), more: false }
  }
}

/** The deletion of a record is shown to callers who could read it, because they may have copies. */
function mayKnow(caller: Principal, { gone, latest }: FeedEntry): boolean {
  const { record } = latest()
  return gone ? hasPermission(caller, record, 'READ') : isReadable(caller, record)
}
