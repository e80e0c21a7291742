import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, openConnection } from './http-connection.js'
import { getBytes } from './read-requests.js'

const facets = ['schema', 'year', 'state', 'creator', 'type'].join(',')

/** Makes the query of a first page with five facets. */
export const withFacets = (query: string) => `q=${encodeURIComponent(query)}&facets=${facets}&size=20`

interface Found {
  readonly total: number
  readonly upToDate: boolean
}

/** @throws Error if the status is not 200 */
export async function search(connection: Connection, query: string): Promise<Found> {
  const answer = await connection.send(getBytes(`/api/v1/search?${query}`))
  if (answer.status !== 200)
    throw new Error(`${query}: ${answer.status} ${answer.body.toString().slice(0, 300)}`)
  return JSON.parse(answer.body.toString()) as Found
}

/** Waits until the index has the head of the branch. @throws Error if that fails, such as without the cluster */
export async function upToDate(connection: Connection): Promise<void> {
  for (;;) {
    const health = await connection.send(getBytes('/health'))
    const { search } = JSON.parse(health.body.toString()) as {
      readonly search?: { readonly lastError?: string }
    }
    if (search?.lastError !== undefined)
      throw new Error(`The search index cannot be updated: ${search.lastError}`)
    const answer = await connection.send(getBytes('/api/v1/search?size=1'))
    if (answer.status === 200 && (JSON.parse(answer.body.toString()) as Found).upToDate) return
    if (answer.status !== 200 && answer.status !== 503)
      throw new Error(`A search got the status ${answer.status}.`)
    await sleep(200)
  }
}

/** Waits for the index on a new connection. */
export async function indexed(port: number): Promise<void> {
  const connection = await openConnection(port)
  try {
    await upToDate(connection)
  } finally {
    connection.close()
  }
}

/** @returns milliseconds of each search */
export async function timed(
  connection: Connection,
  queryOf: (at: number) => string,
  count: number,
  isRight: (total: number) => boolean = total => total > 0,
): Promise<readonly number[]> {
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const query = queryOf(index)
    const started = performance.now()
    const found = await search(connection, query)
    times.push(performance.now() - started)
    if (!isRight(found.total)) throw new Error(`${query} finds ${found.total} records.`)
  }
  return times
}
