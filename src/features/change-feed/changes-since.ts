import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Catalog } from '../../catalog/catalog.js'
import type { ChangeFeed, FeedEntry, FeedFilter } from '../../catalog/revision-history/change-feed.js'
import type { CoreParts } from '../../compose/compose.js'
import { type Client, hasPermission, type Principal, seesEverything } from '../../core/access-control.js'
import { shuttingDown } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { SchemaReference } from '../../core/records/record.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id, Instant, Oid, Version } from '../../core/value-types.js'
import { findIfReadable } from '../../service/access/find-record.js'
import { visibilityOf } from '../../service/access/visible-lists.js'
import { openUndoneUpdates, type UndoneVersion } from '../../service/manual-edits/report-undone-updates.js'
import { firstCommit } from '../../service/points/resolve-point.js'
import { type CommitFacts, openCommitFacts } from '../../service/record-history/record-log.js'
import { isReadable } from '../../service/rules/record-rules.js'

/** The feed of changes: the revisions of all records in the order of history. */
export interface ChangesSince {
  /**
   * The changes after a commit. Changes that the caller may not read are left out without a trace.
   * @param since undefined: from the beginning
   * @param limit number of revisions; the revisions of the last commit are complete even if they exceed it
   * @param patience how long to wait for changes if there are none; undefined: no wait
   * @throws ProblemError `not-found` for a commit outside the served history; `unavailable`
   */
  read(
    caller: Principal,
    since: Oid | undefined,
    limit: number,
    patience?: LongPoll,
    filter?: ChangeFilter,
  ): Promise<ChangesPage>
  /**
   * The changes before a commit, newest first. Otherwise as {@link read}.
   * @param before undefined: from the newest change
   * @param upTo without `before`: the commit whose changes are the newest; undefined: the served one
   */
  readBack(
    caller: Principal,
    before: Oid | undefined,
    limit: number,
    filter?: ChangeFilter,
    upTo?: Oid,
  ): Promise<ChangesPage>
}

/** Restricts the feed to some changes. It is about what the feed tells of them. */
export interface ChangeFilter extends Pick<FeedFilter, 'kind'> {
  /** Any name of a schema: its changes, and those of metadata that followed it. Deletions do not tell the schema. */
  readonly schemaId?: string
  /** Name of the author of the commit. Earlier changes of deleted records do not tell the author. */
  readonly author?: string
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
  /** Name of the author of a deletion. */
  readonly deletedBy?: string
  /** The version that the change made; undefined if the record is deleted now. */
  readonly state?: CommitFacts & { readonly version: Version; readonly schema?: SchemaReference }
}

type ChangesParts = Pick<CoreParts, 'catalog' | 'transactions' | 'repository'>

const unknown: CommitFacts = { author: '', message: '' }

