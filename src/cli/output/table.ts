import type { Terminal } from './terminal.js'

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** It tells the row from others: it is never cut. */
  readonly identifies?: true
}

/**
 * Lines of a table: a line of titles, then one a row, columns two spaces apart, no space at the end of a line.
 * @param width where given, a longer line is cut at it, marked with `…`, but behind what identifies the row
 */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width?: number,
): readonly string[] {
  const cells = [
    columns.map(column => column.title),
    ...rows.map(row => columns.map(column => oneLine(column.value(row)))),
  ]
  const widths = columns.map((_, at) => Math.max(...cells.map(line => (line[at] ?? '').length)))
  return cells.map(line => {
    const text = line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
    if (width === undefined || text.length <= width) return text
    const kept = Math.max(width - 1, endOfIdentity(line))
    return kept >= text.length ? text : `${text.slice(0, kept)}…`
  })

  function endOfIdentity(line: readonly string[]): number {
    const at = columns.findLastIndex(column => column.identifies)
    if (at < 0) return 0
    const before = widths.slice(0, at).reduce((sum, each) => sum + each + 2, 0)
    return before + (line[at] ?? '').length
  }
}

/** Text from documents and commits must not steer the terminal. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}

/** Prints rows under their titles; the titles are dim where a person looks. */
export async function printTable<Row>(
  terminal: Terminal,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Promise<void> {
  const [titles = '', ...lines] = tableLines(rows, columns, terminal.columns)
  await terminal.print(terminal.paint('dim', titles))
  for (const line of lines) await terminal.print(line)
}
