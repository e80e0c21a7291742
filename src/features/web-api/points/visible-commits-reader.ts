import { visibleSql } from '../../../catalog/lists/list-sql.js'
import type { OpenRowReader } from '../../../catalog/read/row-readers.js'
import type { Visibility } from '../../../core/records/list-query.js'
import { type Instant, type Oid, toInstant } from '../../../core/value-types.js'

/** Points of the served history, for a caller who does not see everything. */
export interface VisibleCommitsQuery {
  readonly commits: readonly Oid[]
  readonly visibility: Visibility
}

/** The last commit up to a point that changed a record which the caller sees. Later commits must not be revealed. */
export interface VisibleCommit {
  readonly commit: Oid
  readonly time: Instant
}

/** The visible commit of each point; undefined if there is none, or the point is not in the served history. */
export type VisibleCommits = readonly (VisibleCommit | undefined)[]

/** Finds the commits of points for a caller. It is the script of a reader of the catalog. */
export const openReader: OpenRowReader<VisibleCommitsQuery, VisibleCommits> = ({ connection, snapshot }) => {
  const position = connection.prepare<readonly [rev: number]>('SELECT rev FROM chain WHERE oid = ?')

  function find({ commits, visibility }: VisibleCommitsQuery): VisibleCommits {
    const { sql, values } = visibleSql(visibility, 'c')
    const newest = connection.prepare<readonly [oid: string, time: number]>(
      `SELECT r.oid, r.time FROM revision r CROSS JOIN record c ON c.rid = r.rid
       WHERE r.rev > ? AND r.rev <= ? AND ${sql} ORDER BY r.rev DESC LIMIT 1`,
    )
    const places = commits.map(commit => position.get(commit)?.[0])
    const found = new Map<number, VisibleCommit | undefined>()
    // From the oldest on: what is visible up to a point is read once, however many points there are.
    let before = 0
    let known: VisibleCommit | undefined
    for (const place of [...new Set(places)].filter(each => each !== undefined).sort((a, b) => a - b)) {
      const row = newest.get(before, place, ...values)
      if (row) known = { commit: row[0] as Oid, time: toInstant(row[1]) }
      found.set(place, known)
      before = place
    }
    return places.map(place => (place === undefined ? undefined : found.get(place)))
  }

  return query => snapshot(() => find(query))
}
