import type { Collection, DocumentType } from '../../../core/records/collection.js'
import {
  type Agent,
  defaultTitles,
  persistentIdentifier,
  relatedResources,
  type StoredRecord,
  stateOf,
} from '../../../core/records/record.js'
import type { RecordField } from '../search-condition.js'

/** A searchable value of a record. Without a field, only a search for words in any field finds it. */
interface RecordValue {
  readonly field?: RecordField
  readonly text: string
  /** The whole value in facets and comparisons; absent: the text. */
  readonly value?: string
}

/** Record fields whose whole values are in the index, in a table of their own. */
export const valueFields: ReadonlySet<string> = new Set<RecordField>([
  'title',
  'creator',
  'publisher',
  'subject',
  'licence',
  'resource',
  'pid',
])

/** Record fields with at most one value, a name or a number, that facets count. */
export const singleFields: ReadonlySet<string> = new Set<RecordField>([
  'schema',
  'year',
  'state',
  'kind',
  'type',
  'language',
])

/** Fields of which many records have the same value. */
export const sharedFields: readonly string[] = ['title', 'schema', 'version']

/**
 * Whether hits with equal keys are ordered oldest first. Those with one value of a shared field have the direction of the
 * field, so that the other direction is the reverse of the same list; all others are ordered newest first.
 * @param first the first key of the order
 */
export function isOldestFirst(
  first: { readonly field: string; readonly order: 'asc' | 'desc' } | undefined,
): boolean {
  return first?.order === 'asc' && sharedFields.includes(first.field)
}

/** Whether the index has the whole values of a field of records. */
export function hasWholeValues(field: string): boolean {
  return singleFields.has(field) || valueFields.has(field) || field === ownerField
}

/**
 * The field with the subjects that have ADMINISTRATE on a record by its access list. It is for a caller who looks for own
 * records: no text, facet or order of a request names it.
 */
export const ownerField = 'owner'

export function ownersOf({ acls = [] }: StoredRecord): readonly string[] {
  return acls.filter(({ permission }) => permission === 'ADMINISTRATE').map(({ sid }) => sid)
}

const nameForms: Readonly<Record<string, (value: string) => string | number>> = {
  schema: value => value,
  [ownerField]: value => value,
  id: value => value,
  kind: value => value.toLowerCase(),
  state: value => value.toUpperCase(),
  type: value => value.toUpperCase(),
  language: value => value.toLowerCase(),
  // No record has the year -1.
  year: value => (/^\d{1,4}$/.test(value.trim()) ? Number(value) : -1),
}

/** The form in which a value of an id, an owner, or one of {@link singleFields} is compared; undefined for other fields. */
export function comparedName(field: string, value: string): string | number | undefined {
  return Object.hasOwn(nameForms, field) ? nameForms[field]?.(value) : undefined
}

/** The searchable values of a record. Access lists are not searchable. */
export function recordValues(
  kind: Collection,
  record: StoredRecord,
  documentType: DocumentType,
): readonly RecordValue[] {
  const values: RecordValue[] = []
  const add = (field: RecordField | undefined, text: string | undefined, value?: string) => {
    if (text === undefined || text === '') return
    values.push({ ...(field && { field }), text, ...(value !== undefined && { value }) })
  }
  for (const { value } of record.titles ?? defaultTitles) add('title', value)
  for (const creator of record.creators ?? []) {
    add(
      'creator',
      namesOf(creator).join(' '),
      [creator.familyName, creator.givenName].filter(Boolean).join(', '),
    )
    for (const affiliation of creator.affiliations ?? []) add(undefined, affiliation)
  }
  for (const { user } of record.contributors ?? []) {
    if (!user) continue
    add(undefined, [...namesOf(user), ...(user.affiliations ?? [])].join(' '))
  }
  add('publisher', record.publisher)
  add('year', record.publicationYear)
  for (const { value, valueUri } of record.subjects ?? []) add('subject', value ?? valueUri)
  for (const { description } of record.descriptions ?? []) add('description', description)
  add('language', record.language)
  for (const { schemeId, schemeUri } of record.rights ?? []) {
    const value = schemeId ?? schemeUri
    if (value !== undefined) add('licence', [schemeId, schemeUri].filter(Boolean).join(' '), value)
  }
  add('schema', record.schema?.schemaId)
  for (const resource of relatedResources(record)) add('resource', resource)
  add('id', record.id)
  add('pid', persistentIdentifier(record)?.value)
  add('state', stateOf(record))
  add('type', documentType)
  add('kind', kind)
  addRest(record, text => add(undefined, text))
  return values
}

function namesOf({ givenName, familyName }: Agent): readonly string[] {
  return [givenName, familyName].flatMap(name => name ?? [])
}

/** Texts that belong to no field. */
function addRest(record: StoredRecord, add: (text: string | undefined) => void): void {
  add(record.resourceType?.value)
  add(record.resourceType?.typeGeneral)
  for (const { value } of record.alternateIdentifiers ?? []) add(value)
  for (const { value, relationType } of record.relatedIdentifiers ?? [])
    if (relationType !== 'IS_METADATA_FOR') add(value)
  for (const { place } of record.geoLocations ?? []) add(place)
  for (const { funderName, funderIdentifier, awardNumber, awardTitle } of record.fundingReferences ?? [])
    for (const text of [funderName, funderIdentifier?.value, awardNumber?.schemeId, awardTitle]) add(text)
  for (const text of [...(record.sizes ?? []), ...(record.formats ?? [])]) add(text)
}

/** The publication year as a number; undefined if there is none. */
export function yearOf({ publicationYear }: StoredRecord): number | undefined {
  return publicationYear !== undefined && /^\d{1,4}$/.test(publicationYear)
    ? Number(publicationYear)
    : undefined
}
