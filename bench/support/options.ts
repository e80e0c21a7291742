import { parseArgs } from 'node:util'

/** How much a run measures. */
export interface Options {
  /** Numbers of records of the repositories that are compared. */
  readonly sizes: {
    readonly small: number
    readonly middle: number
    readonly large: number
    readonly largest: number
  }
  /** Every figure is a median of so many; what is compared is measured in turn. */
  readonly repeats: number
  /** Connections under way at once. */
  readonly clients: number
  /** Says how many of so many there are in a run of this length; at least `least`. */
  count(whole: number, least?: number): number
  /** Seconds a run takes that is measured in time. */
  readonly seconds: number
  /** Generated repositories are kept here, and used again. */
  readonly keep: string | undefined
  /** Measures the largest repository with a work tree too: millions of files. */
  readonly largestWorkTree: boolean
  /** Leaves out rows that are there to explain others. */
  readonly brief: boolean
  /** Prints the table as Markdown at the end. */
  readonly markdown: boolean
}

/** Shares of the whole, for a run of minutes, and for one that only shows that all of it works. */
const lengths = {
  whole: { small: 1_000, middle: 10_000, large: 100_000, largest: 1_000_000, share: 1, seconds: 30 },
  quick: { small: 200, middle: 1_000, large: 2_000, largest: 5_000, share: 0.05, seconds: 3 },
  ci: { small: 100, middle: 200, large: 300, largest: 600, share: 0.01, seconds: 1 },
} as const

/** @throws Error that says which option is wrong */
export function parseOptions(args: readonly string[], length: keyof typeof lengths = 'whole'): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      records: { type: 'string' },
      repeats: { type: 'string', default: length === 'ci' ? '1' : '3' },
      clients: { type: 'string', default: '64' },
      keep: { type: 'string' },
      quick: { type: 'boolean', default: false },
      'largest-work-tree': { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
    },
  })
  const { share, seconds, ...sizes } = lengths[values.quick ? 'quick' : length]
  const largest = values.records === undefined ? sizes.largest : whole('records', values.records)
  const upTo = (size: number) => Math.min(size, largest)
  return {
    sizes: { small: upTo(sizes.small), middle: upTo(sizes.middle), large: upTo(sizes.large), largest },
    repeats: whole('repeats', values.repeats),
    clients: whole('clients', values.clients),
    count: (number, least = 1) => Math.max(least, Math.round(number * share)),
    seconds,
    keep: values.keep,
    largestWorkTree: values['largest-work-tree'],
    brief: length === 'ci',
    markdown: values.markdown,
  }
}

/** @throws Error where the text is not a whole number from 1 */
export function whole(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new Error(`--${name} has to be a whole number from 1, not "${text}".`)
}
