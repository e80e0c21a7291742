import {
  defaultIdentifier,
  defaultTitles,
  identifierTypeOf,
  type RecordDate,
  type RelatedIdentifier,
  type WrittenRecord,
} from '../../core/records/record.js'

/**
 * Removes the members that the interface derives for every record: clients send them back, and people copy them from
 * answers. Also gives equal records one spelling: the date CREATED is the first date and the only one of that type, and
 * each related identifier has a type.
 * @param record without empty members
 */
export function removeDerivedMembers(record: WrittenRecord): WrittenRecord {
  const { id, schema, identifier, titles, dates, relatedIdentifiers, alternateIdentifiers } = record
  const own: Partial<Record<keyof WrittenRecord, unknown>> = {
    // It is derived from the document.
    resourceType: undefined,
    identifier:
      identifier?.value === defaultIdentifier.value && same(identifier, defaultIdentifier)
        ? undefined
        : identifier,
    titles:
      titles?.[0]?.value === defaultTitles[0]?.value && same(titles, defaultTitles) ? undefined : titles,
    dates: dates && left(dates, createdFirst(dates)),
    relatedIdentifiers:
      relatedIdentifiers && left(relatedIdentifiers, ownRelations(relatedIdentifiers, schema !== undefined)),
    alternateIdentifiers:
      alternateIdentifiers &&
      left(
        alternateIdentifiers,
        alternateIdentifiers.filter(other => other.identifierType !== 'INTERNAL' || other.value !== id),
      ),
  }
  const isOwn = (Object.keys(own) as (keyof WrittenRecord)[]).every(name => own[name] === record[name])
  if (isOwn) return record
  const made: Record<string, unknown> = {}
  for (const [name, value] of Object.entries({ ...record, ...own }))
    if (value !== undefined) made[name] = value
  return made
}

function createdFirst(dates: readonly RecordDate[]): readonly RecordDate[] {
  const created = dates.find(({ type }) => type === 'CREATED')
  return created ? [created, ...dates.filter(({ type }) => type !== 'CREATED')] : dates
}

/**
 * The relations without those that are derived when a record is shown.
 * @param followsSchema whether the member `schema` replaces HAS_METADATA
 */
function ownRelations(
  relations: readonly RelatedIdentifier[],
  followsSchema: boolean,
): readonly RelatedIdentifier[] {
  return relations
    .filter(
      ({ relationType }) =>
        relationType !== 'IS_NEW_VERSION_OF' && !(followsSchema && relationType === 'HAS_METADATA'),
    )
    .map(related =>
      related.identifierType ? related : { identifierType: identifierTypeOf(related), ...related },
    )
}

/** Returns `kept`, but `list` itself if both have the same items, and undefined if `kept` is empty. */
function left<T>(list: readonly T[], kept: readonly T[]): readonly T[] | undefined {
  if (kept.length === 0) return undefined
  return kept.length === list.length && kept.every((item, index) => item === list[index]) ? list : kept
}

/** Compares values whose members are in the stored order. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
