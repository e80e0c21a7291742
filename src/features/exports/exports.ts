import type { CoreParts } from '../../compose/compose.js'
import type { Principal } from '../../core/access-control.js'
import type { Collection } from '../../core/records/collection.js'
import { identifierTypeOf } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id } from '../../core/value-types.js'
import type { OpenFeature } from '../../http/open-feature.js'
import { findIfReadable } from '../../service/access/find-record.js'
import { listedDescription } from './datacite/listed-description.js'
import { type ExportWriter, openExportWriter } from './export-writer.js'
import { openRecordWalk, type RecordWalk } from './public-records.js'
import { openRecordHistoryReader, type ReadRecordHistory } from './record-history-reader.js'

/** Services for exports. */
export interface Exports {
  /** The changes of a record up to a revision, oldest first. */
  readonly history: ReadRecordHistory
  /** All records that a caller may read. */
  readonly walk: RecordWalk
  /** What the document of a revision says about itself. */
  readonly describe: CoreParts['describe']
  /** What the documents of several revisions say about themselves. */
  readonly describeEach: CoreParts['describeEach']
  /** Writes an export. @throws ProblemError `unavailable` if many long exports wait */
  write: ExportWriter['write']
  /** Identifies what schemas of today contribute to the descriptions of documents, see {@link describeEach}. */
  stateOfSchemas(revisions: readonly Revision[]): string
  /**
   * The records that the related identifiers of the type INTERNAL name, if the caller may read them, by name. Lets
   * other requests run between look-ups, because a record may name thousands.
   */
  internalRecords(
    caller: Principal,
    revision: Pick<Revision, 'record'>,
  ): Promise<ReadonlyMap<string, NamedRecord>>
}

/** What the handlers of the routes of exports, and of features that need them, get. */
export interface ExportsState {
  readonly exports: Exports
}

export interface NamedRecord {
  readonly kind: Collection
  readonly id: Id
}

/** Opens the exports. */
export function openExports({
  catalog,
  repository,
  pages,
  describe,
  describeEach,
}: CoreParts): OpenFeature<ExportsState> {
  const { committed } = catalog
  const { write, close } = openExportWriter()
  const exports = {
    history: openRecordHistoryReader(committed, repository.history),
    walk: openRecordWalk(pages),
    describe,
    describeEach,
    write,
    stateOfSchemas(revisions: readonly Revision[]) {
      const ids = new Set(revisions.flatMap(({ record }) => record.schema?.schemaId ?? []))
      const schemas = [...ids].map(id => committed.newest('schema', id))
      // What documents say may also follow from the document of their schema, such as its `$id`.
      return JSON.stringify(schemas.map(schema => [schema?.record.crosswalk, schema?.document]))
    },
    internalRecords: openInternalRecords(committed),
  }
  return { state: { exports }, listDescription: listedDescription, close }
}

function openInternalRecords(committed: CatalogQueries): Exports['internalRecords'] {
  const find = (caller: Principal, name: string): NamedRecord | undefined =>
    findIfReadable(committed, caller, 'metadata', name) ?? findIfReadable(committed, caller, 'schema', name)

  return async (caller, { record }) => {
    const found = new Map<string, NamedRecord>()
    const pauses = openEventLoopPauses()
    const names = (record.relatedIdentifiers ?? [])
      .filter(related => identifierTypeOf(related) === 'INTERNAL')
      .map(({ value }) => value)
    for (const name of new Set(names)) {
      await pauses.ifDue()
      const named = find(caller, name)
      if (named) found.set(name, { kind: named.kind, id: named.id })
    }
    return found
  }
}
