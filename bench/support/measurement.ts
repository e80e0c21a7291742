import type { Repositories } from '../data/repository-cache.js'
import type { Load } from '../load/load-generator.js'
import type { Options } from './benchmark-options.js'
import type { Table } from './result-table.js'

/** The tools of every group of measurements. */
export interface Bench {
  readonly options: Options
  readonly table: Table
  readonly repositories: Repositories
  readonly load: Load
}

/** Measures and adds rows to the table. Fails for a wrong result, never for a slow one. */
export type Group = (bench: Bench) => Promise<void>

/** Formats a number for people. */
export function many(number: number): string {
  return number.toLocaleString('en')
}

let taken = 10_000_000

/** Reserves numbers of records that no repository has. @returns the first of `count` */
export function fresh(count: number): number {
  taken += count
  return taken - count
}
