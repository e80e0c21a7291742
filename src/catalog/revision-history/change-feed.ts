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
import type { Connection, SqlRow, Statement } from '../database/sqlite-connection.js'
import { type SqlQuery, visibleSql } from '../lists/list-sql.js'

/** Valid revisions in the order of history, in parts. A part contains all revisions of its commits. */
export interface ChangeFeed {
  /**
   * The revisions of the commits after `since`.
   * @param since undefined: from the first commit
   * @param limit number of revisions; the part has more if the last commit does
   * @throws ProblemError `not-found` for a commit that is not on the served first-parent chain; `unavailable` if the
   *   catalog is empty
   */
  after(since: Oid | undefined, limit: number): FeedPart
  /**
   * The argument `start` of {@link ChangeFeed.visibleAfter} for the revisions after a commit.
   * @throws ProblemError as {@link ChangeFeed.after}
   */
  startOf(since: Oid | undefined): number
  /**
   * The revisions of records that the caller sees, and of all removed records: whether the caller may see one of these
   * follows from its last valid revision. Reads a limited number of revisions, so a part may be short or empty before
   * the end.
   * @param limit number of revisions; the part has more if the last commit does
   */
  visibleAfter(start: number, limit: number, visibility: Visibility, filter?: FeedFilter): VisibleChanges
  /**
   * The argument `start` of {@link ChangeFeed.visibleBefore} for the revisions before a commit.
   * @param before undefined: from the newest revision
   * @throws ProblemError as {@link ChangeFeed.after}
   */
  endOf(before: Oid | undefined): number
  /** As {@link ChangeFeed.visibleAfter}, newest first. */
  visibleBefore(start: number, limit: number, visibility: Visibility, filter?: FeedFilter): VisibleChanges
}

/** Restricts a feed. */
export interface FeedFilter {
  readonly kind?: Collection
  /** Revisions of this schema, and those of metadata that followed it and are not removed. */
  readonly schemaId?: string
}

export interface VisibleChanges {
  readonly entries: readonly FeedEntry[]
  /** The start of the next part. */
  readonly reached: number
  /** Whether there are no further revisions. */
  readonly end: boolean
}

interface FeedPart {
  readonly entries: readonly FeedEntry[]
  /** The last commit of this part, after which the next part begins. */
  readonly next: Oid
  /** Whether there are later revisions. */
  readonly more: boolean
}

