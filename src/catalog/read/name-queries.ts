import type { Collection } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Id } from '../../core/value-types.js'
import type { Connection } from '../database/sqlite-connection.js'

/** Queries for the rules between records: unique names, described resources, schemas in use. */
export function openNameQueries(
  connection: Connection,
): Pick<CatalogQueries, 'owner' | 'owners' | 'describers' | 'isFree' | 'dependentOf'> {
  const sql = {
    owner: connection.prepare<readonly [kind: string, id: string, gone: number]>(
      'SELECT c.kind, c.id, c.gone FROM name n CROSS JOIN record c ON c.rid = n.rid WHERE n.name = ?',
    ),
    owners: connection.prepare<readonly [name: string, kind: string, id: string, gone: number]>(
      `SELECT n.name, c.kind, c.id, c.gone FROM json_each(?) q CROSS JOIN name n ON n.name = q.value
         CROSS JOIN record c ON c.rid = n.rid WHERE NOT (c.kind = ? AND c.id = ?) ORDER BY q.key`,
    ),
    describers: connection.prepare<readonly [resource: string, id: string]>(
      `SELECT * FROM (
         SELECT q.value, (SELECT n.id FROM resource r CROSS JOIN newest n ON n.rid = r.rid
           WHERE r.resource = q.value AND n.schema = ? AND n.id <> ? ORDER BY n.id LIMIT 1) AS id
         FROM json_each(?) q ORDER BY q.key)
       WHERE id IS NOT NULL`,
    ),
    taken: connection.prepare<readonly [taken: number]>(
      `SELECT EXISTS (SELECT 1 FROM name WHERE name = ?) OR EXISTS (SELECT 1 FROM record WHERE directory = ?)
         OR EXISTS (SELECT 1 FROM resource q CROSS JOIN newest n ON n.rid = q.rid
                    WHERE q.resource = ? AND n.schema = ?)`,
    ),
    anyTaken: connection.prepare<readonly [taken: number]>(
      `SELECT EXISTS (SELECT 1 FROM record WHERE directory = ?)
         OR EXISTS (SELECT 1 FROM json_each(?) q CROSS JOIN name n ON n.name = q.value)
         OR EXISTS (SELECT 1 FROM json_each(?) q CROSS JOIN resource r ON r.resource = q.value
                    CROSS JOIN newest n ON n.rid = r.rid WHERE n.schema = ?)`,
    ),
    dependent: connection.prepare<readonly [id: string]>(
      'SELECT n.id FROM uses u CROSS JOIN newest n ON n.rid = u.rid WHERE u.schema = ? LIMIT 1',
    ),
  }
  return {
    owner(name) {
      const row = sql.owner.get(name)
      return row && { kind: row[0] as Collection, id: row[1] as Id, gone: row[2] === 1 }
    },

    owners: (names, except) =>
      sql.owners
        .all(JSON.stringify(names), except?.kind ?? '', except?.id ?? '')
        .map(([name, kind, id, gone]) => ({
          name,
          kind: kind as Collection,
          id: id as Id,
          gone: gone === 1,
        })),

    describers: (resources, schemaId, except) =>
      sql.describers
        .all(schemaId, except ?? '', JSON.stringify(resources))
        .map(([resource, id]) => ({ resource, id: id as Id })),

    dependentOf: schemaId => sql.dependent.get(schemaId)?.[0] as Id | undefined,

    isFree({ directory, names, resources, schemaId }) {
      const schema = schemaId ?? null
      const [name] = names
      // The statement for lists takes longer, and most records have one name and at most one resource.
      const isTaken =
        name !== undefined && names.length === 1 && resources.length <= 1
          ? sql.taken.get(name, directory, resources[0] ?? null, schema)
          : sql.anyTaken.get(directory, JSON.stringify(names), JSON.stringify(resources), schema)
      return isTaken?.[0] === 0
    },
  }
}
