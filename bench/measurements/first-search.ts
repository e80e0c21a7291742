import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection } from '../load/http-connection.js'
import { timed, upToDate, withFacets } from '../load/timed-searches.js'
import type { Bench } from '../support/measurement.js'
import { withServer } from '../support/server-process.js'

/** Words, each of which is in more than half of the documents. */
const words = ['fracture', 'steel', 'sample', 'surface', 'crystal']
/** Milliseconds between the start of a server and its first search. */
const rest = 8000

/**
 * Measures the first search after the start of a server with an index, and the next searches.
 * @param place name of the repository in the row
 */
export async function addFirstSearch({ options, table }: Bench, dir: string, place: string): Promise<void> {
  const milliseconds = options.count(rest, 100)
  const times = await withServer(dir, async server => {
    const connection = await openConnection(server.port)
    try {
      await upToDate(connection)
      await sleep(milliseconds)
      return await timed(connection, at => withFacets(words[at % words.length] ?? ''), 2 * words.length)
    } finally {
      connection.close()
    }
  })
  table.add({
    work: `search after a start, with five facets, a word in 57 %, ${place}`,
    unit: 'ms',
    ours: { what: `the first one, ${milliseconds / 1000} s after the start`, values: times.slice(0, 1) },
    against: { what: 'the later ones', values: times.slice(1) },
    goal: { atMost: 3 },
  })
}
