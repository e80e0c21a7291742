import { programArguments, whole } from './command-options.js'

/** The extent of a run. */
export interface Options {
  /** Numbers of records of the compared repositories. */
  readonly sizes: {
    readonly small: number
    readonly middle: number
    readonly large: number
    readonly largest: number
  }
  /** Number of repetitions, whose median is the result. Compared measurements run in turn. */
  readonly repeats: number
  /** Number of parallel connections. */
  readonly clients: number
  /** Scales a count to the length of this run. @param min lower limit of the result */
  count(whole: number, min?: number): number
  /** Seconds of a measurement with a fixed time. */
  readonly seconds: number
  /** Folder in which generated repositories are kept and reused. */
  readonly keep: string | undefined
  /** Whether to measure the largest repository with a work tree, too, which has millions of files. */
  readonly largestWorkTree: boolean
  /** Whether to omit rows that only explain others. */
  readonly brief: boolean
  /** Whether to print the table as Markdown at the end. */
  readonly markdown: boolean
}

/** Sizes and shares of a full run, a run of minutes, and a run that only shows that everything works. */
const lengths = {
  whole: { small: 1_000, middle: 10_000, large: 100_000, largest: 1_000_000, share: 1, seconds: 30 },
  quick: { small: 200, middle: 1_000, large: 2_000, largest: 5_000, share: 0.05, seconds: 3 },
  ci: { small: 100, middle: 200, large: 300, largest: 300, share: 0.01, seconds: 1 },
} as const

const usageOf = (groups: readonly string[]) => `npm run bench                        every group
npm run bench -- <group>… [options]  those: ${groups.join(', ')}
npm run bench -- ci                  every group with little, in less than two minutes
npm run bench -- against [commit]    another commit and today's, in turn
npm run bench -- generate|real|soak  a repository to measure on, real documents, an hour of load

Measures in turn with what it is measured against, and prints ratios of medians. Ends with 1 where a result is wrong; a
ratio that is not reached is said, and no failure.`

/**
 * Parses the options of a run. Prints an error and ends the process if they are wrong.
 * @param groups names of the groups of measurements
 */
export function parseOptions(
  args: readonly string[],
  groups: readonly string[],
  length: keyof typeof lengths = 'whole',
): Options {
  const given = programArguments(
    usageOf(groups),
    {
      records: whole('Records of the largest repository'),
      repeats: { ...whole('Times each is measured'), default: length === 'ci' ? 1 : 3 },
      clients: { ...whole('Connections at once'), default: 64 },
      keep: { type: 'string', describe: 'Folder in which generated repositories are kept' },
      quick: { type: 'boolean', default: false, describe: 'With small repositories: the ratios mean little' },
      'largest-work-tree': {
        type: 'boolean',
        default: false,
        describe: 'Creates at the largest size with a work tree too: two million files',
      },
      markdown: { type: 'boolean', default: false, describe: 'The table as Markdown at the end' },
    },
    { args },
  )
  const { share, seconds, ...sizes } = lengths[given.quick ? 'quick' : length]
  const largest = given.records ?? sizes.largest
  const upTo = (size: number) => Math.min(size, largest)
  return {
    sizes: { small: upTo(sizes.small), middle: upTo(sizes.middle), large: upTo(sizes.large), largest },
    repeats: given.repeats,
    clients: given.clients,
    count: (number, min = 1) => Math.max(min, Math.round(number * share)),
    seconds,
    keep: given.keep,
    largestWorkTree: given['largest-work-tree'],
    brief: length === 'ci',
    markdown: given.markdown,
  }
}
