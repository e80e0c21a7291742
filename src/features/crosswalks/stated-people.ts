import type { DocumentDescription } from '../../core/records/document-description.js'
import type { StoredRecord } from '../../core/records/record.js'
import { hasCallerAsCreator, hasPublisherAsCreator, isNameOf } from '../exports/datacite/people.js'

/** Whether the author of the first commit of a record tells if its creator comes before those of its document. */
export function needsAuthor(record: StoredRecord, { creators, publisher }: DocumentDescription): boolean {
  return (creators ?? publisher) !== undefined && hasCallerAsCreator(record)
}

/** Descriptions without people, by whole descriptions that are in memory. */
const withoutPeople = new WeakMap<DocumentDescription, Record<'both' | 'creators', DocumentDescription>>()

/**
 * The description without its creators, if the record says itself who made it: its creator is not the client who created
 * it, whom the service fills in. A publisher of the same name is no default then, either.
 * @param author of the first commit of a record for which {@link needsAuthor} holds; undefined if it is unknown
 */
export function besideRecord(
  record: StoredRecord,
  description: DocumentDescription,
  author: string | undefined,
): DocumentDescription {
  const [creator] = record.creators ?? []
  if (!creator || author === undefined || isNameOf(creator, author)) return description
  let known = withoutPeople.get(description)
  if (!known) {
    const { creators: _, ...others } = description
    const { publisher: __, ...rest } = others
    known = { creators: others, both: rest }
    withoutPeople.set(description, known)
  }
  return known[hasPublisherAsCreator(record) ? 'both' : 'creators']
}
