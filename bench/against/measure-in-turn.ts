import { say } from '../data/repository-cache.js'
import type { Build } from './build-commit.js'
import { comparisonTable, type Figures } from './comparison.js'
import type { RowGroup, Tools } from './rows.js'

/** The figures of the rounds of each row, by its name. */
export type Measured = ReadonlyMap<string, { readonly today: Figures[]; readonly other: Figures[] }>

export interface Extent {
  readonly rounds: number
  /** Time of `performance.now()` after which nothing more is measured; `Infinity`: no limit. */
  readonly end: number
}

/**
 * Measures the wanted rows of both builds in turn, in each round. Reports a group that fails, sets the exit code, and
 * goes on without it.
 */
export async function measureInTurn(
  groups: readonly RowGroup[],
  tools: Tools,
  builds: { readonly today: Build; readonly other: Build },
  { rounds, end }: Extent,
): Promise<Measured> {
  const measured = new Map<string, { readonly today: Figures[]; readonly other: Figures[] }>()
  const left = new Set(groups.filter(group => group.rows.some(tools.isWanted)))
  for (const group of left) {
    const without = Object.values(builds).find(({ hasSearch }) => group.needsSearch && !hasSearch)
    if (!without) continue
    say(`${without.name} has no search: ${group.rows.filter(tools.isWanted).join('; ')}`)
    left.delete(group)
  }
  for (let round = 1; round <= rounds; round++) {
    for (const group of left) {
      const wanted = group.rows.filter(tools.isWanted)
      if (performance.now() > end) {
        say(`No time is left for round ${round}: ${wanted.join('; ')}`)
        continue
      }
      say(`Round ${round} of ${rounds}: ${wanted.join('; ')}`)
      try {
        const today = await group.measure(tools, builds.today)
        const other = await group.measure(tools, builds.other)
        for (const row of wanted) {
          const known = measured.get(row) ?? { today: [], other: [] }
          measured.set(row, known)
          known.today.push(today.get(row) ?? {})
          known.other.push(other.get(row) ?? {})
        }
      } catch (error) {
        process.exitCode = 1
        say(`${wanted.join('; ')} went wrong: ${error instanceof Error ? error.stack : String(error)}`)
        left.delete(group)
      }
    }
    if (round < rounds) say(comparisonTable(measured))
  }
  return measured
}
