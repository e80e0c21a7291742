import type { Connection } from '../../catalog/database/sqlite-connection.js'
import { openAudiences } from '../../catalog/write/served-state-rows.js'
import { recordFromText } from '../../store/records/record-json.js'
import type { SetNumber } from '../harvesting/rows/membership-sql.js'

/** What decides which revisions are in a set. A set with another definition is another set. */
export interface SetDefinition {
  /** The name of the set. */
  readonly spec: string
  readonly definition: string
}

/** How far the history was compared with a set. */
export interface SetProgress {
  /** The row of the last revision that was compared with it. */
  readonly through: number
  /**
   * The next revision changes what a schema says about its documents, and they were compared again up to this record. 0: none
   * was.
   */
  readonly done: number
}

export interface ComparedSet extends SetDefinition, SetProgress {
  readonly number: SetNumber
}

/** The rows of the sets that stored searches define. */
export interface StoredSetRows {
  sets(): readonly ComparedSet[]
  /** Adds sets, and removes those that are not among the wanted ones. The caller has opened a transaction. */
  define(wanted: readonly SetDefinition[]): void
  /** Deletes some rows of a removed set, in a transaction of the caller. @returns false if there was no removed set */
  deleteRemoved(): boolean
  setProgress(number: SetNumber, progress: SetProgress): void
}

/** Limit of the rows that are deleted at once, because other writers wait meanwhile. */
const maxDeletedRows = 2000

/** Prepares the statements for the rows. @param connection for writing */
export function openStoredSetRows(connection: Connection): StoredSetRows {
  const sql = {
    sets: connection.prepare<
      readonly [number: number, spec: string, definition: string, through: number, done: number]
    >(
      'SELECT number, spec, definition, through, done FROM stored_set WHERE spec IS NOT NULL ORDER BY number',
    ),
    add: connection.prepare('INSERT INTO stored_set VALUES (NULL, ?, ?, 0, 0)'),
    remove: connection.prepare('UPDATE stored_set SET spec = NULL WHERE number = ?'),
    removed: connection.prepare<readonly [number: number]>(
      'SELECT number FROM stored_set WHERE spec IS NULL LIMIT 1',
    ),
    deleteSet: connection.prepare('DELETE FROM stored_set WHERE number = ?'),
    setProgress: connection.prepare('UPDATE stored_set SET through = ?, done = ? WHERE number = ?'),
    /** The tables with rows of sets, each with the statements that read and delete some of them. */
    tables: (
      [
        ['membership', 'first'],
        ['departure', 'rev'],
        ['arrival', 'rev'],
      ] as const
    ).map(([table, rev]) => ({
      rows: connection.prepare<readonly [rid: number, rev: number]>(
        `SELECT rid, ${rev} FROM ${table} WHERE number = ? LIMIT ?`,
      ),
      delete: connection.prepare(`DELETE FROM ${table} WHERE number = ? AND rid = ? AND ${rev} = ?`),
    })),
  }

  const sets = () =>
    sql.sets
      .all()
      .map(([number, spec, definition, through, done]) => ({ number, spec, definition, through, done }))

  return {
    sets,
    define(wanted) {
      const known = sets()
      const isOne = (one: SetDefinition) => (other: SetDefinition) =>
        one.spec === other.spec && one.definition === other.definition
      for (const set of known) if (!wanted.some(isOne(set))) sql.remove.run(set.number)
      for (const set of wanted) if (!known.some(isOne(set))) sql.add.run(set.spec, set.definition)
    },
    deleteRemoved() {
      const [number] = sql.removed.get() ?? []
      if (number === undefined) return false
      for (const table of sql.tables) {
        const rows = table.rows.all(number, maxDeletedRows)
        for (const [rid, rev] of rows) table.delete.run(number, rid, rev)
        if (rows.length > 0) return true
      }
      sql.deleteSet.run(number)
      return true
    },
    setProgress: (number, { through, done }) => sql.setProgress.run(through, done, number),
  }
}

/** A valid revision of metadata, or the state of metadata whose schema says something else. */
interface ComparedRevision {
  /** The row of the revision of the record; if the schema says something else, of its revision. */
  readonly rev: number
  readonly rid: number
  readonly change: 'stored' | 'removed' | 'schema'
}

/** The rows that say which records are in stored sets, and when harvesters lost one of them. */
export interface MembershipRows {
  /**
   * Updates the rows of a set for the next revision of a record. The caller has opened a transaction.
   * @param isMember whether the revision is in the set
   */
  put(number: SetNumber, revision: ComparedRevision, isMember: boolean): void
  /** Drops cached values, for the end of a transaction. */
  clear(): void
}

/** Columns of the table `departure`: of a former revision that was in a set. */
type FormerRow = readonly [id: string, schema: string, type: string, audience: number]

/** Prepares the statements for the rows. @param connection for writing to the catalog that has the revisions */
export function openMembershipRows(connection: Connection): MembershipRows {
  const sql = {
    open: connection.prepare<readonly [first: number]>(
      'SELECT first FROM membership WHERE rid = ? AND number = ? AND until IS NULL',
    ),
    enter: connection.prepare('INSERT INTO membership VALUES (?, ?, ?, NULL)'),
    leave: connection.prepare('UPDATE membership SET until = ? WHERE rid = ? AND number = ? AND first = ?'),
    withdrawn: connection.prepare<FormerRow>(
      'SELECT id, schema, type, audience FROM withdrawn WHERE rid = ? AND rev = ?',
    ),
    former: connection.prepare<readonly [id: string, type: string, json: string]>(
      `SELECT c.id, r.type, b.json FROM revision r CROSS JOIN record c ON c.rid = r.rid CROSS JOIN body b ON b.body = r.body
       WHERE r.rid = ? AND r.standing = 1 AND r.rev < ? ORDER BY r.rev DESC LIMIT 1`,
    ),
    arrive: connection.prepare(
      `INSERT INTO arrival SELECT ?1, ?2, ?3, -r.time, c.id FROM revision r CROSS JOIN record c ON c.rid = ?2
       WHERE r.rev = ?3`,
    ),
    depart: connection.prepare(
      `INSERT INTO departure SELECT ?1, ?2, ?3, -time, ?4, ?5, ?6, ?7 FROM revision WHERE rev = ?3`,
    ),
  }

  const audiences = openAudiences(connection)

  /** The values of the valid revision before a revision; undefined if there is none. */
  function formerRow(rid: number, rev: number): FormerRow | undefined {
    const [id, type, json] = sql.former.get(rid, rev) ?? []
    if (id === undefined || type === undefined || json === undefined) return undefined
    const record = recordFromText(json)
    return [id, record.schema?.schemaId ?? '', type, audiences.of(record)]
  }

  return {
    put(number, { rev, rid, change }, isMember) {
      const [first] = sql.open.get(rid, number) ?? []
      const stays = isMember && change !== 'removed'
      if (first === undefined) {
        if (stays) sql.enter.run(rid, number, rev)
        if (stays && change === 'schema') sql.arrive.run(number, rid, rev)
        return
      }
      if (!stays) sql.leave.run(rev, rid, number, first)
      const lost = sql.withdrawn.get(rid, rev) ?? (stays ? undefined : formerRow(rid, rev))
      if (lost) sql.depart.run(number, rid, rev, ...lost)
    },
    clear: audiences.clear,
  }
}
