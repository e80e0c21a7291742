import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Instant, Oid } from '../../core/value-types.js'
import type { Connection, SqlRow } from '../database/sqlite-connection.js'

/** Valid revisions of all records in the order of history, up to the moment at which the cursor was opened. */
export interface RevisionCursors {
  /**
   * Begins to read the revisions.
   * @param all false: of records that are not GONE, the newest revision of metadata, and all revisions of schemas
   */
  open(all: boolean): RevisionCursor
}

export interface RevisionCursor {
  readonly total: number
  /**
   * Reads the revisions one after the other, each once.
   * @param kind restricts the entries to one kind
   * @throws ProblemError `unavailable` if the catalog was rebuilt meanwhile
   */
  entries(kind?: Collection): Generator<HistoryRevision>
}

export interface HistoryRevision {
  readonly kind: Collection
  readonly id: Id
  /** Position of the revision among the valid ones of its record, from 1. */
  readonly number: number
  readonly commit: Oid
  readonly time: Instant
  /** Undefined for a removal. */
  readonly revision?: Revision
}

/** Limit of the revisions that one statement reads. */
const rowsPerStatement = 256

type EntryRow = readonly [
  rev: number,
  standing: number,
  kind: string,
  id: string,
  commit: string,
  time: number,
  number: number,
]

/**
 * Rows of `revision` are only added, in the order of history, so the rows up to a number never change.
 * The parameter of each condition is the number of the last row.
 */
const everything = 'r.standing > 0 AND c.id IS NOT NULL AND r.rev <= ?1'
/** The revision is no removal. No valid revision follows; for schemas, valid revisions may follow, but no removal. */
const currentOnly = `${everything} AND r.standing = 1 AND NOT EXISTS (
    SELECT 1 FROM revision o WHERE o.rid = r.rid AND o.standing > iif(c.kind = 'schema', 1, 0)
    AND o.rev > r.rev AND o.rev <= ?1)`

export function openRevisionCursors(
  connection: Connection,
  revision: (rev: number) => Revision,
): RevisionCursors {
  const state = connection.prepare<readonly [identity: string, last: number]>(
    'SELECT identity, (SELECT coalesce(max(rev), 0) FROM revision) FROM state',
  )
  const from = 'FROM revision r CROSS JOIN record c ON c.rid = r.rid'
  const select = `SELECT r.rev, r.standing, c.kind, c.id, r.oid, r.time,
      (SELECT count(*) FROM revision o WHERE o.rid = r.rid AND o.standing > 0 AND o.rev <= r.rev) ${from}`
  const queries = (condition: string) => ({
    count: connection.prepare<readonly [number]>(`SELECT count(*) ${from} WHERE ${condition}`),
    page: connection.prepare<EntryRow>(
      `${select} WHERE r.rev > ?2 AND c.kind IN (?3, ?4) AND ${condition} ORDER BY r.rev LIMIT ${rowsPerStatement}`,
    ),
  })
  const sql = { all: queries(everything), newest: queries(currentOnly) }

  return {
    open(all) {
      const { count, page } = all ? sql.all : sql.newest
      const [identity, last] = state.get() ?? ['', 0]

      /** The next entries after the row number `after`, and the row number of the last of them. */
      function next(after: number, kinds: readonly [Collection, Collection]) {
        return connection.transaction('DEFERRED', () => {
          if (state.get()?.[0] !== identity) {
            throw new ProblemError('unavailable', 'The catalog was rebuilt meanwhile. Begin again.')
          }
          const rows = page.all(...([last, after, ...kinds] satisfies SqlRow))
          const entries = rows.map(
            ([rev, standing, kind, id, commit, time, number]): HistoryRevision => ({
              kind: kind as Collection,
              id: id as Id,
              number,
              commit: commit as Oid,
              time: time as Instant,
              ...(standing === 1 && { revision: revision(rev) }),
            }),
          )
          return { entries, last: rows.at(-1)?.[0] }
        })
      }

      return {
        total: count.get(last)?.[0] ?? 0,
        *entries(kind) {
          const kinds = [kind ?? 'schema', kind ?? 'metadata'] as const
          for (let after: number | undefined = 0; after !== undefined; ) {
            const page: ReturnType<typeof next> = next(after, kinds)
            yield* page.entries
            after = page.last
          }
        },
      }
    },
  }
}