export function openChanges(parts: ChangesParts): ChangesSince {
  const { catalog, repository } = parts
  const { headChanges } = catalog
  const factsOf = openCommitFacts(repository.history)
  const undone = openUndoneUpdates(repository.ownDir, catalog.neighbours, catalog.head)

  async function itemsOf(
    entries: readonly FeedEntry[],
    client: Client | undefined,
  ): Promise<readonly ChangeItem[]> {
    const commits = new Set(entries.filter(tellsAuthor).map(({ commit }) => commit))
    const facts = await factsOf([...commits], client)
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
        ...(change === 'deleted' && { deletedBy: facts.get(commit)?.author ?? '' }),
        ...(readable && {
          state: { version: readable, ...(facts.get(commit) ?? unknown), ...(schema && { schema }) },
        }),
      }
    })
  }

  return {
    async readBack(caller, before, limit, filter = {}, upTo) {
      const { feed } = catalog
      const back: FeedDirection = {
        startOf: commit => (commit === undefined && upTo ? feed.startOf(upTo) : feed.endOf(commit)),
        part: feed.visibleBefore,
      }
      const { entries, next, more } = await readVisible(parts, back, caller, limit, filter, factsOf)(before)
      return { items: await itemsOf(entries, caller.client), next, more }
    },

    async read(caller, since, limit, patience, filter = {}) {
      const end = performance.now() + (patience?.milliseconds ?? 0)
      const { feed } = catalog
      const forward = { startOf: feed.startOf, part: feed.visibleAfter }
      const isWhole = seesEverything(caller) && Object.keys(filter).length === 0
      const readFeed = isWhole
        ? readAll(parts, limit)
        : readVisible(parts, forward, caller, limit, filter, factsOf)
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
function readAll({ catalog, transactions }: ChangesParts, limit: number): FeedReader {
  return since => transactions.readCommitted(() => catalog.feed.after(since, limit))
}

/** The feed in one direction. */
interface FeedDirection {
  startOf(commit: Oid | undefined): number
  readonly part: ChangeFeed['visibleAfter']
}

/** Limit of the changes of one request whose authors are compared. */
const maxCompared = 2000
/** Number of changes whose authors are compared at once. */
const comparedAtOnce = 200

/**
 * Reads the feed for a caller who may read a part of it, or with a filter. Without readable changes `next` stays the
 * same, so that the caller does not learn of other commits, or how many there are.
 */
function readVisible(
  { catalog, transactions }: ChangesParts,
  { startOf, part }: FeedDirection,
  caller: Principal,
  limit: number,
  { author, ...named }: ChangeFilter,
  factsOf: ReturnType<typeof openCommitFacts>,
): FeedReader {
  const { committed, chain } = catalog
  const isAll = seesEverything(caller)
  let place: number | undefined

  /** Those of the entries that the author made, as far as the feed tells it. */
  async function ofAuthor(entries: readonly FeedEntry[]): Promise<readonly FeedEntry[]> {
    if (author === undefined) return entries
    const told = entries.filter(tellsAuthor)
    const facts = await factsOf([...new Set(told.map(({ commit }) => commit))], caller.client)
    return told.filter(({ commit }) => facts.get(commit)?.author === author)
  }

  return async from => {
    const filter = filterOf(committed, caller, named)
    // An earlier read found nothing for this caller between `from` and `place`.
    let start = place ?? (await transactions.readCommitted(() => startOf(from)))
    const entries: FeedEntry[] = []
    const pauses = openEventLoopPauses()
    let compared = 0
    /** The last commit that the caller knows, whether the filter shows it or not. */
    let known: Oid | undefined
    for (let end = false; !end; ) {
      const missing = Math.max(limit - entries.length, 1)
      const wanted = author === undefined ? missing : comparedAtOnce
      const seen = part(start, wanted, visibilityOf(committed, caller), filter)
      const readable: FeedEntry[] = []
      for (const entry of seen.entries) {
        // `mayKnow` reads the record, which may be long.
        await pauses.ifDue()
        if (isAll || mayKnow(caller, entry)) readable.push(entry)
      }
      const found = await ofAuthor(readable)
      if (found.length > 0 && entries.length >= limit)
        return { entries, next: known ?? firstCommit(chain), more: true }
      if (author !== undefined && entries.length + found.length > limit) {
        const cut = wholeCommits(found, missing)
        entries.push(...cut)
        const more = cut.length < found.length || !seen.end
        return { entries, next: (cut.at(-1) as FeedEntry).commit, more }
      }
      entries.push(...found)
      known = readable.at(-1)?.commit ?? known
      start = seen.reached
      end = seen.end
      compared += author === undefined ? 0 : readable.length
      const isLong = compared >= maxCompared && seen.entries.length >= wanted
      if (isLong && !end && known !== undefined) return { entries, next: known, more: true }
      if (!end) await nextTurn()
    }
    if (entries.length === 0) place = start
    return { entries, next: known ?? from ?? firstCommit(chain), more: false }
  }
}

/** The first entries, at least `count`, up to the end of a commit. */
function wholeCommits(entries: readonly FeedEntry[], count: number): readonly FeedEntry[] {
  const last = entries[count - 1]?.commit
  const end = entries.findIndex(({ commit }, index) => index >= count && commit !== last)
  return end < 0 ? entries : entries.slice(0, end)
}

/** Only callers who may read a schema learn that a name belongs to it. */
function filterOf(
  committed: Catalog['committed'],
  caller: Principal,
  { kind, schemaId }: ChangeFilter,
): FeedFilter {
  const id = schemaId && (findIfReadable(committed, caller, 'schema', schemaId)?.id ?? schemaId)
  return { ...(kind && { kind }), ...(id !== undefined && { schemaId: id }) }
}

/** Whether the feed tells the author: of what can be read, and of a deletion. */
function tellsAuthor({ gone, version, change }: FeedEntry): boolean {
  return change === 'deleted' || (!gone && version !== undefined)
}

/** The deletion of a record is shown to callers who could read it, because they may have copies. */
function mayKnow(caller: Principal, { gone, latest }: FeedEntry): boolean {
  const { record } = latest()
  return gone ? hasPermission(caller, record, 'READ') : isReadable(caller, record)
}
