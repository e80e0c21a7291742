import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { SchemaReference } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import {
  asVersion,
  type Id,
  type Instant,
  type Oid,
  toInstant,
  type Version,
} from '../../core/value-types.js'
import type { Connection } from '../database/sqlite-connection.js'
import { visibleSql } from '../lists/list-sql.js'

/** Good revisions in the order of history, in parts that begin behind a commit and end with one. */
export interface ChangeFeed {
  /**
   * The revisions of the commits after one; those of a commit are all in one part.
   * @param since undefined: from the first commit on
   * @param limit revisions of a part, except that the last commit is taken whole
   * @throws ProblemError `not-found` for a commit that is not on the served first-parent chain; `unavailable` where the
   *   catalog reflects none
   */
  after(since: Oid | undefined, limit: number): FeedPart
  /**
   * Where the revisions after a commit begin, for {@link ChangeFeed.visibleAfter}.
   * @throws ProblemError as {@link ChangeFeed.after}
   */
  startOf(since: Oid | undefined): number
  /**
   * The revisions a caller may know of, from a place on: of records it sees, and of those that are gone, whose last
   * state says who may know. Looks at a bounded number of others, so that nobody waits for long.
   * @param limit revisions, except that the last commit is taken whole
   */
  visibleAfter(start: number, limit: number, sight: Visibility): VisibleChanges
}

export interface VisibleChanges {
  readonly entries: readonly FeedEntry[]
  /** Where to go on. */
  readonly reached: number
  /** There is nothing behind it. */
  readonly end: boolean
}

export interface FeedPart {
  readonly entries: readonly FeedEntry[]
  /** The commit the next part begins behind. */
  readonly next: Oid
  /** There are commits with revisions behind it. */
  readonly more: boolean
}

export interface FeedEntry {
  readonly kind: Collection
  readonly id: Id
  readonly commit: Oid
  readonly time: Instant
  readonly change: 'created' | 'updated' | 'deleted'
  /** Undefined: it removes the record. */
  readonly version?: Version
  /** What the revision follows; of metadata. */
  readonly schema?: SchemaReference
  /** The record's directory is not in the tree now. */
  readonly gone: boolean
  /** The newest good state there is of the record, the last one where it is gone. */
  latest(): Revision
}

type EntryRow = readonly [
  rev: number,
  standing: number,
  kind: string,
  id: string,
  commit: string,
  time: number,
  version: number | null,
  sequence: number,
  schema: string | null,
  gone: number,
  good: number,
  since: number | null,
  removed: number,
]

/**
 * since: when the state began that was there before, removed: when the record was removed last before it; as positions
 * on the chain. Both are found at one end of a range of the index by version. A removal of what was not there, or was
 * never served, is nothing to tell of.
 */
const selectWhere = (condition: string) => `
  SELECT * FROM (
    SELECT r.rev, r.standing, c.kind, c.id, r.oid, r.time, r.version, r.sequence,
      json_extract(b.json, '$.schema'), c.gone, c.good,
      (SELECT p.sequence FROM revision p
       WHERE p.rid = r.rid AND p.standing = 1 AND p.version <= coalesce(r.version, ${Number.MAX_SAFE_INTEGER})
         AND p.sequence < r.sequence
       ORDER BY p.version DESC, p.sequence DESC LIMIT 1) AS since,
      coalesce((SELECT max(g.sequence) FROM revision g
       WHERE g.rid = r.rid AND g.standing = 2 AND g.version IS NULL AND g.sequence < r.sequence), 0) AS removed
    FROM revision r CROSS JOIN record c ON c.rid = r.rid LEFT JOIN body b ON b.body = r.body
    WHERE r.rev > ? AND r.rev <= ? AND r.standing > 0 AND ${condition})
  WHERE standing = 1 OR since > removed ORDER BY rev LIMIT ?`

/** Revisions looked at in one go for a caller who may know of few of them. */
const longestLook = 20_000

