import type { Connection } from '../../catalog/database/sqlite-connection.js'
import { visibleSql } from '../../catalog/lists/list-sql.js'
import { malformedRequest } from '../../core/problem.js'
import type { Visibility } from '../../core/records/list-query.js'
import { truncate } from '../../core/value-types.js'
import { recordPath } from '../index/search-tables.js'
import { documentPrefix } from '../search-condition.js'
import { plain } from './search-sql.js'

/** A path that a schema declares, with the kind of its values. */
export interface DeclaredPath {
  readonly number: number
  readonly as: 'number' | 'keyword' | 'date'
  readonly isFacet: boolean
}

/** The fields of an index, as a caller sees them. */
export interface FieldLookup {
  /** Numbers of the paths that a field names. @param withMembers paths below it too */
  paths(field: string, withMembers?: boolean): readonly number[]
  /**
   * The declaration of a document path; undefined if no schema that the caller sees declares it. Numbers and dates go
   * before keywords.
   */
  declared(field: string): DeclaredPath | undefined
}

/** Most paths that one field may name, in all documents. */
const mostPaths = 1000

/** @param connection the catalog is attached */
export function openFieldLookup(connection: Connection): (visibility: Visibility) => FieldLookup {
  const exact = connection.prepare<readonly [path: number]>('SELECT path FROM path WHERE name = ?')
  const ending = connection.prepare<readonly [path: number]>(
    "SELECT path FROM path WHERE name NOT LIKE '#%' AND (name = ?1 OR substr(name, -length(?1) - 1) = '.' || ?1) LIMIT ?2",
  )
  const below = connection.prepare<readonly [path: number]>(
    "SELECT path FROM path WHERE name >= ?1 || '.' AND name < ?1 || '/' LIMIT ?2",
  )

  function declaration(name: string, visibility: Visibility) {
    const seen = visibleSql(visibility, 'n', 'n.audience') ?? plain('1')
    const sql = `SELECT p.path, d.kind, max(d.facet) FROM path p CROSS JOIN declared d ON d.field = p.path
      CROSS JOIN newest n ON n.kind = 'schema' AND n.id = d.schema WHERE p.name = ? AND ${seen.sql}
      GROUP BY d.kind ORDER BY d.kind = 'keyword' LIMIT 1`
    return connection
      .prepare<readonly [path: number, as: string, facet: number]>(sql)
      .get(name, ...seen.values)
  }

  return visibility => ({
    paths(field, withMembers = false) {
      if (!field.startsWith(documentPrefix)) return exact.all(recordPath(field)).map(([path]) => path)
      const name = field.slice(documentPrefix.length).toLowerCase()
      const found = name.startsWith('*.')
        ? ending.all(name.slice(2), mostPaths + 1)
        : [...exact.all(name), ...(withMembers ? below.all(name, mostPaths + 1) : [])]
      if (found.length > mostPaths) {
        throw malformedRequest(
          `More than ${mostPaths} paths are called "${truncate(name)}": write a longer one.`,
        )
      }
      return found.map(([path]) => path)
    },
    declared(field) {
      if (!field.startsWith(documentPrefix)) return undefined
      const name = field.slice(documentPrefix.length).toLowerCase()
      const [number, as, facet] = declaration(name, visibility) ?? []
      if (number === undefined) return undefined
      return { number, as: as as DeclaredPath['as'], isFacet: facet === 1 }
    },
  })
}

/** @param what what the field is asked for, such as "a range" */
export function undeclared(field: string, what: string, as: 'number' | 'keyword'): Error {
  const path = field.startsWith(documentPrefix) ? field.slice(documentPrefix.length) : field
  const member = JSON.stringify({
    search: { fields: [{ path, as, ...(as === 'keyword' && { facet: true }) }] },
  })
  const advice = field.startsWith(documentPrefix)
    ? ` Declare it in the record of the schema of these documents: ${member.slice(1, -1)}.`
    : ''
  return malformedRequest(`The field "${truncate(field)}" has no ${what}.${advice}`)
}
