import { asVersion, type Version } from '../../src/core/value-types.js'
import { revisions } from '../data/generate-repository.js'
import { type Size, schemas, seed } from '../data/repository-cache.js'
import { openRandom } from '../data/seeded-random.js'
import { idOfRecord } from './create-requests.js'
import { requestBytes } from './http-connection.js'
import type { LoadRequest } from './load-generator.js'

/** The media type of a metadata record in version 1. */
export const recordType = 'application/vnd.datamanager.metadata-record+json'
export const jsonType = 'application/json'

export function getBytes(path: string, accept?: string): Buffer {
  return requestBytes({ method: 'GET', path, ...(accept !== undefined && { headers: { accept } }) })
}

/** A GET of a document, whose answer must have these bytes. */
export function documentRequest(number: number, body: Buffer, version?: Version): LoadRequest {
  const query = version === undefined ? '' : `?version=${version}`
  return {
    bytes: getBytes(`/api/v1/metadata/${idOfRecord(number)}${query}`),
    expected: { status: 200, type: jsonType, body },
  }
}

/** A GET of a record. @param body bytes of the answer, if they are known */
export function recordRequest(number: number, body?: Buffer): LoadRequest {
  return {
    bytes: getBytes(`/api/v1/metadata/${idOfRecord(number)}`, recordType),
    expected: { status: 200, type: recordType, ...(body && { body }) },
  }
}

/** Random numbers below `limit`, evenly distributed. */
export function anyOf(limit: number, count: number, name: number): Uint32Array {
  const random = openRandom(name)
  return Uint32Array.from({ length: count }, () => random.below(limit))
}

/** Returns the number of versions of each record of a generated repository, by the number of the record. */
export function versionsOf({ records, versions = 1 }: Size): readonly Version[] {
  const counts: Version[] = []
  for (const { number, version } of revisions({ records, versions, schemas, seed }))
    counts[number] = asVersion(version)
  return counts
}

/** Returns the numbers of the records of a generated repository, last written record first. */
export function latestFirst({ records, versions = 1 }: Size): readonly number[] {
  const order = [...revisions({ records, versions, schemas, seed })].map(({ number }) => number)
  return [...new Set(order.reverse())]
}
