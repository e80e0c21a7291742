import type { Connection } from '../database/sqlite-connection.js'
import type { SetNumber } from '../lists/membership-sql.js'

/** What decides which revisions are in a set. A set with another definition is another set. */
export interface SetDefinition {
  /** The name of the set. */
  readonly spec: string
  readonly definition: string
}

/** A set, and the last revision that was compared with it. */
export interface ComparedSet extends SetDefinition {
  readonly number: SetNumber
  readonly through: number
}

/** The rows of the sets that stored searches define. */
export interface StoredSetRows {
  sets(): readonly ComparedSet[]
  /** Adds sets, and removes those that are not among the wanted ones. The caller has opened a transaction. */
  define(wanted: readonly SetDefinition[]): void
  /** Deletes some rows of a removed set, in a transaction of the caller. @returns false if there was no removed set */
  deleteRemoved(): boolean
  setThrough(number: SetNumber, through: number): void
}

/** Limit of the rows that are deleted at once, because other writers wait meanwhile. */
const maxDeletedRows = 2000

/** Prepares the statements for the rows. @param connection for writing */
export function openStoredSetRows(connection: Connection): StoredSetRows {
  const sql = {
    sets: connection.prepare<readonly [number: number, spec: string, definition: string, through: number]>(
      'SELECT number, spec, definition, through FROM stored_set WHERE spec IS NOT NULL ORDER BY number',
    ),
    add: connection.prepare('INSERT INTO stored_set VALUES (NULL, ?, ?, 0)'),
    remove: connection.prepare('UPDATE stored_set SET spec = NULL WHERE number = ?'),
    removed: connection.prepare<readonly [number: number]>(
      'SELECT number FROM stored_set WHERE spec IS NULL LIMIT 1',
    ),
    deleteSet: connection.prepare('DELETE FROM stored_set WHERE number = ?'),
    setThrough: connection.prepare('UPDATE stored_set SET through = ? WHERE number = ?'),
    memberships: connection.prepare<readonly [rid: number, first: number]>(
      'SELECT rid, first FROM membership WHERE number = ? LIMIT ?',
    ),
    deleteMembership: connection.prepare('DELETE FROM membership WHERE number = ? AND rid = ? AND first = ?'),
    departures: connection.prepare<readonly [rid: number, rev: number]>(
      'SELECT rid, rev FROM departure WHERE number = ? LIMIT ?',
    ),
    deleteDeparture: connection.prepare('DELETE FROM departure WHERE number = ? AND rid = ? AND rev = ?'),
  }

  const sets = () =>
    sql.sets.all().map(([number, spec, definition, through]) => ({ number, spec, definition, through }))

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
      const memberships = sql.memberships.all(number, maxDeletedRows)
      for (const [rid, first] of memberships) sql.deleteMembership.run(number, rid, first)
      const departures = memberships.length > 0 ? [] : sql.departures.all(number, maxDeletedRows)
      for (const [rid, rev] of departures) sql.deleteDeparture.run(number, rid, rev)
      if (memberships.length + departures.length === 0) sql.deleteSet.run(number)
      return true
    },
    setThrough: (number, through) => sql.setThrough.run(through, number),
  }
}
