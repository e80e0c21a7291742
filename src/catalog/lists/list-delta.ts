import { listReadersOf } from '../../core/access-control.js'
import { prefixLength } from '../../core/data-structures/binary-search.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { ListQuery } from '../../core/records/list-query.js'
import { type StoredRecord, stateOf } from '../../core/records/record.js'
import { type Id, toInstant } from '../../core/value-types.js'
import type { Connection, SqlRow, SqlValue } from '../database/sqlite-connection.js'
import { matchesFilters } from './list-filter.js'
import { type KeyOrder, visibleSql } from './list-sql.js'
import { joinStateAfter } from './point-in-time-sql.js'

/** A record as lists see it. */
interface Listed {
  readonly id: Id
  readonly age: number
  readonly schema: string | undefined
  readonly type: DocumentType
}

/** What became of a record since a revision; a state is undefined where the record was not served, or is no more. */
export interface ListChange {
  readonly rid: number
  readonly kind: Collection
  readonly before: Listed | undefined
  readonly after: Listed | undefined
  /** It had no revision before. */
  readonly isNew: boolean
}

/** Keys of a list's order that have left it and come to it, each ascending. */
export interface ListDelta {
  readonly left: readonly SqlRow[]
  readonly come: readonly SqlRow[]
}

export interface ListChanges {
  /** Every record with a revision after `upto`. Undefined: too many for it to be worth while. */
  since(upto: number): readonly ListChange[] | undefined
  /**
   * What the changes did to a list of today.
   * @param upto as it was given to {@link since}
   * @returns undefined: that cannot be told, because what a record's resources were is not kept, or costs too much
   */
  ofToday(
    changes: readonly ListChange[],
    upto: number,
    kind: Collection,
    query: ListQuery,
    order: KeyOrder,
  ): ListDelta | undefined
}

/** Records looked at one by one; counting anew costs as much as some more. */
export const mostChanges = 2000
/** Records that were updated, each of which is read as it was to see who saw it. */
const mostReadAgain = 200

type ChangeRow = readonly [
  rid: number,
  kind: string,
  id: string | null,
  isNew: number,
  age: number | null,
  schema: string | null,
  type: string | null,
  formerTime: number | null,
  formerSchema: string | null,
  formerType: string | null,
]

export function openListChanges(connection: Connection): ListChanges {
  const sql = {
    since: connection.prepare<ChangeRow>(
      `SELECT c.rid, c.kind, c.id, c.first > ?1, n.age, n.schema, n.type,
         r.time, json_extract(b.json, '$.schema.schemaId'), r.type
       FROM (SELECT DISTINCT rid FROM revision NOT INDEXED WHERE rev > ?1 LIMIT ${mostChanges + 1}) q
       CROSS JOIN record c ON c.rid = q.rid LEFT JOIN newest n ON n.rid = c.rid ${joinStateAfter('?1')}`,
    ),
    former: connection.prepare<readonly [json: string]>(
      `SELECT b.json FROM (SELECT ?2 AS rid) q ${joinStateAfter('?1')} WHERE b.json IS NOT NULL`,
    ),
  }

  /** Tells of a record, by its row, whether the caller sees it as it is now. */
  function seenNow(query: ListQuery): (rid: number) => boolean {
    const seen = visibleSql(query, 'n', 'n.audience')
    if (!seen) return () => true
    const statement = connection.prepare<readonly [number]>(
      `SELECT 1 FROM newest n WHERE n.rid = ? AND ${seen.sql}`,
    )
    return rid => statement.get(rid, ...seen.values) !== undefined
  }

  /** Tells of a record, by its row, whether the caller would have seen it as it was after a revision. */
  function seenThen(upto: number, { readableBy, readableIds, readsUnrevoked }: ListQuery) {
    if (!readableBy) return () => true
    const subjects = new Set(readableBy)
    const named = new Set(readableIds)
    return (rid: number): boolean => {
      const row = sql.former.get(upto, rid)
      if (!row) return false
      const record = JSON.parse(row[0]) as StoredRecord
      if (named.has(record.id) || (readsUnrevoked && stateOf(record) !== 'REVOKED')) return true
      return listReadersOf(record).some(sid => subjects.has(sid))
    }
  }

  return {
    since(upto) {
      const rows = sql.since.all(upto)
      return rows.length > mostChanges ? undefined : rows.map(changeOf)
    },

    ofToday(changes, upto, kind, query, order) {
      const own = changes.filter(change => change.kind === kind)
      if (kind === 'metadata' && query.resources && own.length > 0) return undefined
      if (query.readableBy && own.filter(({ isNew }) => !isNew).length > mostReadAgain) return undefined
      const keys = (seen: (rid: number) => boolean, state: (change: ListChange) => Listed | undefined) =>
        own
          .flatMap(change => {
            const found = state(change)
            return found && passesAll(found) && seen(change.rid) ? [found] : []
          })
          .map(found => order.columns.map((column): SqlValue => found[column]))
          .sort(compareKeys)
      const passesAll = ({ age, schema, type }: Listed) =>
        matchesFilters(kind, query, { time: toInstant(-age), documentType: type, schemaId: schema })
      return {
        left: keys(seenThen(upto, query), ({ before }) => before),
        come: keys(seenNow(query), ({ after }) => after),
      }
    },
  }
}

function changeOf(row: ChangeRow): ListChange {
  const [rid, kind, id, isNew, age, schema, type, formerTime, formerSchema, formerType] = row
  return {
    rid,
    kind: kind as Collection,
    before: formerTime === null ? undefined : listedOf(id, -formerTime, formerSchema, formerType),
    after: age === null ? undefined : listedOf(id, age, schema, type),
    isNew: isNew === 1,
  }
}

function listedOf(id: string | null, age: number, schema: string | null, type: string | null): Listed {
  return { id: id as Id, age, schema: schema ?? undefined, type: type as DocumentType }
}

/** How many of the keys come up to and with a key in the order of a list. */
export function countUpTo(keys: readonly SqlRow[], key: SqlRow, { backwards }: KeyOrder): number {
  if (!backwards) return prefixLength(keys, other => compareKeys(other, key) <= 0)
  return keys.length - prefixLength(keys, other => compareKeys(other, key) < 0)
}

/** As SQLite does: ids are plain ASCII. */
function compareKeys(a: SqlRow, b: SqlRow): number {
  for (const [at, value] of a.entries()) {
    const other = b[at] as SqlValue
    if (value !== other) return (value as string | number) < (other as string | number) ? -1 : 1
  }
  return 0
}
