import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Catalog } from '../../catalog/catalog.js'
import type { FeedEntry } from '../../catalog/revision-history/change-feed.js'
import type { FirstParentChain } from '../../catalog/revision-history/first-parent-chain.js'
import { type Client, hasPermission, type Principal, seesEverything } from '../../core/access-control.js'
import { ProblemError, shuttingDown } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { SchemaReference } from '../../core/records/record.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { openOneAtATime } from '../../core/scheduling/one-at-a-time.js'
import type { Id, Instant, Oid, Version } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import type { UndoneBook, UndoneVersion } from '../git/report-undone-updates.js'
import { isReadable } from '../rules/visibility.js'
import { visibilityOf } from '../rules/visible-lists.js'
import type { Transactions } from '../updates/submit-update.js'

/** The revisions of all records in the order of history, for whoever keeps up with them. */
export interface ChangesSince {
  /**
   * What came after a commit. What the caller may not read is left out, and so is that it is there.
   * @param since undefined: from the beginning
   * @param limit revisions, except that those of one commit come together
   * @param patience for how long to wait where there is nothing to look at; absent: not at all
   * @throws ProblemError `not-found` for a commit the served history does not have; `unavailable`
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
  /** The commit to continue behind. */
  readonly next: Oid
  /** There is more at once. */
  readonly more: boolean
}

export interface ChangeItem {
  readonly kind: Collection
  readonly id: Id
  readonly commit: Oid
  readonly time: Instant
  readonly change: FeedEntry['change']
  /** The newest state that it undid: it was made with plain git of an edit that was based on an older version. */
  readonly undoes?: UndoneVersion['undone']
  /** What can be read of it; undefined where the record is, or has been, deleted. */
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
  readonly undone: UndoneBook
}

/** Authors of commits that are remembered. */
const mostAuthors = 10_000
/** Commits that are read at once. */
const readTogether = 100

export function openChanges({ catalog, transactions, history, undone }: ChangesOptions): ChangesSince {
  const { feed, headChanges, committed, chain } = catalog

  const known = new LRUCache<Oid, string>({ max: mostAuthors })
  const inTurn = openOneAtATime()

  /** Reads the authors of commits in groups, one at a time: reads of others wait for one group at most. */
  async function authorsOf(
    commits: readonly Oid[],
    client: Client | undefined,
  ): Promise<ReadonlyMap<Oid, string>> {
    const authors = new Map<Oid, string>()
    const read = async (commit: Oid) => {
      const author = known.get(commit) ?? (await history.commit(commit)).authorName
      known.set(commit, author)
      authors.set(commit, author)
    }
    const unread: Oid[] = []
    for (const commit of commits) {
      const author = known.get(commit)
      if (author === undefined) unread.push(commit)
      else authors.set(commit, author)
    }
    for (let at = 0; at < unread.length; at += readTogether) {
      const job = () => Promise.all(unread.slice(at, at + readTogether).map(read))
      await (client ? inTurn(job, client) : job())
    }
    return authors
  }

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

  /** What there is for whoever may know of everything. */
  function whole(limit: number): Look {
    return since => transactions.readCommitted(() => feed.after(since, limit))
  }

  /**
   * What there is for a caller who may know of a part. Where there is nothing, `next` stays as it was: a commit of
   * others, and how many there are, are none of the caller's business either.
   */
  function partly(caller: Principal, limit: number): Look {
    let place: number | undefined
    return async since => {
      // What was looked at before has nothing for this caller.
      let start = place ?? (await transactions.readCommitted(() => feed.startOf(since)))
      const entries: FeedEntry[] = []
      const pauses = openEventLoopPauses()
      for (let end = false; !end; ) {
        const wanted = Math.max(limit - entries.length, 1)
        const seen = feed.visibleAfter(start, wanted, visibilityOf(committed, caller))
        const known: FeedEntry[] = []
        for (const entry of seen.entries) {
          // The record is read, which may be long.
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

  return {
    async read(caller, since, limit, patience) {
      const end = performance.now() + (patience?.milliseconds ?? 0)
      const look = seesEverything(caller) ? whole(limit) : partly(caller, limit)
      for (;;) {
        const { count } = headChanges
        const { entries, next, more } = await look(since)
        const items = await itemsOf(entries, caller.client)
        const left = end - performance.now()
        if (!patience || items.length > 0 || more || left <= 0) return { items, next, more }
        const how = await headChanges.next(count, left, patience.signal)
        if (how === 'over' && !patience.signal.aborted) {
          throw shuttingDown()
        }
        if (how !== 'moved') return { items, next, more }
        since = next
      }
    },
  }
}

/** Looks for entries behind a commit. */
type Look = (since: Oid | undefined) => Promise<{
  readonly entries: readonly FeedEntry[]
  readonly next: Oid
  readonly more: boolean
}>

/** Where a reader of the feed begins. */
function firstCommit(chain: Pick<FirstParentChain, 'first'>): Oid {
  const first = chain.first()
  if (first !== undefined) return first
  throw new ProblemError('unavailable', 'The history is still being read. Try again.', { retryAfter: 2 })
}

/** Of a record that is deleted knows who could read it, for they may have kept it. */
function mayKnow(caller: Principal, { gone, latest }: FeedEntry): boolean {
  const { record } = latest()
  return gone ? hasPermission(caller, record, 'READ') : isReadable(caller, record)
}
