import type { InferredOptionType, Options, PositionalOptions } from 'yargs'

/** Options by name, as yargs declares them. */
export type OptionTable = Readonly<Record<string, Options>>
export type PositionalTable = Readonly<Record<string, PositionalOptions>>

/** The values of the options of a table, by name and by name in camel case: yargs sets both. */
export type OptionValues<T extends OptionTable> = {
  readonly [K in keyof T as K | CamelCase<K>]: InferredOptionType<T[K]>
}

type CamelCase<K> = K extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : K
