import { type Agent, type Permission, type StoredRecord, stateOf } from '../../../core/records/record.js'

export { titleOf } from '../../../core/records/record.js'
export { authorInWords, isAutomatic, isNobody, languageInWords } from './spoken-names.js'

/** A constant in words for a page: `IS_CITED_BY` as `Is cited by`. */
export function humanizeConstant(constant: string): string {
  const words = constant.replaceAll('_', ' ').trim().toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The name of a person with the affiliations: `Ada Lovelace (University of London)`. */
export function agentName({ givenName, familyName, affiliations = [] }: Agent): string {
  const name = [givenName, familyName].filter(Boolean).join(' ')
  const from = affiliations.length > 0 ? `(${affiliations.join('; ')})` : ''
  return [name, from].filter(Boolean).join(' ')
}

/** The states of records for people. */
const stateWords = {
  VOLATILE: 'Can still change',
  FIXED: 'Fixed: will not change',
  REVOKED: 'Withdrawn',
  GONE: 'Deleted for good',
} as const

/** The state of a record for people; undefined for the usual one. */
export function unusualState(record: StoredRecord): string | undefined {
  const state = stateOf(record)
  return state === 'VOLATILE' ? undefined : stateWords[state]
}

/** A state of the interface in words; another text as it is. */
export function stateInWords(state: string): string {
  return Object.hasOwn(stateWords, state) ? stateWords[state as keyof typeof stateWords] : state
}

const permissionWords: Readonly<Record<Permission, string>> = {
  NONE: 'nothing',
  READ: 'read it',
  WRITE: 'read and change it',
  ADMINISTRATE: 'read, change and delete it, and say who else may',
}

/** What an entry of an access list permits, as a sentence. */
export function accessInWords(subject: string, permission: Permission): string {
  return `${subjectInWords(subject)} may ${permissionWords[permission]}`
}

const subjectWords = new Map([
  ['SELF', 'Everyone who uses this service without a login'],
  ['anonymousUser', 'Everyone without a login'],
  ['PUBLIC', 'Everyone'],
])

function subjectInWords(subject: string): string {
  return subjectWords.get(subject) ?? subject
}

/** A schema in choices: its title, with its id if that is another text. */
export function schemaName(id: string, title: string): string {
  return title === id ? id : `${title} (${id})`
}
