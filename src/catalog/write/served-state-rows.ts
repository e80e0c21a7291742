import { listReadersOf } from '../../core/access-control.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import { relatedResources, type StoredRecord, stateOf, uniqueNamesOf } from '../../core/records/record.js'
import type { Instant } from '../../core/value-types.js'
import { openInsertBuffer } from '../database/insert-buffer.js'
import type { Connection } from '../database/sqlite-connection.js'

/** A valid revision of a record, which is to be served. */
interface ServedState {
  readonly kind: Collection
  readonly rid: number
  readonly rev: number
  readonly time: Instant
  readonly documentType: DocumentType
  readonly record: StoredRecord
}

/** The rows of served revisions, from which lists are read, and of the values by which these are found. */
interface ServedStateRows {
  /**
   * Makes this state the newest served one of its record.
   * @param change whether the record has the same bytes as before, has other bytes, or did not exist before
   */
  serve(state: ServedState, change: 'same' | 'other' | 'new'): void
  /**
   * Removes the record from what is served, and notes the removal in `withdrawn`.
   * @param rev the revision that removes the record
   * @param time of that revision
   */
  withdraw(kind: Collection, rid: number, rev: number, time: Instant): void
  /** Gives the name to the record, unless another record has it. */
  name(name: string, rid: number): void
  flush(): void
  /** Drops rows that were not flushed, and cached values. */
  clear(): void
}

/** @param connection for writing. The caller flushes the rows of a record before the next change of the record */
export function openServedStateRows(connection: Connection): ServedStateRows {
  const sql = statementsOf(connection)
  const into = {
    newest: openInsertBuffer(connection, 'INSERT OR REPLACE', 'newest', 10),
    withdrawn: openInsertBuffer(connection, 'INSERT', 'withdrawn', 7),
    // The first record with a name keeps it.
    name: openInsertBuffer(connection, 'INSERT OR IGNORE', 'name', 2),
    resource: openInsertBuffer(connection, 'INSERT OR IGNORE', 'resource', 2),
    revoked: openInsertBuffer(connection, 'INSERT OR IGNORE', 'revoked', 1),
    uses: openInsertBuffer(connection, 'INSERT OR IGNORE', 'uses', 2),
  }
  const audiences = openAudiences(connection)
  const counts = openListCounts(connection)

  function formerState(rid: number): FormerState | undefined {
    const row = sql.newest.get(rid)
    if (!row) return undefined
    const [schema, audience, type, id, state, year] = row
    return { schema: schema ?? '', audience, type, id, state, year }
  }

  /**
   * Keeps the former values of a metadata record in `withdrawn`, unless every reader still finds the record in the same
   * lists. If it becomes REVOKED, those callers lose it who may read everything that is not REVOKED.
   */
  function keepIfLost(
    rid: number,
    rev: number,
    time: Instant,
    was: FormerState,
    is: (Omit<FormerState, 'id'> & { readonly isRevoked: boolean }) | undefined,
  ): void {
    const { id, schema, type, audience } = was
    const isSame = is && schema === is.schema && type === is.type
    if (!isSame || (is.isRevoked && !sql.isRevoked.get(rid)) || audiences.isNarrowed(audience, is.audience))
      into.withdrawn.add(rid, rev, -time, id, schema, type, audience)
  }

  return {
    serve({ kind, rid, rev, time, documentType, record }, change) {
      if (change === 'same') {
        sql.updateNewest.run(-time, documentType, rev, rid)
        return
      }
      const isNew = change === 'new'
      const schema = record.schema?.schemaId
      const audience = audiences.of(record)
      const state = stateOf(record)
      const isRevoked = state === 'REVOKED'
      const was = isNew ? undefined : formerState(rid)
      const year = was?.year ?? new Date(time).getUTCFullYear()
      const is = { schema: schema ?? '', audience, type: documentType, isRevoked, state, year }
      counts.move(kind, was, is)
      if (was && kind === 'metadata') keepIfLost(rid, rev, time, was, is)
      for (const name of uniqueNamesOf(record)) into.name.add(name, rid)
      if (isRevoked) into.revoked.add(rid)
      else if (!isNew) sql.deleteRevoked.run(rid)
      if (kind === 'metadata') {
        if (!isNew) sql.deleteResources.run(rid)
        for (const resource of relatedResources(record)) into.resource.add(resource, rid)
        if (schema !== undefined) into.uses.add(schema, rid)
      }
      into.newest.add(
        ...[rid, kind, record.id, -time, schema ?? null, documentType, rev, audience, state, year],
      )
    },
    withdraw(kind, rid, rev, time) {
      const was = formerState(rid)
      counts.move(kind, was, undefined)
      if (was && kind === 'metadata') keepIfLost(rid, rev, time, was, undefined)
      sql.deleteNewest.run(rid)
      sql.deleteResources.run(rid)
      sql.deleteRevoked.run(rid)
    },
    name: (name, rid) => into.name.add(name, rid),
    flush() {
      for (const buffer of Object.values(into)) buffer.flush()
      counts.flush()
    },
    clear() {
      for (const buffer of Object.values(into)) buffer.clear()
      counts.clear()
      audiences.clear()
    },
  }
}

/** The values of a record before its next revision by which lists show it. */
interface FormerState extends CountedBy {
  readonly id: string
  readonly type: string
}

