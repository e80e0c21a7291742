import { pluralize } from '../../core/text/pluralize.js'
import { formatSecond, instantOf } from '../../core/value-types.js'
import type { Terminal } from './terminal.js'

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** The value identifies the row. It is never cut. */
  readonly identifies?: true
}

/**
 * Lines of a table: the titles, then one line a row. Two spaces separate columns; no line ends with a space.
 * @param width characters after which a line is cut and ends with `…`; a value that identifies the row is never cut
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
  const widths = columns.map((_, index) => Math.max(...cells.map(line => (line[index] ?? '').length)))
  return cells.map(line => {
    const text = line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
    if (width === undefined || text.length <= width) return text
    const kept = Math.max(width - 1, endOfIdentity(line))
    return kept >= text.length ? text : `${text.slice(0, kept)}…`
  })

  function endOfIdentity(line: readonly string[]): number {
    const index = columns.findLastIndex(column => column.identifies)
    if (index < 0) return 0
    const before = widths.slice(0, index).reduce((sum, width) => sum + width + 2, 0)
    return before + (line[index] ?? '').length
  }
}

/** Replaces control characters: documents and commits must not control the terminal. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}

/** Prints a table. Titles are dim on a terminal. */
export async function printTable<Row>(
  terminal: Terminal,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Promise<void> {
  const [titles = '', ...lines] = tableLines(rows, columns, terminal.columns)
  await terminal.print(terminal.paint('dim', titles))
  for (const line of lines) await terminal.print(line)
}

export interface Page {
  readonly page: number
  readonly size: number
}

/** Notes which entries the table of a page has, unless it has all. @param totalIs of a total that is a lower bound */
export function notePage(
  terminal: Terminal,
  { page, size }: Page,
  entries: number,
  total: number,
  totalIs?: 'atLeast',
): void {
  if (entries === 0) {
    terminal.note(
      total === 0 ? 'None.' : `Page ${page} does not exist: the list has ${pluralize(total, 'record')}.`,
    )
  } else if (total > entries) {
    const first = page * size + 1
    const last = first + entries - 1
    const of = totalIs ? `at least ${total}` : total
    terminal.note(`${first} to ${last} of ${of}${last < total ? `; --page ${page + 1} has more` : ''}.`)
  }
}

/** A time of an answer as tables and pages show times: to the second. @param time ISO 8601; another text stays as it is */
export function timeCell(time: string): string {
  const instant = instantOf(time)
  return instant === undefined ? time : formatSecond(instant)
}
