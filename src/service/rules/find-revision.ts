import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Oid, Version } from '../../core/value-types.js'

/** The valid revisions of a schema up to a given one, newest first. */
export function* schemaRevisions(queries: CatalogQueries, newest: Revision): Iterable<Revision> {
  for (let found: Revision | undefined = newest; found; ) {
    yield found
    const { id, version, sequence }: Revision = found
    found = queries.schemaAsOf(id, version, sequence - 1) ?? queries.schemaAsOf(id, undefined, sequence - 1)
  }
}

/**
 * The revision of a record that a commit made; undefined if it is not found.
 * @param newest the newest revision of the record
 * @param version the version that the commit made; needed for metadata. All revisions of a schema are searched
 */
export function findRevision(
  queries: CatalogQueries,
  newest: Revision,
  commit: Oid,
  version: Version | undefined,
): Revision | undefined {
  if (newest.commit === commit) return newest
  if (newest.kind === 'schema') {
    for (const found of schemaRevisions(queries, newest)) if (found.commit === commit) return found
    return undefined
  }
  const found = version === undefined ? undefined : queries.atVersion('metadata', newest.id, version)
  return found?.commit === commit ? found : undefined
}