function statementsOf(connection: Connection) {
  return {
    newest: connection.prepare<
      readonly [
        schema: string | null,
        audience: number,
        type: string,
        id: string,
        state: string,
        year: number,
      ]
    >('SELECT schema, audience, type, id, state, year FROM newest WHERE rid = ?'),
    updateNewest: connection.prepare('UPDATE newest SET age = ?, type = ?, rev = ? WHERE rid = ?'),
    deleteNewest: connection.prepare('DELETE FROM newest WHERE rid = ?'),
    deleteResources: connection.prepare('DELETE FROM resource WHERE rid = ?'),
    isRevoked: connection.prepare<readonly [rid: number]>('SELECT rid FROM revoked WHERE rid = ?'),
    deleteRevoked: connection.prepare('DELETE FROM revoked WHERE rid = ?'),
  }
}

/** The values of a record by which records are counted. */
interface CountedBy {
  /** Schema id; empty for schemas. */
  readonly schema: string
  readonly audience: number
  readonly state: string
  /** The year in which the record was served first. */
  readonly year: number
}

/**
 * The numbers of records by schema, state and year (table `tally`), and by audience too (table `shown`). They give the
 * totals of lists.
 */
interface ListCounts {
  /** Counts a record by other values than before: `was` is undefined for a new record, `is` for a removed one. */
  move(kind: Collection, was: CountedBy | undefined, is: CountedBy | undefined): void
  flush(): void
  /** Drops changes that were not flushed. */
  clear(): void
}

type CountKey = readonly [kind: Collection, schema: string, state: string, year: number]

function openListCounts(connection: Connection): ListCounts {
  const sql = {
    count: connection.prepare(
      'INSERT INTO tally VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n',
    ),
    show: connection.prepare(
      'INSERT INTO shown VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n',
    ),
  }
  /** Changes of the numbers that `flush` has not written yet. */
  const bySchema = openSums<CountKey>()
  const byAudience = openSums<readonly [audience: number, ...CountKey]>()
  const keyOf = (kind: Collection, { schema, state, year }: CountedBy): CountKey => [
    kind,
    schema,
    state,
    year,
  ]

  return {
    move(kind, was, is) {
      const isOther = was?.schema !== is?.schema || was?.state !== is?.state
      if (isOther) {
        if (was) bySchema.add(keyOf(kind, was), -1)
        if (is) bySchema.add(keyOf(kind, is), 1)
      }
      if (isOther || was?.audience !== is?.audience) {
        if (was) byAudience.add([was.audience, ...keyOf(kind, was)], -1)
        if (is) byAudience.add([is.audience, ...keyOf(kind, is)], 1)
      }
    },
    flush() {
      bySchema.take((key, by) => sql.count.run(...key, by))
      byAudience.take((key, by) => sql.show.run(...key, by))
    },
    clear() {
      bySchema.clear()
      byAudience.clear()
    },
  }
}

/** Sums of changes by key, so that each row is updated once. */
function openSums<Key extends readonly (string | number)[]>() {
  const sums = new Map<string, { readonly key: Key; by: number }>()
  return {
    add(key: Key, by: number): void {
      const name = key.join(' ')
      const sum = sums.get(name)
      if (sum) sum.by += by
      else sums.set(name, { key, by })
    },
    take(write: (key: Key, by: number) => void): void {
      for (const { key, by } of sums.values()) write(key, by)
      sums.clear()
    },
    clear(): void {
      sums.clear()
    },
  }
}

/** Rows of audiences: the sets of subjects that may find a record in lists. Records with equal sets share a row. */
interface Audiences {
  /** The row number of a record's audience, which is added if it is new. */
  of(record: StoredRecord): number
  /** Says whether some subject is a member of the audience `from` but not of the audience `to`. */
  isNarrowed(from: number, to: number): boolean
  /** Drops cached values, for the end of a transaction. */
  clear(): void
}

/** Limit of the audiences whose row number is cached within a transaction. */
const maxCachedAudiences = 10_000

export function openAudiences(connection: Connection): Audiences {
  const sql = {
    lost: connection.prepare<readonly [sid: string]>(
      `SELECT m.sid FROM member m WHERE m.audience = ?
         AND NOT EXISTS (SELECT 1 FROM member o WHERE o.audience = ? AND o.sid = m.sid) LIMIT 1`,
    ),
    find: connection.prepare<readonly [audience: number]>('SELECT audience FROM audience WHERE sids = ?'),
    insert: connection.prepare('INSERT INTO audience VALUES (NULL, ?)'),
    insertMember: connection.prepare('INSERT INTO member VALUES (?, ?)'),
  }
  const cache = new Map<string, number>()

  return {
    of(record) {
      const members = [...new Set(listReadersOf(record))].sort()
      const sids = JSON.stringify(members)
      const known = cache.get(sids) ?? sql.find.get(sids)?.[0]
      const audience = known ?? sql.insert.run(sids)
      if (known === undefined) for (const sid of members) sql.insertMember.run(audience, sid)
      if (cache.size >= maxCachedAudiences) cache.clear()
      cache.set(sids, audience)
      return audience
    },
    isNarrowed: (from, to) => from !== to && sql.lost.get(from, to) !== undefined,
    clear: () => cache.clear(),
  }
}
