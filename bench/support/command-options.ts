import yargs, { type InferredOptionTypes, type Options } from 'yargs'

/* Arguments of the scripts for developers: benchmarks, faults, fuzzing. */

/** An option of a script. */
interface Option extends Options {
  /** The condition of a number. */
  readonly has?: { readonly kind: string; readonly fits: (value: number) => boolean }
}

type Arguments<O extends Readonly<Record<string, Option>>> = InferredOptionTypes<O> & {
  readonly _: readonly string[]
}

/**
 * Parses the arguments. Prints the help for `--help` and ends the process with 0. Prints a line for an error and ends
 * it with 2.
 * @param usage call and description of the script
 * @param max limit of the arguments that are not options
 */
export function programArguments<const O extends Readonly<Record<string, Option>>>(
  usage: string,
  options: O,
  {
    args = process.argv.slice(2),
    max = 0,
  }: { readonly args?: readonly string[]; readonly max?: number } = {},
): Arguments<O> {
  return yargs([...args])
    .usage(usage)
    .options(options)
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'duplicate-arguments-array': false,
      'parse-positional-numbers': false,
    })
    .strictOptions()
    .version(false)
    .help()
    .locale('en')
    .wrap(120)
    .check(given => {
      for (const [name, { has }] of Object.entries<Option>(options)) {
        const value = given[name]
        if (has && value !== undefined && !has.fits(value as number))
          return `--${name} has to be ${has.kind}.`
      }
      const tooMany = given._[max]
      return tooMany === undefined || `Unexpected argument: ${tooMany}`
    })
    .fail(message => refuse(message))
    .parseSync() as unknown as Arguments<O>
}

/** Prints an error of the arguments and ends the process. */
export function refuse(message: string): never {
  process.stderr.write(`${message}\nSee --help.\n`)
  process.exit(2)
}

/** Limit of numbers, because records, seeds and clients are counted in 32 bits. */
const above = 2 ** 32

/** An option with an integer. @param from the smallest allowed value */
export function whole(describe: string, { from = 1 }: { readonly from?: number } = {}) {
  const fits = (value: number) => Number.isInteger(value) && value >= from && value < above
  return { ...number(describe), has: { kind: `a whole number from ${from}`, fits } }
}

/** An option with a number above 0. */
export function positive(describe: string) {
  const fits = (value: number) => Number.isFinite(value) && value > 0
  return { ...number(describe), has: { kind: 'a number above 0', fits } }
}

function number(describe: string) {
  return { type: 'number', requiresArg: true, describe } as const
}
