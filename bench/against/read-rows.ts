import { asVersion } from '../../src/core/value-types.js'
import { recordOf, schemaOf } from '../data/generated-records.js'
import { schemas, seed } from '../data/repository-cache.js'
import { documentFor, idOfRecord } from '../load/create-requests.js'
import type { LoadRequest } from '../load/load-generator.js'
import { anyOf, documentRequest, getBytes, recordRequest } from '../load/read-requests.js'
import { withFacets } from '../load/timed-searches.js'
import type { Work } from './measured-work.js'
import { groupOf, type RowGroup } from './rows.js'

/* Reads of any record of a bare repository, pages of lists, and searches. */

/** @param records number of records of the data folders */
export function readGroups(records: number): readonly RowGroup[] {
  const setting = { bare: true, search: true, records }
  return [
    groupOf(setting, worksOf('search on', records)),
    groupOf({ ...setting, search: false }, worksOf('search off', records)),
    groupOf(setting, searches, { needsSearch: true }),
  ]
}

const pageSize = 20

function worksOf(place: string, records: number): readonly Work[] {
  const any = (count: number) => [...anyOf(records, Math.min(count, records), 1)]
  const work = (row: string, usualRate: number, requests: Work['requests']): Work => ({
    ...{ row: `${row}, 64 clients, ${place}`, clients: 64, usualRate, cold: true, isUpdate: false, requests },
  })
  const lastPage = Math.ceil(records / pageSize) - 1
  return [
    work('GET of a record', 4000, count => any(count).map(number => recordRequest(number))),
    work('GET of a document', 4000, count =>
      any(count).map(number => documentRequest(number, documentFor(number))),
    ),
    work('list of 20, first page', 2500, () => [get(`/api/v1/metadata?size=${pageSize}`)]),
    work('list of 20, last page', 2000, () => [get(`/api/v1/metadata?size=${pageSize}&page=${lastPage}`)]),
    work('list of 20 as a page', 300, () => [page('/metadata-management')]),
    work('page of a record', 150, count =>
      any(count).map(number => page(`/metadata-landing-page?id=${idOfRecord(number)}`)),
    ),
    work('list filtered by resource', 1200, count =>
      any(count).map(number => get(`/api/v1/metadata?resourceId=${encodeURIComponent(resourceOf(number))}`)),
    ),
  ]
}

const searches: readonly Work[] = [
  // The size of the page differs from search to search, so that no answer can be one that was kept.
  searchWork('all', 6, at => withFacets('specimen').replace('size=20', `size=${20 + (at % 50)}`)),
  searchWork('few', 100, at => withFacets(String(100 + ((at * 7) % 900)))),
]

function searchWork(matches: string, usualRate: number, queryOf: (at: number) => string): Work {
  const row = `search that ${matches} match, five facets, one client`
  const requests = (count: number) =>
    Array.from({ length: count }, (_, at) => get(`/api/v1/search?${queryOf(at)}`))
  return { row, clients: 1, usualRate, cold: true, isUpdate: false, requests }
}

function get(path: string): LoadRequest {
  return { bytes: getBytes(path), expected: { status: 200 } }
}

function page(path: string): LoadRequest {
  return { bytes: getBytes(path, 'text/html'), expected: { status: 200 } }
}

/** The resource that a generated record describes. */
function resourceOf(number: number): string {
  const record = JSON.parse(
    recordOf(seed, number, asVersion(1), schemaOf(seed, number, schemas)).toString(),
  ) as { readonly relatedIdentifiers: readonly { readonly value: string }[] }
  return record.relatedIdentifiers[0]?.value ?? ''
}
