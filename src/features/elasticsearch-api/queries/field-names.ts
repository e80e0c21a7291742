import { malformedRequest } from '../../../core/problem.js'
import {
  documentPrefix,
  entryDocumentPrefix,
  isRecordField,
  type RecordField,
} from '../../search/search-condition.js'
import { shortenedName } from './read-json.js'

/**
 * The searchable members of an index entry (the document that an Elasticsearch index has for a record), with the fields
 * that they stand for. If several members stand for a field, answers use the first.
 */
const entryMembers = {
  'metadataRecord.titles.value': 'title',
  'metadataRecord.titles': 'title',
  'metadataRecord.creators.familyName': 'creator',
  'metadataRecord.creators.givenName': 'creator',
  'metadataRecord.creators': 'creator',
  'metadataRecord.publisher': 'publisher',
  'metadataRecord.publicationYear': 'year',
  'metadataRecord.subjects.value': 'subject',
  'metadataRecord.subjects': 'subject',
  'metadataRecord.descriptions.description': 'description',
  'metadataRecord.descriptions': 'description',
  'metadataRecord.language': 'language',
  'metadataRecord.rights.schemeId': 'licence',
  'metadataRecord.rights.schemeUri': 'licence',
  'metadataRecord.rights': 'licence',
  'metadataRecord.relatedIdentifiers.value': 'resource',
  'metadataRecord.identifier.value': 'pid',
  'metadataRecord.identifier': 'pid',
  'metadataRecord.id': 'id',
  'metadataRecord.state': 'state',
  'metadataRecord.lastUpdate': 'updated',
  lastUpdate: 'updated',
  created: 'created',
  pid: 'pid',
  id: 'id',
  _id: 'id',
} as const satisfies Readonly<Record<string, RecordField>>

/**
 * The other members of `metadataRecord`. `words`: the index has their words, but not the member that a word belongs to.
 * `none`: it has no words of them. Access lists are not searchable, and a query that names them is refused.
 */
const otherMembers: Readonly<Record<string, 'words' | 'none'>> = {
  ...{ creators: 'words', contributors: 'words', relatedIdentifiers: 'words', alternateIdentifiers: 'words' },
  ...{
    resourceType: 'words',
    geoLocations: 'words',
    fundingReferences: 'words',
    sizes: 'words',
    formats: 'words',
  },
  // `entryMembers` has the searchable values of these members.
  ...{ identifier: 'none', titles: 'none', subjects: 'none', descriptions: 'none', rights: 'none' },
  ...{ dates: 'none', embargoDate: 'none', version: 'none', search: 'none', crosswalk: 'none' },
}

/** Fields whose values are times. An index entry has them in milliseconds since 1970. */
export const timeFields: ReadonlySet<string> = new Set<RecordField>(['created', 'updated'])

/** The field for the whole document. */
const documentField = 'document'
/** The field for the whole record. */
export const recordText = 'record'
/** Stands for members whose values are in answers, but not in the index. */
export const withoutWords = ''

/** Names that stand for all fields. */
const anywhere = new Set(['*', '_all', 'metadataRecord', 'metadataRecord.*'])
/** Names that stand for the whole document. */
const wholeDocument = new Set(['metadataDocument', 'metadataDocument.*', 'metadataText'])

const fieldOfMember = new Map<string, RecordField>(Object.entries(entryMembers))

/**
 * The field that a name in a query stands for, such as `metadataDocument.instrument.name.keyword`.
 * @returns undefined if the name stands for all fields; {@link recordText} or {@link withoutWords} for a member of the
 *   record without a field of its own
 * @throws ProblemError `malformed-request` for an unknown name
 */
export function searchedField(name: string): string | undefined {
  // Elasticsearch names the whole value of a text field so.
  const plain = name.replace(/\.keyword$/, '')
  if (anywhere.has(plain)) return undefined
  if (wholeDocument.has(plain)) return documentField
  if (plain.startsWith(entryDocumentPrefix)) return documentPrefix + plain.slice(entryDocumentPrefix.length)
  const field = fieldOfMember.get(plain)
  if (field !== undefined) return field
  if (isRecordField(plain)) return plain
  const [, member = ''] = /^metadataRecord\.([^.]+)/.exec(plain) ?? []
  if (Object.hasOwn(otherMembers, member)) {
    if (otherMembers[member] === 'words') return recordText
    const fieldOfAll = plain === `metadataRecord.${member}.*` && fieldOfMember.get(`metadataRecord.${member}`)
    return fieldOfAll || withoutWords
  }
  throw malformedRequest(
    `unknown field [${shortenedName(name)}]. Known are: metadataDocument.<path>, ${[...fieldOfMember.keys()].join(', ')}`,
  )
}

/** Like {@link oneField}, but also accepts members for which the index has only words: {@link recordText}. */
export function fieldOfWords(name: string, what: string): string {
  return searchedField(name) === recordText ? recordText : oneField(name, what)
}

/**
 * The one field that a name stands for, with values in the index.
 * @throws ProblemError `malformed-request` for other names
 */
export function oneField(name: string, what: string): string {
  const field = searchedField(name)
  if (field === recordText || field === withoutWords) {
    const words = field === recordText ? ': a text query finds its words' : ''
    throw malformedRequest(
      `${what} needs a field with values of its own, and [${shortenedName(name)}] has none in the index${words}`,
    )
  }
  if (field !== undefined && field !== documentField) return field
  throw malformedRequest(`${what} needs one field, but [${shortenedName(name)}] stands for several`)
}

/** The name of a field in answers: the reverse of {@link searchedField}. */
export function memberOfField(field: string): string {
  if (field.startsWith(documentPrefix)) return entryDocumentPrefix + field.slice(documentPrefix.length)
  for (const [member, itsField] of fieldOfMember) if (itsField === field) return member
  return field
}

/** Whether a query on a field with this name compares whole values. */
export function isWholeValue(name: string): boolean {
  return name.endsWith('.keyword')
}
