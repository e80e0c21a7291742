import { median, quantile, slope } from '../support/statistics.js'

/** A line of the report. */
export interface Interval {
  /** Seconds from the start to the end of the interval. */
  readonly at: number
  /** Answered requests per second of the time with a server. */
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** Memory in mebibytes. */
  readonly memory: number
  readonly files: number
  readonly packs: number
  readonly refused: number
  readonly lost: number
  /** Seconds without a server. */
  readonly down: number
  readonly note: string
}

const columns: readonly (readonly [title: string, width: number, of: (line: Interval) => string])[] = [
  ['min', 6, line => (line.at / 60).toFixed(1)],
  ['req/s', 8, line => line.rate.toFixed(1)],
  ['p50 ms', 8, line => line.p50.toFixed(1)],
  ['p99 ms', 8, line => line.p99.toFixed(1)],
  ['p99.9 ms', 9, line => line.p999.toFixed(1)],
  ['MB', 6, line => line.memory.toFixed(0)],
  ['files', 6, line => String(line.files)],
  ['packs', 6, line => String(line.packs)],
  ['refused', 8, line => String(line.refused)],
  ['lost', 5, line => String(line.lost)],
  ['down s', 7, line => line.down.toFixed(1)],
]

export function titleLine(): string {
  return columns.map(([title, width]) => title.padStart(width)).join('')
}

export function textLine(line: Interval): string {
  return `${columns.map(([, width, of]) => of(line).padStart(width)).join('')}  ${line.note}`
}

/** @param latencies milliseconds; empty if there was no answer */
export function percentiles(latencies: readonly number[]): Pick<Interval, 'p50' | 'p99' | 'p999'> {
  if (latencies.length === 0) return { p50: 0, p99: 0, p999: 0 }
  return { p50: median(latencies), p99: quantile(latencies, 0.99), p999: quantile(latencies, 0.999) }
}

/** Values that must not change, and the allowed ratios of the last third of the run to the first. */
const flat: readonly (readonly [
  name: string,
  unit: string,
  of: (line: Interval) => number,
  min: number,
  max: number,
])[] = [
  ['throughput', '/s', line => line.rate, 0.95, 1.05],
  ['p50', 'ms', line => line.p50, 0, 1.5],
  ['p99', 'ms', line => line.p99, 0, 1.5],
  ['p99.9', 'ms', line => line.p999, 0, 2],
  ['memory', 'MB', line => line.memory, 0, 1.2],
  ['file descriptors', '', line => line.files, 0, 1.2],
  ['packs', '', line => line.packs, 0, 1.5],
]

/**
 * Compares the end of the run with its start: the medians of the first and the last third, and the slope of a line
 * through all intervals, as a share of the median per hour. Ignores the first tenth, in which caches fill.
 */
export function summary(lines: readonly Interval[]): readonly string[] {
  // An interval that ends without a server has no memory value.
  const counted = lines.slice(Math.ceil(lines.length / 10)).filter(line => line.memory > 0)
  if (counted.length < 6) return ['Too short to say whether anything grows: take six intervals or more.']
  const third = Math.floor(counted.length / 3)
  const length = ((counted.at(-1) as Interval).at - (counted[0] as Interval).at) / (counted.length - 1)
  return flat.map(([name, unit, of, min, max]) => {
    const values = counted.map(of)
    const first = median(values.slice(0, third))
    const last = median(values.slice(-third))
    const ratio = first === 0 ? 1 : last / first
    const hourly = (slope(values) * 3600) / length / (median(values) || 1)
    const verdict = ratio >= min && ratio <= max ? 'flat' : 'NOT flat'
    const show = (value: number) => `${value.toFixed(1)}${unit && ` ${unit}`}`
    return `${name.padEnd(17)} ${verdict.padEnd(9)} first third ${show(first)}, last third ${show(last)}, slope ${(hourly * 100).toFixed(1)} % an hour`
  })
}
