import { cpus, totalmem } from 'node:os'
import { median } from './statistics.js'

/** Units. More is better for `/s`, less is better for all others. */
export type Unit = '/s' | 'ms' | 's' | 'MB' | 'bytes' | 'calls'

/** The results of one way to do the work, one for each repetition. */
export interface Measured {
  readonly what: string
  readonly values: readonly number[]
}

type Goal = { readonly atLeast: number } | { readonly atMost: number } | { readonly below: number }

export interface Row {
  readonly work: string
  readonly unit: Unit
  readonly ours: Measured
  readonly against: Measured
  /**
   * The goal of the ratio `ours / against`, or, with `below`, of the value of `ours` in the unit of the row. A row
   * without a goal explains others.
   */
  readonly goal?: Goal
  /** An explanation of the values. */
  readonly note?: string
}

export interface Table {
  add(row: Row): void
  readonly rows: readonly Row[]
}

/** Prints the rows as they are added. */
export function openTable(title: string): Table {
  const rows: Row[] = []
  process.stdout.write(`\n${title}\n`)
  return {
    rows,
    add(row) {
      rows.push(row)
      process.stdout.write(`\n${rowText(row)}`)
    },
  }
}

function rowText(row: Row): string {
  const lines = [`  ${row.work}`, `    ${verdict(row)}`]
  for (const side of [row.ours, row.against])
    lines.push(`    ${shown(side, row.unit).padEnd(36)}  ${side.what}`)
  if (row.note !== undefined) lines.push(`    ${row.note}`)
  return `${lines.join('\n')}\n`
}

function verdict(row: Row): string {
  const { goal } = row
  const ratio = ratioText(ratioOf(row))
  if (!goal) return ratio
  return `${ratio}, to reach ${goalText(row)}: ${isReached(row) ? 'reached' : 'NOT reached'}`
}

export function ratioOf({ ours, against }: Row): number {
  return median(ours.values) / median(against.values)
}

export function isReached(row: Row): boolean {
  const { goal } = row
  if (!goal) return true
  if ('below' in goal) return median(row.ours.values) < goal.below
  return 'atLeast' in goal ? ratioOf(row) >= goal.atLeast : ratioOf(row) <= goal.atMost
}

function goalText({ goal, unit }: Row): string {
  if (!goal) return ''
  if ('below' in goal) return `below ${goal.below} ${unit}`
  return 'atLeast' in goal ? `≥ ${ratioText(goal.atLeast)}` : `≤ ${ratioText(goal.atMost)}`
}

function ratioText(ratio: number): string {
  return `${trimmed(ratio)}×`
}

/** Formats the median and the range. */
function shown({ values }: Measured, unit: Unit): string {
  const of = (value: number) => trimmed(value)
  const range = `${of(Math.min(...values))} to ${of(Math.max(...values))}`
  return `${of(median(values))}${unit === '/s' ? '' : ' '}${unit}${values.length > 1 ? ` (${range})` : ''}`
}

/** Formats a number with three significant digits and without an exponent. */
function trimmed(value: number): string {
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Formats the table for `docs/understand/performance.md`. */
export function markdown(rows: readonly Row[]): string {
  const line = (row: Row) => {
    const { ours, against, unit } = row
    const cells = [
      `${row.work}: ${ours.what}`,
      against.what,
      goalText(row),
      `${ratioText(ratioOf(row))}${row.goal && !isReached(row) ? ' (not reached)' : ''}`,
      shown(ours, unit),
      shown(against, unit),
    ]
    return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  }
  return [
    '| work | measured against | to reach | ratio | ours | theirs |',
    '|---|---|---|---|---|---|',
    ...rows.map(line),
    '',
  ].join('\n')
}

/** Describes the machine and the date of the measurement. */
export function machine(): string {
  const [first] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const today = new Date().toISOString().slice(0, 10)
  return `${today}, ${cpus().length} × ${first?.model.trim() ?? 'unknown'}, ${memory} GiB, Node.js ${process.version}`
}
