import { asVersion } from '../../src/core/value-types.js'
import { createRequests, documentFor, idOfRecord, numbers } from '../load/create-requests.js'
import { form, requestBytes } from '../load/http-connection.js'
import type { LoadRequest } from '../load/load-generator.js'
import { fresh } from '../support/measurement.js'
import type { Work } from './measured-work.js'
import { groupOf, type RowGroup } from './rows.js'

/* Durable creates and updates: with a work tree and bare, with the search and without. */

/** @param records number of records of the data folders */
export function writeGroups(records: number): readonly RowGroup[] {
  return [false, true].flatMap(bare =>
    [true, false].map(search => {
      const works = worksOf(`${bare ? 'bare' : 'work tree'}, search ${search ? 'on' : 'off'}`, records)
      const [first] = works
      return groupOf({ bare, search, records }, works, first && { first })
    }),
  )
}

function worksOf(place: string, records: number): readonly Work[] {
  const creates = (count: number) => createRequests(numbers(fresh(count), count))
  return [
    {
      ...{ row: `creates, 64 clients, ${place}`, clients: 64, usualRate: 500, cold: true, isUpdate: true },
      requests: creates,
    },
    {
      ...{
        row: `creates one after another, ${place}`,
        clients: 1,
        usualRate: 100,
        cold: false,
        isUpdate: true,
      },
      requests: creates,
    },
    {
      row: `lone create every 300 ms, ${place}`,
      ...{ clients: 1, pause: 300, usualRate: 10 / 3, cold: false, isUpdate: true },
      requests: creates,
    },
    {
      ...{ row: `updates, 64 clients, ${place}`, clients: 64, usualRate: 500, cold: false, isUpdate: true },
      requests: count => updateRequests(count, records),
    },
  ]
}

/** Updates of all records in turn, again and again. */
function* updateRequests(count: number, records: number): Generator<LoadRequest> {
  for (let at = 0; at < count; at++) {
    const number = at % records
    const parts = form({ document: documentFor(number, asVersion(2 + Math.floor(at / records))) })
    const headers = { ...parts.headers, 'If-Match': '*' }
    const path = `/api/v1/metadata/${idOfRecord(number)}`
    yield {
      bytes: requestBytes({ method: 'PUT', path, ...parts, headers }),
      expected: { status: 200 },
    }
  }
}
