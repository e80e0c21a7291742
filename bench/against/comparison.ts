import { median } from '../support/statistics.js'

/** The figures of one run of a row. A figure is missing if the row does not have it or the machine does not report it. */
export interface Figures {
  /** Requests per second. */
  readonly rate?: number
  /** Milliseconds of a request: the median, and the value that 1 % exceed. */
  readonly p50?: number
  readonly p99?: number
  /** Milliseconds of processor time of the server per request, with its threads, processes and later work. */
  readonly cpu?: number
  /** Mebibytes of all processes of the server. */
  readonly memory?: number
}

export type Measure = keyof Figures

/** The measures in the order of the table, with their headings. */
export const measures: Readonly<Record<Measure, string>> = {
  rate: 'rate, /s',
  p50: 'p50, ms',
  p99: 'p99, ms',
  cpu: 'CPU, ms a request',
  memory: 'memory, MB',
}

const columns = Object.keys(measures) as Measure[]

/** The runs of a row. Runs at the same position are a pair: one followed the other. */
export interface Pairs {
  readonly today: readonly Figures[]
  readonly other: readonly Figures[]
}

/** The ratios today ÷ other of the pairs of a row. */
export interface Comparison {
  /** Medians of the values. */
  readonly today: number
  readonly other: number
  /** Median, smallest and largest ratio of the pairs. */
  readonly ratio: number
  readonly min: number
  readonly max: number
  /** `loss`: every pair is worse, and the median by more than a tenth. `perhaps`: the median is, but not every pair. */
  readonly verdict: 'loss' | 'perhaps' | 'kept'
}

/** Part of a value that may be lost. */
const tolerated = 0.1
/** Ratio of processor time that a short run may not exceed, because other processes use the same machine. */
const mostCpu = 1.5

/** Compares the runs of a row. @returns undefined if no pair has the measure */
export function compare({ today, other }: Pairs, measure: Measure): Comparison | undefined {
  const pairs = today.flatMap((figures, round) => {
    const [ours, theirs] = [figures[measure], other[round]?.[measure]]
    return isMeasured(ours) && isMeasured(theirs) ? [{ ours, theirs }] : []
  })
  if (pairs.length === 0) return undefined
  const ratios = pairs.map(({ ours, theirs }) => ours / theirs)
  // How much worse each pair is: above 1, today is worse.
  const worse = ratios.map(ratio => (measure === 'rate' ? 1 / ratio : ratio))
  const isLoss = median(worse) > (measure === 'rate' ? 1 / (1 - tolerated) : 1 + tolerated)
  return {
    today: median(pairs.map(({ ours }) => ours)),
    other: median(pairs.map(({ theirs }) => theirs)),
    ratio: median(ratios),
    min: Math.min(...ratios),
    max: Math.max(...ratios),
    verdict: !isLoss ? 'kept' : worse.every(factor => factor > 1) ? 'loss' : 'perhaps',
  }
}

/** Processor time is counted in hundredths of a second, so short work may have taken none. */
function isMeasured(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value > 0
}

/** Whether each of at least two pairs needed much more processor time a request today. */
export function isTooExpensive(pairs: Pairs): boolean {
  return pairs.today.length > 1 && (compare(pairs, 'cpu')?.min ?? 0) > mostCpu
}

const marks = { loss: ' **LOSS**', perhaps: ' loss?', kept: '' } as const

/** Formats `today : other = ratio (smallest–largest)`, and the mark of a loss. */
export function comparisonText({ today, other, ratio, min, max, verdict }: Comparison): string {
  const pairs = min === max ? '' : ` (${min.toFixed(2)}–${max.toFixed(2)})`
  return `${short(today)} : ${short(other)} = ${ratio.toFixed(2)}×${pairs}${marks[verdict]}`
}

/** Formats the rows as a table in Markdown. */
export function comparisonTable(rows: ReadonlyMap<string, Pairs>): string {
  const cells = [...rows].map(([name, pairs]) => [
    name,
    ...columns.map(measure => {
      const compared = compare(pairs, measure)
      return compared ? comparisonText(compared) : ''
    }),
  ])
  const heading = ['row, today : other', ...Object.values(measures)]
  const lines = [heading, ...cells]
  const widths = heading.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  const text = lines.map(
    line => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`,
  )
  const rule = `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|\n`
  return [text[0], rule, ...text.slice(1)].join('')
}

/** Returns a line for each row with a loss: its name and the ratios that are too bad. */
export function losses(rows: ReadonlyMap<string, Pairs>): readonly string[] {
  return [...rows].flatMap(([name, pairs]) => {
    const lost = columns.flatMap(measure => {
      const compared = compare(pairs, measure)
      return compared?.verdict === 'loss' ? [`${measures[measure]} ${compared.ratio.toFixed(2)}×`] : []
    })
    return lost.length > 0 ? [`${name}: ${lost.join('; ')}`] : []
  })
}

/** Formats a number with three digits, or more before the decimal point. */
function short(value: number): string {
  return value >= 100 ? Math.round(value).toString() : Number(value.toPrecision(3)).toString()
}
