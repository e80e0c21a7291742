export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
}

/**
 * Lines of a table: a line of titles, then one a row, columns two spaces apart, no space at the end of a line.
 * @param width where given, what is longer is cut at it, marked with `…`
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
    return width === undefined || text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
  })
}

/** Text from documents and commits must not steer the terminal. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}
