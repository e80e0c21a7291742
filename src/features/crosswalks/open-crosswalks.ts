import type { CoreParts } from '../../compose/compose.js'
import type { Principal } from '../../core/access-control.js'
import { unlessDamaged } from '../../core/problem.js'
import type { DescribedRevision, DocumentDescription } from '../../core/records/document-description.js'
import { pageWindow } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import type { OpenFeature } from '../../http/open-feature.js'
import type { Transactions } from '../../service/updates/submit-update.js'
import type { ExportsState } from '../exports/exports.js'
import { exportsOf } from '../exports/feature.js'
import { type Crosswalk, type CrosswalkFault, readCrosswalk } from './crosswalk/read-crosswalk.js'
import { crosswalkSection } from './crosswalk-section.js'
import { describeDocument } from './describe-document.js'
import { impossiblePaths } from './schema-paths.js'
import { type DescribedParts, openStoredDocuments, type StoredDocuments } from './stored-documents.js'

/** What the routes of the feature work with. */
export interface CrosswalksState extends ExportsState {
  readonly crosswalks: Crosswalks
  readonly readCommitted: Transactions['readCommitted']
}

export interface Crosswalks extends Pick<StoredDocuments, 'describeEach'> {
  /**
   * Describes a document that is not stored.
   * @param schema the schema that it follows
   * @param crosswalk in place of that of the record of the schema
   */
  describeBytes(
    bytes: Uint8Array,
    schema: Revision,
    crosswalk: Crosswalk | undefined,
  ): Promise<DocumentDescription>
  /**
   * Describes the newest documents of a schema that the caller may read.
   * @param crosswalk in place of that of the record of the schema
   */
  documentsOf(
    caller: Principal,
    schema: Revision,
    crosswalk: Crosswalk | undefined,
    limit: number,
  ): AsyncGenerator<DescribedRevision, void>
  /** What is wrong in a crosswalk: rules that cannot be read, and paths that no document of the schema can have. */
  faultsIn(json: unknown, schema: SchemaContent): Promise<readonly CrosswalkFault[]>
}

/** The content of a schema. */
export interface SchemaContent {
  readonly type: Revision['documentType']
  document(): Promise<Uint8Array>
}

/** Number of revisions of a schema that are listed at once. */
const portion = 100

/** Opens the descriptions of documents. */
export function openCrosswalks(parts: CoreParts): OpenFeature<CrosswalksState> {
  const crosswalks = openDescriptions(parts)
  return {
    state: { ...exportsOf(parts), crosswalks, readCommitted: parts.transactions.readCommitted },
    describeEach: crosswalks.describeEach,
    async sections(revision) {
      const { crosswalk } = revision.record
      if (revision.kind === 'metadata' || crosswalk === undefined) return []
      const document = () => parts.readDocument(revision)
      const faults = await unlessDamaged(() =>
        crosswalks.faultsIn(crosswalk, { type: revision.documentType, document }),
      )
      return [crosswalkSection(crosswalk, faults ?? [])]
    },
    async checkSchemaRecord({ record, before, type, document }) {
      const { crosswalk } = record
      if (crosswalk === undefined) return []
      if (record.schema !== undefined)
        return [
          {
            message: 'The member crosswalk is for schemas: it describes their documents.',
            path: '/crosswalk',
          },
        ]
      // A crosswalk that is stored stays, whatever becomes of the schema: former documents may need it.
      if (JSON.stringify(crosswalk) === JSON.stringify(before?.crosswalk)) return []
      const faults = await crosswalks.faultsIn(crosswalk, { type, document })
      return faults.map(({ pointer, message }) => ({ message, path: `/crosswalk${pointer}` }))
    },
  }
}

export function openDescriptions(parts: DescribedParts & Pick<CoreParts, 'collections'>): Crosswalks {
  const { describeEach, stateOf } = openStoredDocuments(parts)
  return {
    describeEach,
    async describeBytes(bytes, schema, crosswalk) {
      const state = await stateOf(schema)
      return describeDocument(bytes, schema.documentType, crosswalk ? { ...state, crosswalk } : state)
    },
    async *documentsOf(caller, schema, crosswalk, limit) {
      const query = { schemaIds: [schema.id] }
      for (let offset = 0; offset < limit; offset += portion) {
        const window = pageWindow(offset, Math.min(portion, limit - offset))
        const { items } = parts.collections.metadata.list(caller, query, window)
        yield* describeEach(items, crosswalk)
        if (items.length < portion) return
      }
    },
    async faultsIn(json, { type, document }) {
      const { crosswalk, faults } = readCrosswalk(json)
      return faults.length > 0 ? faults : impossiblePaths(crosswalk, await document(), type)
    },
  }
}
