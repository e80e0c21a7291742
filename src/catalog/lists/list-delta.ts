import { prefixLength } from '../../core/data-structures/binary-search.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { ListQuery } from '../../core/records/list-query.js'
import { type Id, toInstant } from '../../core/value-types.js'
import type { Connection, SqlRow, SqlValue } from '../database/sqlite-connection.js'
import { joinStateAfter } from '../point-in-time/point-in-time-sql.js'
import { openVisibleAtPoint } from '../point-in-time/visible-at-point.js'
import { matchesFilters, metadataOnly } from './list-filter.js'
import { type KeyOrder, visibleSql } from './list-sql.js'

/** The values of a record that lists filter and sort by. */
interface Listed {
  readonly id: Id
  readonly age: number
  readonly schema: string | undefined
  readonly type: DocumentType
}

/** A record before and after its changes since a revision; undefined where the record was not, or is not, served. */
interface ListChange {
  readonly rid: number
  readonly kind: Collection
  readonly before: Listed | undefined
  readonly after: Listed | undefined
  /** Whether all revisions of the record are later than that revision. */
  readonly isNew: boolean
}

/** The keys of the entries that left a list, and of those that came to it, each in ascending order. */
interface ListDelta {
  readonly removed: readonly SqlRow[]
  readonly added: readonly SqlRow[]
}

interface ListChanges {
  /** Every record with a revision after `upTo`; undefined if they are more than {@link maxComparedChanges}. */
  since(upTo: number): readonly ListChange[] | undefined
  /**
   * The effect of changes on a current list.
   * @param upTo the argument of {@link since}
   * @returns undefined if the effect is unknown (resources of former revisions are not kept) or takes long to compute
   */
  ofToday(
    changes: readonly ListChange[],
    upTo: number,
    kind: Collection,
    query: ListQuery,
    order: KeyOrder,
  ): ListDelta | undefined
}

/** Limit of the changed records that are compared one by one. For more records, counting again costs less. */
export const maxComparedChanges = 2000
/** Limit of the updated records whose former revision is read to find out who saw it. */
const maxFormerStates = 200

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
  const seenThen = openVisibleAtPoint(connection)
  const sql = {
    since: connection.prepare<ChangeRow>(
      `SELECT c.rid, c.kind, c.id, c.first > ?1, n.age, n.schema, n.type,
         r.time, json_extract(b.json, '$.schema.schemaId'), r.type
       FROM (SELECT DISTINCT rid FROM revision NOT INDEXED WHERE rev > ?1 LIMIT ${maxComparedChanges + 1}) q
       CROSS JOIN record c ON c.rid = q.rid LEFT JOIN newest n ON n.rid = c.rid ${joinStateAfter('?1')}`,
    ),
  }

  /** Returns a function that says whether the caller sees the newest revision of a record. */
  function seenNow(query: ListQuery): (rid: number) => boolean {
    const seen = visibleSql(query, 'n', 'n.audience')
    if (!seen) return () => true
    const statement = connection.prepare<readonly [number]>(
      `SELECT 1 FROM newest n WHERE n.rid = ? AND ${seen.sql}`,
    )
    return rid => statement.get(rid, ...seen.values) !== undefined
  }

  return {
    since(upTo) {
      const rows = sql.since.all(upTo)
      return rows.length > maxComparedChanges ? undefined : rows.map(changeOf)
    },

    ofToday(changes, upTo, kind, query, order) {
      const own = changes.filter(change => change.kind === kind)
      if (metadataOnly(kind, query).resources && own.length > 0) return undefined
      if (query.readableBy && own.filter(({ isNew }) => !isNew).length > maxFormerStates) return undefined
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
        removed: keys(seenThen(upTo, query), ({ before }) => before),
        added: keys(seenNow(query), ({ after }) => after),
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

/** Number of keys up to and including `key`, in the order of a list. */
export function countUpTo(keys: readonly SqlRow[], key: SqlRow, { backwards }: KeyOrder): number {
  if (!backwards) return prefixLength(keys, other => compareKeys(other, key) <= 0)
  return keys.length - prefixLength(keys, other => compareKeys(other, key) < 0)
}

/** Compares as SQLite does: ids are plain ASCII, so their code units have the order of their bytes. */
function compareKeys(a: SqlRow, b: SqlRow): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] as SqlValue
    if (value !== other) return (value as string | number) < (other as string | number) ? -1 : 1
  }
  return 0
}
