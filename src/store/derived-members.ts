import {
  defaultIdentifier,
  defaultTitles,
  identifierTypeOf,
  type RecordDate,
  type RelatedIdentifier,
  type WrittenRecord,
} from '../core/record.js'

/**
 * A record without what the interface shows of every record by itself: it comes back from clients and from people
 * who copy an answer, and must not count. What is left has one spelling: CREATED is the first date and the only one
 * of its type, a related identifier has a type.
 * @param record empty members left out already
 * @see contract, 2.3 to 2.5
 */
export function withoutDerived(record: WrittenRecord): WrittenRecord {
  const { id, schema, identifier, titles, dates, relatedIdentifiers, alternateIdentifiers } = record
  const own: Partial<Record<keyof WrittenRecord, unknown>> = {
    ...record,
    // Told by the document.
    resourceType: undefined,
    identifier:
      identifier?.value === defaultIdentifier.value && same(identifier, defaultIdentifier)
        ? undefined
        : identifier,
    titles:
      titles?.[0]?.value === defaultTitles[0]?.value && same(titles, defaultTitles) ? undefined : titles,
    dates: filled(createdFirst(dates)),
    relatedIdentifiers: filled(ownRelations(relatedIdentifiers, schema !== undefined)),
    alternateIdentifiers: filled(
      alternateIdentifiers?.filter(other => other.identifierType !== 'INTERNAL' || other.value !== id),
    ),
  }
  const made: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(own)) if (value !== undefined) made[name] = value
  return made
}

function createdFirst(dates: readonly RecordDate[] | undefined): readonly RecordDate[] | undefined {
  const created = dates?.find(({ type }) => type === 'CREATED')
  return created && dates ? [created, ...dates.filter(({ type }) => type !== 'CREATED')] : dates
}

/** @param followsSchema the member `schema` says what HAS_METADATA would */
function ownRelations(
  relations: readonly RelatedIdentifier[] | undefined,
  followsSchema: boolean,
): readonly RelatedIdentifier[] | undefined {
  return relations
    ?.filter(
      ({ relationType }) =>
        relationType !== 'IS_NEW_VERSION_OF' && !(followsSchema && relationType === 'HAS_METADATA'),
    )
    .map(related => ({ identifierType: identifierTypeOf(related), ...related }))
}

function filled<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list?.length ? list : undefined
}

/** Of values whose members are in the stored order. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
