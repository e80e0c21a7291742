import type { InferredOptionType, Options, PositionalOptions } from 'yargs'

/** Options by name, as yargs declares them. */
export type OptionTable = Readonly<Record<string, Options>>
export type PositionalTable = Readonly<Record<string, PositionalOptions>>

/** The values of a table's options. yargs sets each value under the option's name and its camel-case name. */
export type OptionValues<T extends OptionTable> = {
  readonly [K in keyof T as K | CamelCase<K>]: InferredOptionType<T[K]>
}

type CamelCase<K> = K extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : K
