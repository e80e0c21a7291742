/*
 * The score of a row for words, as the function `bm25` of FTS5 computes it.
 * @see https://sqlite.org/fts5.html §5.1.1
 */

/** `words`: words of any field. `leaf`: words at paths of documents. */
export type ScoredTable = 'words' | 'leaf'

/** An FTS5 expression on one table. Scores depend on how rare a word is in that table. */
export interface ScoredMatch {
  readonly table: ScoredTable
  readonly text: string
}

/** How much a word counts in each column of a table, in the order of the columns. */
export const columnWeights: Readonly<
  Record<ScoredTable, readonly (readonly [column: string, weight: number])[]>
> = {
  words: [
    ['title', 8],
    ['record', 3],
    ['document', 1],
  ],
  leaf: [['t', 1]],
}

/** SQL for the score of a row. The lower the score, the better the hit. */
export function scoreSql({ table }: Pick<ScoredMatch, 'table'>): string {
  return `bm25(${[table, ...columnWeights[table].map(([, weight]) => weight.toFixed(1))].join(', ')})`
}

/** Numbers of rows and words in a whole table. FTS5 does not subtract rows that were removed. */
export interface TableStatistics {
  readonly rows: number
  readonly words: number
}

/** The constants of the formula in FTS5. */
const [k1, b] = [1.2, 0.75]
/** The rarity of a word that half of the rows have, or more. */
const minRarity = 1e-6

/**
 * The number of rows without a word, divided by that of rows with it. Its logarithm is the rarity of the word.
 * @param rows number of rows with the word
 */
export function rarityArgument({ rows: all }: TableStatistics, rows: number): number {
  return (all - rows + 0.5) / (rows + 0.5)
}

/**
 * Returns the function that scores a row with one word. It computes in the order of FTS5, so that results are equal.
 * @param logarithm of {@link rarityArgument}
 */
export function bm25Of(statistics: TableStatistics, logarithm: number) {
  const rarity = logarithm <= 0 ? minRarity : logarithm
  const averageLength = statistics.words / statistics.rows
  /**
   * The score of a row; lower is better.
   * @param frequency sum of the column weights of all places of the word
   * @param length number of words in the row
   */
  return (frequency: number, length: number): number =>
    -rarity * ((frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * length) / averageLength)))
}
