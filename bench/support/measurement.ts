import type { Repositories } from '../data/repository-cache.js'
import type { Load } from '../load/load-generator.js'
import type { Options } from './benchmark-options.js'
import type { Table } from './result-table.js'

/** What every group of measurements has at hand. */
export interface Bench {
  readonly options: Options
  readonly table: Table
  readonly repositories: Repositories
  readonly load: Load
}

/** Measures, adds its rows to the table, and fails where a result is wrong. Never for being slow. */
export type Group = (bench: Bench) => Promise<void>

/** A number as people read it. */
export function many(number: number): string {
  return number.toLocaleString('en')
}

let taken = 10_000_000

/** Numbers of records that no repository has. @returns the first of `count` */
export function fresh(count: number): number {
  taken += count
  return taken - count
}
