import type { Connection } from '../database/sqlite-connection.js'
import { bodiesSql, type PageRow } from './revision-row.js'

/** Limit of the bytes of records that one statement reads, unless a single record is longer. */
const maxBytesPerStatement = 64 * 1024

/** Reads the long records of a page by their row numbers. The first access to one of them reads several at once. */
export function openLongRecordReader(
  connection: Connection,
): (rows: readonly PageRow[]) => (body: number) => string {
  const sql = connection.prepare<readonly [body: number, json: string]>(bodiesSql)

  return rows => {
    const groups = new Map<number, readonly number[]>()
    let group: number[] = []
    let bytes = 0
    for (const [, , , , , , json, , , , , , , body, length] of rows) {
      if (json !== null || groups.has(body)) continue
      if (bytes + length > maxBytesPerStatement) {
        group = []
        bytes = 0
      }
      group.push(body)
      bytes += length
      groups.set(body, group)
    }
    /** Records that were read and not accessed yet. */
    const known = new Map<number, string>()
    return body => {
      if (!known.has(body)) {
        const wanted = groups.get(body) ?? [body]
        for (const [each, json] of sql.all(JSON.stringify(wanted))) known.set(each, json)
      }
      const json = known.get(body)
      if (json === undefined)
        throw new Error(`The catalog was built anew: it has no row ${body} of a record.`)
      // It is not needed again, because the revision keeps the parsed record.
      known.delete(body)
      return json
    }
  }
}
