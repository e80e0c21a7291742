import { asVersion } from '../../src/core/value-types.js'
import { fresh } from '../support/measurement.js'
import { createBytes, documentFor, idOfRecord } from './create-requests.js'
import { form, openConnection, requestBytes } from './http-connection.js'

/** Clients that create, update and delete records until they are stopped. */
export interface MixedUpdates {
  /** Ids of the existing records that were updated or deleted. */
  readonly touched: ReadonlySet<string>
  /** @returns the number of accepted updates @throws Error if an answer is not one of the expected ones */
  stop(): Promise<number>
}

/** Number of parallel clients. */
const clients = 4

/** @param existing numbers of the records to update and delete */
export function startMixedUpdates(port: number, existing: readonly number[]): MixedUpdates {
  const touched = new Set<string>()
  let isOver = false
  let accepted = 0
  let turn = 0

  /**
   * Makes the next request: a third each are creates, updates and deletes. The updated and deleted records are spread
   * over the list.
   */
  function next(): { readonly bytes: Buffer; readonly expected: readonly number[] } {
    turn += 1
    const number = existing[(turn * 7919) % existing.length] ?? 0
    const path = `/api/v1/metadata/${idOfRecord(number)}`
    const headers = { 'If-Match': '*' }
    if (turn % 3 === 0) return { bytes: createBytes(fresh(1)), expected: [201] }
    touched.add(idOfRecord(number))
    if (turn % 3 === 1) {
      const parts = form({ document: documentFor(number, asVersion(turn + 2)) })
      return {
        bytes: requestBytes({ method: 'PUT', path, ...parts, headers: { ...parts.headers, ...headers } }),
        expected: [200, 404],
      }
    }
    return { bytes: requestBytes({ method: 'DELETE', path, headers }), expected: [204, 404] }
  }

  async function run(): Promise<void> {
    const connection = await openConnection(port)
    try {
      while (!isOver) {
        const { bytes, expected } = next()
        const { status, body } = await connection.send(bytes)
        if (!expected.includes(status)) throw new Error(`An update got the status ${status}: ${body}`)
        if (status < 300) accepted += 1
      }
    } finally {
      connection.close()
    }
  }
  const running = Promise.all(Array.from({ length: clients }, run))
  // Prevents an unhandled rejection; the error surfaces when awaited.
  running.catch(() => undefined)
  return {
    touched,
    async stop() {
      isOver = true
      await running
      return accepted
    },
  }
}
