/*
 * The score of a row for words, as the function `bm25` of FTS5 computes it.
 * @see https://sqlite.org/fts5.html §5.1.1
 */

export type ScoredTable = 'words' | 'leaf'

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

/** The lower the number is, the better is the hit. */
export function scoreSql({ table }: { readonly table: ScoredTable }): string {
  return `bm25(${[table, ...columnWeights[table].map(([, weight]) => weight.toFixed(1))].join(', ')})`
}

/** What all rows of a table have together. FTS5 goes on counting rows that were removed. */
export interface TableStatistics {
  readonly rows: number
  readonly words: number
}

/** The constants of the formula in FTS5. */
const [k1, b] = [1.2, 0.75]
/** The rarity of a word that half of the rows have, or more. */
const minRarity = 1e-6

/** The rows without a word for each row with it: its logarithm is the rarity of the word. @param rows with the word */
export function rarityArgument({ rows: all }: TableStatistics, rows: number): number {
  return (all - rows + 0.5) / (rows + 0.5)
}

/**
 * The function that scores a row with one word. It computes in the order of FTS5, so that the result is the same number.
 * @param logarithm of {@link rarityArgument}
 */
export function bm25Of(statistics: TableStatistics, logarithm: number) {
  const rarity = logarithm <= 0 ? minRarity : logarithm
  const averageLength = statistics.words / statistics.rows
  /** @param frequency sum of the weights of the columns in which the word is, each time @param length words of the row */
  return (frequency: number, length: number): number =>
    -rarity * ((frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * length) / averageLength)))
}
