import type { CoreParts } from '../../compose/compose.js'
import type { Principal } from '../../core/access-control.js'
import type { DescribedRevision, DocumentDescription } from '../../core/records/document-description.js'
import { pageWindow } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import type { Crosswalk } from './crosswalk/crosswalk-rules.js'
import { describeDocument } from './describe-document.js'
import { type DescribedParts, openStoredDocuments, type StoredDocuments } from './stored-documents.js'

export interface Descriptions extends Pick<StoredDocuments, 'describeEach'> {
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
}

/** Number of revisions of a schema that are listed at once. */
const portion = 100

/** Opens the descriptions of documents, for servers and commands. */
export function openDescriptions(parts: DescribedParts & Pick<CoreParts, 'collections'>): Descriptions {
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
  }
}
