import { harvest } from '../measurements/harvest-rate.js'
import { canLook, memoryOfAll, processorTimeOfAll } from '../support/process-memory.js'
import type { Figures } from './comparison.js'
import { untilQuiet } from './measured-work.js'
import type { RowGroup } from './rows.js'

/* Whole harvests by one harvester, a record as a request: the first one after a start, and the next one. */

const formats = ['oai_dc', 'datacite'] as const

/** @param records number of records of the data folders */
export function harvestGroups(records: number): readonly RowGroup[] {
  return formats.map(format => harvestGroup(format, records))
}

function harvestGroup(format: (typeof formats)[number], records: number): RowGroup {
  const rows = ['first', 'second'].map(which => `harvest of all records, ${format}, ${which} after a start`)
  return {
    rows,
    measure: ({ folders }, build) =>
      folders.withServer(build, { bare: true, search: false, records }, async ({ port, pid }) => {
        const figures = new Map<string, Figures>()
        for (const row of rows) {
          await untilQuiet(pid)
          const before = canLook ? processorTimeOfAll(pid) : Number.NaN
          const { items, rate } = await harvest(port, pid, { format })
          if (items.length !== records)
            throw new Error(`A harvest of ${records} records has ${items.length} records.`)
          const cpu = canLook ? (processorTimeOfAll(pid) - before) / records : Number.NaN
          figures.set(row, { rate, cpu, ...(canLook && { memory: memoryOfAll(pid) }) })
        }
        return figures
      }),
  }
}
