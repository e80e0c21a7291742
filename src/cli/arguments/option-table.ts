import type { InferredOptionType, Options, PositionalOptions } from 'yargs'

/** Options by name, as yargs declares them. */
export type OptionTable = Readonly<Record<string, Options>>
export type PositionalTable = Readonly<Record<string, PositionalOptions>>

/** The values of a table's options. yargs sets each value under the option's name and its camel-case name. */
export type OptionValues<T extends OptionTable> = {
  readonly [K in keyof T as K | CamelCase<K>]: InferredOptionType<T[K]>
}

type CamelCase<K> = K extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : K

/* The common members of declarations: of options with a value, of flags, and of arguments that must be given. */

export const text = { type: 'string', requiresArg: true } as const
export const texts = { ...text, array: true } as const
export const number = { type: 'number', requiresArg: true } as const
export const flag = { type: 'boolean', default: false } as const
export const argument = { type: 'string', demandOption: true } as const
