import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import { visibleSql } from '../../../catalog/lists/list-sql.js'
import type { Visibility } from '../../../core/records/list-query.js'
import { truncate } from '../../../core/value-types.js'
import { foldedSql, recordPath, reversedPath, valueHash } from '../index/search-tables.js'
import { documentPrefix } from '../search-condition.js'
import { comparedValue, foldValue } from '../values/fold-words.js'
import { comparedName, hasWholeValues } from '../values/record-values.js'
import { type DeclaredPath, type FieldLookup, isOneOf } from './compile-condition.js'

/** Limit of the paths that one field may stand for, in documents that the caller sees. */
const maxPaths = 1000
/**
 * Limit of the paths that are looked for in documents that the caller sees, at 30 µs each. If there are more, the
 * oldest are looked for, so that new documents, even hidden ones, never push a path out.
 */
const maxPathsLookedFor = 20_000

/** Where a path has the name of a field: at its end, or at its beginning, with members below it. */
type PathPlace = 'ending' | 'below'

/** The queries of the paths of an index, and of who sees them. */
function openPathQueries(connection: Connection) {
  const exact = connection.prepare<readonly [path: number]>('SELECT path FROM path WHERE name = ?')
  const ending = connection.prepare<readonly [path: number]>(
    'SELECT path FROM ending WHERE reversed >= ? AND reversed < ? ORDER BY path LIMIT ?',
  )
  const below = connection.prepare<readonly [path: number]>(
    'SELECT path FROM path WHERE name >= ? AND name < ? ORDER BY +path LIMIT ?',
  )

  function exactPaths(name: string): readonly number[] {
    return exact.all(name).map(([path]) => path)
  }

  /** The first paths that a field stands for. */
  function namedPaths(place: PathPlace, name: string, limit: number): readonly number[] {
    const [query, start] = place === 'ending' ? [ending, reversedPath(name)] : [below, name]
    // A slash is the next character after a dot.
    return [...exactPaths(name), ...query.all(`${start}.`, `${start}/`, limit).map(([path]) => path)]
  }

  function declaration(name: string, visibility: Visibility) {
    const seen = visibleSql(visibility, 'n', 'n.audience')
    const sql = `SELECT p.path, d.kind, max(d.facet) FROM path p CROSS JOIN declared d ON d.field = p.path
      CROSS JOIN newest n ON n.kind = 'schema' AND n.id = d.schema WHERE p.name = ? AND ${seen.sql}
      GROUP BY d.kind ORDER BY d.kind = 'keyword' LIMIT 1`
    return connection
      .prepare<readonly [path: number, as: string, facet: number]>(sql)
      .get(name, ...seen.values)
  }

  /** The first of these paths that are in documents which the caller sees: at most one more than {@link maxPaths}. */
  function firstSeen(all: readonly number[], visibility: Visibility): readonly number[] {
    const seen = visibleSql(visibility, 'n', 'n.audience')
    const document = connection.prepare<readonly [number]>(
      `SELECT 1 FROM words CROSS JOIN indexed f ON f.rev = words.rowid
        CROSS JOIN newest n ON n.kind = f.kind AND n.id = f.id WHERE words MATCH ? AND ${seen.sql} LIMIT 1`,
    )
    const paths: number[] = []
    for (const path of all) {
      if (document.get(`"~${path}~"`, ...seen.values)) paths.push(path)
      if (paths.length > maxPaths) break
    }
    return paths
  }

  return { exactPaths, namedPaths, declaration, firstSeen }
}

/**
 * @param connection to an index, with the catalog attached
 * @param areAllSeen whether callers see all documents of the index
 */
export function openFieldLookup(
  connection: Connection,
  areAllSeen = false,
): (visibility: Visibility) => FieldLookup {
  const { exactPaths, namedPaths, declaration, firstSeen } = openPathQueries(connection)

  /** The numbers of values in their compared form. */
  function numbersOf(field: number, compared: readonly string[]): readonly number[] {
    const hash = isOneOf('hash', compared.map(valueHash))
    const folded = isOneOf(foldedSql(), compared)
    return connection
      .prepare<readonly [value: number]>(
        `SELECT value FROM value WHERE field = ? AND ${hash.sql} AND ${folded.sql}`,
      )
      .all(field, ...hash.values, ...folded.values)
      .map(([value]) => value)
  }

  return visibility => {
    const cut = new Set<string>()
    const notLookedFor = new Set<string>()
    const known = new Map<string, readonly number[]>()

    /** The paths of a name. Paths that only hidden documents have change the answer only if they are very many. */
    function limitedPaths(place: PathPlace, name: string): readonly number[] {
      const all = namedPaths(place, name, maxPaths + 1)
      if (all.length <= maxPaths) return all
      const named = areAllSeen ? all : namedPaths(place, name, maxPathsLookedFor + 1)
      const paths = areAllSeen ? all : firstSeen(named.slice(0, maxPathsLookedFor), visibility)
      if (paths.length > maxPaths) cut.add(name)
      else if (named.length > maxPathsLookedFor) notLookedFor.add(name)
      return paths.slice(0, maxPaths)
    }

    function documentPaths(name: string, withMembers: boolean): readonly number[] {
      if (name.startsWith('*.')) return limitedPaths('ending', name.slice(2))
      return withMembers ? limitedPaths('below', name) : exactPaths(name)
    }

    function declared(field: string): DeclaredPath | undefined {
      if (!field.startsWith(documentPrefix)) return undefined
      const name = field.slice(documentPrefix.length).toLowerCase()
      const [number, as, facet] = declaration(name, visibility) ?? []
      if (number === undefined) return undefined
      return { number, as: as as DeclaredPath['as'], isFacet: facet === 1 }
    }

    function valueField(field: string): number | undefined {
      return hasWholeValues(field) ? exactPaths(recordPath(field))[0] : declared(field)?.number
    }

    return {
      declared,
      valueField,
      wholeValues(field, wanted) {
        const number = valueField(field)
        if (number === undefined) return undefined
        const as = declared(field)?.as
        const compare = (value: string) => {
          if (as) return comparedValue(value, as)
          return String(comparedName(field, value) ?? foldValue(value))
        }
        return numbersOf(number, wanted.map(compare))
      },
      paths(field, withMembers = false) {
        if (!field.startsWith(documentPrefix)) return exactPaths(recordPath(field))
        const key = `${withMembers} ${field}`
        const paths =
          known.get(key) ?? documentPaths(field.slice(documentPrefix.length).toLowerCase(), withMembers)
        known.set(key, paths)
        return paths
      },
      notes: () => [
        ...[...cut].map(
          name =>
            `More than ${maxPaths} paths are called "${truncate(name)}": only the first ${maxPaths} are searched. Write a longer one.`,
        ),
        ...[...notLookedFor].map(
          name =>
            `Very many paths are called "${truncate(name)}": new ones may not be searched. Write a longer one.`,
        ),
      ],
    }
  }
}
