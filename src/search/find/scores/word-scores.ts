import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import { numbersOfBlob } from './blob-numbers.js'
import {
  bm25Of,
  columnWeights,
  rarityArgument,
  type ScoredMatch,
  type ScoredTable,
  scoreSql,
  type TableStatistics,
} from './bm25.js'

/** Scores of the rows that have a word. */
export interface WordScores {
  /**
   * The score of a row; lower is better.
   * @param place index of a row among the rows with the word
   * @param length number of words in that row
   */
  score(place: number, length: number): number
}

/** Limit of the number of places of a word in all rows. */
const maxPlaces = 500_000

/**
 * Scores the rows that have one word, by the columns of its places and by the number of words of each row.
 *
 * Fast path: the function `bm25` of FTS5 needs two thirds of its time to read the length of each row from a table. Row
 * "first page with five facets": 32 instead of 46 ms of processor time for 30,000 hits of a word in 3 % of 1,000,000
 * documents. Plain path: `bm25`.
 * @see docs/decisions/011-fast-paths.md
 * @param rows all rows that match, in their order
 * @returns undefined if FTS5 has to score the rows: for several words, for a word at very many places, or if other rows
 *   than these have the word
 */
export function openWordScores(
  connection: Connection,
  match: ScoredMatch,
  rows: readonly number[],
): WordScores | undefined {
  const word = onlyWord(match)
  const statistics = word === undefined ? undefined : statisticsOf(connection, match.table)
  if (word === undefined || !statistics || rows.length > maxPlaces) return undefined
  const frequencies = frequenciesOf(connection, match.table, word, rows)
  if (!frequencies) return undefined
  const [logarithm] = connection
    .prepare<readonly [number]>('SELECT ln(?)')
    .get(rarityArgument(statistics, rows.length)) ?? [0]
  const scoreOf = bm25Of(statistics, logarithm)
  return { score: (place, length) => scoreOf(frequencies[place] ?? 0, length) }
}

/** The word of an expression that is one whole word in any column; undefined for other expressions. */
function onlyWord({ text }: ScoredMatch): string | undefined {
  return /^"([^" ]+)"$/.exec(text)?.[1]
}

/**
 * The number of rows of an FTS5 table, and of words in all of its columns.
 * @see https://sqlite.org/src/file/ext/fts5/fts5_index.c, FTS5_AVERAGES_ROWID
 */
function statisticsOf(connection: Connection, table: ScoredTable): TableStatistics | undefined {
  const [block] = connection
    .prepare<readonly [hex: string]>(`SELECT hex(block) FROM ${table}_data WHERE id = 1`)
    .get() ?? ['']
  const [rows = 0, ...words] = numbersOfBlob(block)
  return rows > 0 ? { rows, words: words.reduce((sum, count) => sum + count, 0) } : undefined
}

/**
 * For each row with a word, the sum of the column weights of the places of the word.
 * @returns undefined if there are too many places, or places in other rows than these
 */
function frequenciesOf(
  connection: Connection,
  table: ScoredTable,
  word: string,
  rows: readonly number[],
): Float64Array | undefined {
  const weights = columnWeights[table]
  connection.exec(
    `CREATE VIRTUAL TABLE IF NOT EXISTS temp.places_of_${table} USING fts5vocab(main, ${table}, instance)`,
  )
  // Row and column of a place are read as one number: to read two takes twice as long. The last column is asked first,
  // because it has most words.
  const column = weights.map(([name], index) => `WHEN '${name}' THEN ${index}`).reverse()
  const [json] = connection
    .prepare<readonly [json: string]>(
      `SELECT json_group_array(place) FROM (
         SELECT doc * ${weights.length} + CASE col ${column.join(' ')} END AS place FROM temp.places_of_${table} WHERE term = ? LIMIT ?)`,
    )
    .get(word, maxPlaces + 1) ?? ['[]']
  const places = JSON.parse(json) as readonly number[]
  if (places.length > maxPlaces) return undefined
  const frequencies = new Float64Array(rows.length)
  let index = -1
  let last: number | undefined
  for (const place of places) {
    const row = Math.floor(place / weights.length)
    if (row !== last) index++
    if (row !== rows[index]) return undefined
    last = row
    frequencies[index] = (frequencies[index] ?? 0) + (weights[place % weights.length]?.[1] ?? 0)
  }
  return index + 1 === rows.length ? frequencies : undefined
}

/**
 * Whether FTS5 gives rows the same scores, by which the next pages are read. Scores may differ because a C compiler may
 * join two operations of FTS5 to one, which rounds once.
 */
export function areScoresOf(
  connection: Connection,
  match: ScoredMatch,
  rows: readonly { readonly row: number; readonly score: number }[],
): boolean {
  const scores = new Map(
    connection
      .prepare<readonly [row: number, score: number]>(
        // The `+` lets FTS5 read the rows of the word once, and not once for each row number.
        `SELECT rowid, ${scoreSql(match)} FROM ${match.table}
         WHERE ${match.table} MATCH ? AND +rowid IN (SELECT value FROM json_each(?))`,
      )
      .all(match.text, JSON.stringify(rows.map(({ row }) => row))),
  )
  return rows.every(({ row, score }) => scores.get(row) === score)
}