export interface FeedEntry {
  readonly kind: Collection
  readonly id: Id
  readonly commit: Oid
  readonly time: Instant
  readonly change: 'created' | 'updated' | 'deleted'
  /** The record was removed before, and is created again. */
  readonly isAgain?: true
  /** Undefined for a removal. */
  readonly version?: Version
  /** The schema version that the revision follows; undefined for schemas. */
  readonly schema?: SchemaReference
  /** Whether the record is GONE now. */
  readonly gone: boolean
  /** The newest valid revision of the record that is no removal. */
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
 * since: position, on the chain, of the previous valid revision; removed: position of the last removal before the
 * revision. Both are at an end of a range of the index by version. Leaves out removals of records that were not served.
 */
const selectWhere = (condition: string, direction: 'ASC' | 'DESC' = 'ASC') => `
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
  WHERE standing = 1 OR since > removed ORDER BY rev ${direction} LIMIT ?`

/** Limit of the revisions that one part reads for a caller who sees few of them. */
const maxRevisionsRead = 20_000

function feedSql(connection: Connection) {
  return {
    head: connection.prepare<readonly [head: string | null, last: number]>(
      'SELECT head, (SELECT coalesce(max(rev), 0) FROM revision) FROM state',
    ),
    position: connection.prepare<readonly [rev: number]>('SELECT rev FROM chain WHERE oid = ?'),
    end: connection.prepare<readonly [commit: string, rev: number]>(
      'SELECT oid, rev FROM chain WHERE sequence = ?',
    ),
    before: connection.prepare<readonly [rev: number]>(
      `SELECT coalesce((SELECT p.rev FROM chain p WHERE p.sequence = c.sequence - 1), 0) FROM chain c WHERE c.oid = ?`,
    ),
    entries: connection.prepare<EntryRow>(selectWhere('1')),
  }
}

export function openChangeFeed(connection: Connection, revision: (rev: number) => Revision): ChangeFeed {
  const sql = feedSql(connection)

  function startOf(since: Oid | undefined): number {
    if (since === undefined) return 0
    const found = sql.position.get(since)
    if (found) return found[0]
    throw unknownCommit(since, 'since')
  }

  function endOf(before: Oid | undefined): number {
    const [head, last] = sql.head.get() ?? [null, 0]
    if (head === null) throw stillReading()
    if (before === undefined) return last
    const found = sql.before.get(before)
    if (found) return found[0]
    throw unknownCommit(before, 'before')
  }

  /** `limit` rows after `start`, with all rows of their last commit, and its `end`; no `end` for fewer rows. */
  function wholeCommits(
    statement: Statement<EntryRow>,
    start: number,
    upTo: number,
    values: SqlRow,
    limit: number,
  ) {
    const rows = statement.all(start, upTo, ...values, limit)
    const [rev, , , , , , , sequence] = rows[limit - 1] ?? []
    const end = sequence === undefined ? undefined : sql.end.get(sequence)
    if (rev === undefined || !end) return { rows }
    const rest = end[1] > rev ? statement.all(rev, end[1], ...values, -1) : []
    return { rows: [...rows, ...rest], end }
  }

  function rowsAfter(start: number, limit: number) {
    const [head, last] = sql.head.get() ?? [null, 0]
    if (head === null) throw stillReading()
    const { rows, end } = wholeCommits(sql.entries, start, last, [], limit)
    const more = end !== undefined && end[1] < last
    return { rows, next: (more ? end[0] : head) as Oid, more }
  }

  function visibleAfter(
    start: number,
    limit: number,
    visibility: Visibility,
    filter?: FeedFilter,
  ): VisibleChanges {
    const [, last] = sql.head.get() ?? [null, 0]
    const { sql: condition, values } = conditionOf(visibility, filter)
    const statement = connection.prepare<EntryRow>(selectWhere(condition))
    const upTo = Math.min(last, start + maxRevisionsRead)
    const { rows, end } = wholeCommits(statement, start, upTo, values, limit)
    const reached = end?.[1] ?? upTo
    return visibleOf(rows, reached, reached >= last)
  }

  function visibleBefore(
    start: number,
    limit: number,
    visibility: Visibility,
    filter?: FeedFilter,
  ): VisibleChanges {
    const { sql: condition, values } = conditionOf(visibility, filter)
    const statement = connection.prepare<EntryRow>(selectWhere(condition, 'DESC'))
    const from = Math.max(0, start - maxRevisionsRead)
    const rows = statement.all(from, start, ...values, limit)
    const [rev, , , , commit] = rows[limit - 1] ?? []
    if (rev === undefined || commit === undefined) return visibleOf(rows, from, from === 0)
    // The part ends with the whole commit.
    const reached = sql.before.get(commit)?.[0] ?? 0
    const rest = statement.all(reached, rev - 1, ...values, -1)
    return visibleOf([...rows, ...rest], reached, reached === 0)
  }

  const visibleOf = (rows: readonly EntryRow[], reached: number, end: boolean): VisibleChanges => ({
    entries: rows.map(row => entryOf(row, revision)),
    reached,
    end,
  })

  return {
    startOf,
    endOf,
    visibleAfter: (...query) => connection.transaction('DEFERRED', () => visibleAfter(...query)),
    visibleBefore: (...query) => connection.transaction('DEFERRED', () => visibleBefore(...query)),

    after(since, limit) {
      const { rows, ...part } = connection.transaction('DEFERRED', () => rowsAfter(startOf(since), limit))
      return { entries: rows.map(row => entryOf(row, revision)), ...part }
    },
  }
}

/** The condition on a revision `r` of the record `c` with the body `b`. */
function conditionOf(visibility: Visibility, { kind, schemaId }: FeedFilter = {}): SqlQuery {
  const seen = visibleSql(visibility, 'c')
  const conditions: readonly SqlQuery[] = [
    ...(visibility.readableBy ? [{ sql: `(c.gone = 1 OR ${seen.sql})`, values: seen.values }] : []),
    ...(kind === undefined ? [] : [{ sql: 'c.kind = ?', values: [kind] }]),
    ...(schemaId === undefined
      ? []
      : [
          {
            sql: `((c.kind = 'schema' AND c.id = ?) OR (c.gone = 0 AND json_extract(b.json, '$.schema.schemaId') = ?))`,
            values: [schemaId, schemaId],
          },
        ]),
  ]
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND ') || '1',
    values: conditions.flatMap(({ values }) => values),
  }
}

function stillReading(): ProblemError {
  return new ProblemError('unavailable', 'The history is still being read. Try again.', { retryAfter: 2 })
}

function unknownCommit(commit: Oid, parameter: 'since' | 'before'): ProblemError {
  return new ProblemError(
    'not-found',
    `The history that is served has no commit ${commit} to continue from. Begin again without ${parameter}, and compare with what you have.`,
  )
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
    ...(standing === 1 && isNew && removed > 0 && { isAgain: true }),
    ...(standing === 1 && version !== null && { version: asVersion(version) }),
    ...(standing === 1 && schema !== null && { schema: JSON.parse(schema) as SchemaReference }),
    gone: gone === 1,
    latest: () => revision(good),
  }
}
