import type { Catalog } from '../../../catalog/catalog.js'
import { type Collection, collections } from '../../../core/records/collection.js'
import type { CatalogQueries } from '../../../core/records/record-queries.js'
import type { Revision } from '../../../core/records/revision.js'
import type { Complaint } from './complaint.js'

/** Number of records in one read. */
const portionSize = 32

/** Limit of the attempts to compare. An attempt is repeated if the repository changes meanwhile. */
const maxAttempts = 20

/** Compares the served catalog with one that was rebuilt from the history, when both are at the same commit. */
export async function compareCatalogs(served: Catalog, fresh: Catalog): Promise<readonly Complaint[]> {
  for (let attempt = 1; ; attempt++) {
    const head = served.head()
    if (head === undefined) return [complaintOf('The catalog is empty.')]
    if (fresh.head() !== head) await fresh.writer.catchUp(head)
    const found: Complaint[] = []
    for (const kind of collections)
      found.push(...(await compareRecords(kind, served.committed, fresh.committed)))
    if (JSON.stringify(served.committed.faults()) !== JSON.stringify(fresh.committed.faults())) {
      found.push(complaintOf('The catalog lists other faulty revisions than a rebuilt one.'))
    }
    // An update between the reads may have made the difference.
    if (found.length === 0 || served.head() === head || attempt === maxAttempts) return found
  }
}

async function compareRecords(
  kind: Collection,
  served: CatalogQueries,
  fresh: CatalogQueries,
): Promise<readonly Complaint[]> {
  const found: Complaint[] = []
  for (let offset = 0; ; offset += portionSize) {
    const window = { offset, limit: portionSize }
    const [is, should] = [served.list(kind, {}, window), fresh.list(kind, {}, window)]
    for (let index = 0; index < Math.max(is.items.length, should.items.length); index++) {
      const record = should.items[index] ?? is.items[index]
      if (record && describe(served, is.items[index]) !== describe(fresh, should.items[index])) {
        found.push({ ...complaintOf('The catalog differs from a rebuilt one.'), kind, id: record.id })
      }
    }
    if (is.items.length === 0 && should.items.length === 0) return found
    // Lets the server answer requests.
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** Everything that the catalog derives for a record, except the sequence numbers. */
function describe(queries: CatalogQueries, newest: Revision | undefined): string {
  if (!newest) return ''
  const { kind, id } = newest
  const versions = queries.versions(kind, id, { offset: 0, limit: Number.MAX_SAFE_INTEGER })?.items ?? []
  const shown = versions.map(({ sequence: _, record, files, ...rest }) => [
    rest,
    record,
    [...files].sort(([a], [b]) => (a < b ? -1 : 1)),
  ])
  return JSON.stringify([shown, queries.revisions(kind, id)])
}

function complaintOf(message: string): Complaint {
  return {
    check: 'catalog',
    findings: [{ message: `${message} Delete the catalog and restart to rebuild it.` }],
  }
}
