import type { Load } from '../load/load-generator.js'
import type { Build } from './build-commit.js'
import type { Figures } from './comparison.js'
import type { DataFolders, Setting } from './data-folders.js'
import { countsOf, measureWork, rowsOf, untilQuiet, type Work } from './measured-work.js'

/** The tools of every group of rows. */
export interface Tools {
  readonly folders: DataFolders
  readonly load: Load
  /** Seconds of the warm part of a row on a small machine. */
  readonly seconds: number
  /** Whether a row is wanted. */
  isWanted(row: string): boolean
}

/** Rows that are measured together, once a round for each build. */
export interface RowGroup {
  readonly rows: readonly string[]
  /** Whether only builds with a search have these rows. */
  readonly needsSearch?: boolean
  /** Measures the wanted rows of a build. */
  measure(tools: Tools, build: Build): Promise<ReadonlyMap<string, Figures>>
}

/**
 * Makes a group of work that is sent to one server, in order.
 * @param first work that is always sent, so that the rest finds a server that has worked
 */
export function groupOf(
  setting: Setting,
  works: readonly Work[],
  { first, needsSearch = false }: { readonly first?: Work; readonly needsSearch?: boolean } = {},
): RowGroup {
  /** Number of the prepared requests of some work. */
  const prepared = new Map<Work, number>()
  async function prepare(load: Load, work: Work, count: number): Promise<number> {
    const known = prepared.get(work)
    if (known !== undefined) return known
    const requests = [...work.requests(count)]
    await load.prepare(work.row, requests)
    prepared.set(work, requests.length)
    return requests.length
  }
  return {
    rows: works.flatMap(rowsOf),
    needsSearch,
    measure: ({ folders, load, seconds, isWanted }, build) =>
      folders.withServer(build, setting, async server => {
        const figures = new Map<string, Figures>()
        // A server prepares validation a second after its start, which is not work of the first row.
        await untilQuiet(server.pid)
        for (const work of works.filter(work => work === first || rowsOf(work).some(isWanted))) {
          const counts = countsOf(work, seconds)
          const different = await prepare(load, work, counts.cold + counts.between + counts.warm)
          const measured = await measureWork(load, server, work, counts, different, isWanted)
          for (const [row, value] of measured) figures.set(row, value)
        }
        return figures
      }),
  }
}
