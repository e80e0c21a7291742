import { visibleSql } from '../../../catalog/lists/list-sql.js'
import type { OpenRowReader } from '../../../catalog/read/row-readers.js'
import type { Visibility } from '../../../core/records/list-query.js'
import { recordFromText } from '../../../store/records/record-json.js'
import { schemaName, titleOf } from '../html/display-names.js'

/** The titles of schemas by id. */
export type Titles = ReadonlyMap<string, string>

export interface SchemaTitlesQuery {
  /** Words of a title, or an id. */
  readonly typed: string
  readonly visibility: Visibility
  /** Limit of the schemas that are found by words. */
  readonly limit: number
}

/** Schemas that are in memory together, and limit of those that are compared. */
const most = { together: 1000, compared: 20_000 }

/**
 * Finds the schemas that a person may mean: those that have exactly this title, id, or name of {@link schemaName}; else
 * those whose name has all words. It is the script of a reader of the catalog.
 */
export const openReader: OpenRowReader<SchemaTitlesQuery, Titles> = ({ connection, snapshot }) => {
  function find({ typed, visibility, limit }: SchemaTitlesQuery): Titles {
    const { sql, values } = visibleSql(visibility, 'n', 'n.audience', true)
    const next = connection.prepare<readonly [id: string, json: string]>(
      `SELECT n.id, b.json FROM newest n CROSS JOIN revision r ON r.rev = n.rev CROSS JOIN body b ON b.body = r.body
       WHERE n.kind = 'schema' AND n.id > ? AND ${sql} ORDER BY n.id LIMIT ${most.together}`,
    )
    const words = typed.toLowerCase().split(/\s+/)
    const [exact, similar] = [new Map<string, string>(), new Map<string, string>()]
    let after = ''
    for (let compared = 0; compared < most.compared; compared += most.together) {
      const rows = next.all(after, ...values)
      for (const [id, json] of rows) {
        const title = titleOf(recordFromText(json))
        const name = schemaName(id, title)
        if ([id, title, name].includes(typed)) exact.set(id, title)
        if (similar.size < limit && words.every(word => name.toLowerCase().includes(word)))
          similar.set(id, title)
        after = id
      }
      if (rows.length < most.together) break
    }
    return exact.size > 0 ? exact : similar
  }

  return query => snapshot(() => find(query))
}
