import { say } from '../data/repository-cache.js'
import type { Build } from './build-commit.js'
import { comparisonTable, type Figures } from './comparison.js'
import type { RowGroup, Tools } from './rows.js'

/** The figures of the rounds of each row, by its name. */
export type Measured = ReadonlyMap<string, { readonly today: Figures[]; readonly other: Figures[] }>

/** Measures the wanted rows of both builds in turn. Reports a group that fails, sets the exit code, and goes on. */
export async function measureInTurn(
  groups: readonly RowGroup[],
  tools: Tools,
  builds: { readonly today: Build; readonly other: Build },
  rounds: number,
): Promise<Measured> {
  let rows: Measured = new Map()
  for (const group of groups) {
    const wanted = group.rows.filter(tools.isWanted)
    if (wanted.length === 0) continue
    const without = Object.values(builds).find(({ hasSearch }) => group.needsSearch && !hasSearch)
    if (without) {
      say(`${without.name} has no search: ${wanted.join('; ')}`)
      continue
    }
    try {
      const measured = await measureGroup(group, wanted, tools, builds, rounds)
      say(comparisonTable(measured))
      rows = new Map([...rows, ...measured])
    } catch (error) {
      process.exitCode = 1
      say(`${wanted.join('; ')} went wrong: ${error instanceof Error ? error.stack : String(error)}`)
    }
  }
  return rows
}

async function measureGroup(
  group: RowGroup,
  wanted: readonly string[],
  tools: Tools,
  builds: { readonly today: Build; readonly other: Build },
  rounds: number,
): Promise<Measured> {
  const measured: Measured = new Map(wanted.map(row => [row, { today: [], other: [] }]))
  try {
    for (let round = 1; round <= rounds; round++) {
      say(`Round ${round} of ${rounds}: ${wanted.join('; ')}`)
      for (const side of ['today', 'other'] as const) {
        const figures = await group.measure(tools, builds[side])
        for (const [row, values] of measured) values[side].push(figures.get(row) ?? {})
      }
    }
  } finally {
    await group.close?.(tools.load)
  }
  return measured
}
