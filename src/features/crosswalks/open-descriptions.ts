import type { CoreParts } from '../../compose/compose.js'
import type { Principal } from '../../core/access-control.js'
import type { DescribedRevision } from '../../core/records/document-description.js'
import type { ListCursor } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import { openRecordAuthors } from '../../service/record-history/record-author.js'
import { besideRecord, needsAuthor } from './stated-people.js'
import { type DescribedParts, openStoredDocuments, type StoredDocuments } from './stored-documents.js'

export interface Descriptions {
  /** {@link StoredDocuments.describeDocuments}, without people in whose place the record states others. */
  describeEach(revisions: Iterable<Revision>): AsyncGenerator<DescribedRevision, void>
  readonly describeBytes: StoredDocuments['describeBytes']
  /**
   * Describes the documents of a schema that the caller may read, the newest first.
   * @param trial a crosswalk as JSON, in place of that of the record of the schema
   * @param after begins after this place
   */
  documentsOf(
    caller: Principal,
    schema: Revision,
    trial: string | undefined,
    after: ListCursor | undefined,
  ): AsyncGenerator<DescribedRevision, void>
}

/** Number of revisions of a schema that are listed at once. */
const portion = 40

/** Opens the descriptions of documents, for servers and commands. */
export function openDescriptions(parts: DescribedParts & Pick<CoreParts, 'collections'>): Descriptions {
  const { describeDocuments, describeBytes } = openStoredDocuments(parts)
  const readAuthor = openRecordAuthors(parts.catalog, parts.repository.history)
  return {
    async *describeEach(revisions) {
      for await (const described of describeDocuments(revisions)) {
        const { revision, description } = described
        yield description && needsAuthor(revision.record, description)
          ? {
              ...described,
              description: besideRecord(revision.record, description, await readAuthor(revision)),
            }
          : described
      }
    },
    describeBytes,
    async *documentsOf(caller, schema, trial, after) {
      const query = { schemaIds: [schema.id] }
      let place = after
      do {
        const window = { offset: 0, limit: portion, ...(place && { after: place }) }
        const { items, next } = parts.collections.metadata.list(caller, query, window)
        yield* describeDocuments(items, trial)
        place = next
      } while (place)
    },
  }
}
