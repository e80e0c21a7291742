import { countWhile } from '../core/sorted.js'
import { type DocumentType, type Id, type Kind, toInstant } from '../core/values.js'
import type { ListQuery } from './catalog.js'
import type { Connection, Row, Value } from './database.js'
import { stateUpTo } from './former-state.js'
import { passes } from './list-filter.js'
import type { Order } from './listing-sql.js'

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
  readonly kind: Kind
  readonly before: Listed | undefined
  readonly after: Listed | undefined
  /** It had no revision before. */
  readonly isNew: boolean
}

/** Keys of a list's order that have left it and come to it, each ascending. */
export interface KeyChanges {
  readonly left: readonly Row[]
  readonly come: readonly Row[]
}

export interface ListChanges {
  /** Every record with a revision after `upto`. Undefined: too many for it to be worth while. */
  since(upto: number): readonly ListChange[] | undefined
  /**
   * What the changes did to a list of today. Undefined: that cannot be told, because what a record's readers and
   * resources were is not kept.
   */
  ofToday(changes: readonly ListChange[], kind: Kind, query: ListQuery, order: Order): KeyChanges | undefined
}

/** Records looked at one by one; counting anew costs as much as some more. */
const mostChanges = 2000

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
       CROSS JOIN record c ON c.rid = q.rid LEFT JOIN newest n ON n.rid = c.rid ${stateUpTo('?1')}`,
    ),
    isRead: connection.prepare<readonly [number]>(
      'SELECT 1 FROM reader WHERE rid = ? AND sid IN (SELECT value FROM json_each(?)) LIMIT 1',
    ),
  }

  return {
    since(upto) {
      const rows = sql.since.all(upto)
      return rows.length > mostChanges ? undefined : rows.map(changeOf)
    },

    ofToday(changes, kind, query, order) {
      const { readableBy, readableIds, readsUnrevoked, resources } = query
      const own = changes.filter(change => change.kind === kind)
      if (kind === 'metadata' && resources && own.length > 0) return undefined
      if (readableBy && !own.every(change => change.isNew)) return undefined
      if ((readableIds || readsUnrevoked) && own.length > 0) return undefined
      const sids = readableBy && JSON.stringify(readableBy)
      const isRead = (rid: number) => sids === undefined || sql.isRead.get(rid, sids) !== undefined
      const keys = (states: readonly (Listed | undefined)[]) =>
        states
          .filter(state => state !== undefined)
          .filter(({ age, schema, type }) =>
            passes(kind, query, { time: toInstant(-age), documentType: type, schemaId: schema }),
          )
          .map(state => order.columns.map((column): Value => state[column]))
          .sort(compareKeys)
      return {
        left: keys(own.map(({ before }) => before)),
        come: keys(own.filter(({ rid }) => isRead(rid)).map(({ after }) => after)),
      }
    },
  }
}

function changeOf(row: ChangeRow): ListChange {
  const [rid, kind, id, isNew, age, schema, type, formerTime, formerSchema, formerType] = row
  return {
    rid,
    kind: kind as Kind,
    before: formerTime === null ? undefined : stateOf(id, -formerTime, formerSchema, formerType),
    after: age === null ? undefined : stateOf(id, age, schema, type),
    isNew: isNew === 1,
  }
}

function stateOf(id: string | null, age: number, schema: string | null, type: string | null): Listed {
  return { id: id as Id, age, schema: schema ?? undefined, type: type as DocumentType }
}

/** How many of the keys come up to and with a key in the order of a list. */
export function countUpTo(keys: readonly Row[], key: Row, { backwards }: Order): number {
  if (!backwards) return countWhile(keys, other => compareKeys(other, key) <= 0)
  return keys.length - countWhile(keys, other => compareKeys(other, key) < 0)
}

/** As SQLite does: ids are plain ASCII. */
function compareKeys(a: Row, b: Row): number {
  for (const [at, value] of a.entries()) {
    const other = b[at] as Value
    if (value !== other) return (value as string | number) < (other as string | number) ? -1 : 1
  }
  return 0
}