export function openChangeFeed(connection: Connection, revision: (rev: number) => Revision): ChangeFeed {
  const sql = {
    head: connection.prepare<readonly [head: string | null, last: number]>(
      'SELECT head, (SELECT coalesce(max(rev), 0) FROM revision) FROM state',
    ),
    position: connection.prepare<readonly [rev: number]>('SELECT rev FROM chain WHERE oid = ?'),
    end: connection.prepare<readonly [commit: string, rev: number]>(
      'SELECT oid, rev FROM chain WHERE sequence = ?',
    ),
    entries: connection.prepare<EntryRow>(selectWhere('1')),
  }

  function startOf(since: Oid | undefined): number {
    if (since === undefined) return 0
    const found = sql.position.get(since)
    if (found) return found[0]
    throw new ProblemError(
      'not-found',
      `The history that is served has no commit ${since} to continue from. Begin again without since, and compare with what you have.`,
    )
  }

  function rowsAfter(
    start: number,
    limit: number,
  ): { rows: readonly EntryRow[] } & Omit<FeedPart, 'entries'> {
    const [head, last] = sql.head.get() ?? [null, 0]
    if (head === null) {
      throw new ProblemError('unavailable', 'The history is still being read. Try again.', { retryAfter: 2 })
    }
    const rows = sql.entries.all(start, last, limit)
    const [rev, , , , , , , sequence] = rows[limit - 1] ?? []
    const end = rev === undefined || sequence === undefined ? undefined : sql.end.get(sequence)
    if (rev === undefined || !end) return { rows, next: head as Oid, more: false }
    const rest = end[1] > rev ? sql.entries.all(rev, end[1], -1) : []
    const isLast = end[1] >= last
    return { rows: [...rows, ...rest], next: (isLast ? head : end[0]) as Oid, more: !isLast }
  }

  function seenAfter(start: number, limit: number, sight: Visibility): VisibleChanges {
    const [, last] = sql.head.get() ?? [null, 0]
    const { sql: condition, values } = visibleSql(sight, 'c') ?? { sql: '1', values: [] }
    const entries = connection.prepare<EntryRow>(selectWhere(`(c.gone = 1 OR ${condition})`))
    const upto = Math.min(last, start + longestLook)
    const rows = entries.all(start, upto, ...values, limit)
    const [rev, , , , , , , sequence] = rows[limit - 1] ?? []
    if (rev === undefined || sequence === undefined) {
      return { entries: rows.map(row => entryOf(row, revision)), reached: upto, end: upto >= last }
    }
    const end = sql.end.get(sequence)?.[1] ?? rev
    const rest = end > rev ? entries.all(rev, end, ...values, -1) : []
    return {
      entries: [...rows, ...rest].map(row => entryOf(row, revision)),
      reached: end,
      end: end >= last,
    }
  }

  return {
    startOf,
    visibleAfter: (start, limit, sight) =>
      connection.transaction('DEFERRED', () => seenAfter(start, limit, sight)),

    after(since, limit) {
      const { rows, ...part } = connection.transaction('DEFERRED', () => rowsAfter(startOf(since), limit))
      return { entries: rows.map(row => entryOf(row, revision)), ...part }
    },
  }
}

function entryOf(row: EntryRow, revision: (rev: number) => Revision): FeedEntry {
  const [, standing, kind, id, commit, time, version, , schema, gone, good, since, removed] = row
  const isNew = since === null || since < removed
  return {
    kind: kind as Collection,
    id: id as Id,
    commit: commit as Oid,
    time: toInstant(time),
    change: standing === 2 ? 'deleted' : isNew ? 'created' : 'updated',
    ...(standing === 1 && version !== null && { version: asVersion(version) }),
    ...(standing === 1 && schema !== null && { schema: JSON.parse(schema) as SchemaReference }),
    gone: gone === 1,
    latest: () => revision(good),
  }
}
