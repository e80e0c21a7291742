import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Oid, Version } from '../../core/value-types.js'

/** The good revisions of a schema from one on, newest first. */
export function* schemaRevisions(queries: CatalogQueries, newest: Revision): Iterable<Revision> {
  for (let found: Revision | undefined = newest; found; ) {
    yield found
    const { id, version, sequence }: Revision = found
    found = queries.schemaAsOf(id, version, sequence - 1) ?? queries.schemaAsOf(id, undefined, sequence - 1)
  }
}

/**
 * The revision that a commit made of a record.
 * @param newest the newest revision of the record
 * @param version the version of metadata that the commit made; of schemas all revisions are looked through
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
