import { type Agent, type Permission, type StoredRecord, stateOf } from '../../../core/records/record.js'

export { titleOf } from '../../exports/datacite/export-context.js'

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
  REVOKED: 'Deleted',
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

/** The author of a change for people. */
export function authorInWords(author: string): string {
  return author === 'SELF' || author === 'anonymousUser' ? 'someone without a login' : author
}

type Sentence = readonly [form: RegExp, say: (...parts: readonly string[]) => string]

/** Sentences of validators, and what they mean. */
const validatorSentences: readonly Sentence[] = [
  [
    /must NOT have (?:additional|unevaluated) properties/i,
    () => 'There is a member that the schema does not know. Check its spelling, or remove it.',
  ],
  [/must have (?:the member|required property) ["'](.+)["']/i, name => `The member "${name}" is missing.`],
  [
    /must be equal to one of the allowed values/i,
    () => 'The value is not one of those that the schema lists.',
  ],
  [/must be equal to constant/i, () => 'The schema permits one value only, and this is another one.'],
  [/must match format "(.+)"/i, format => `This is not written as "${format}" demands.`],
  [/must match pattern/i, () => 'The text does not have the form that the schema demands.'],
  [
    /must be (string|number|integer|boolean|array|object|null)/i,
    type => `The schema wants ${typeWords.get(type.toLowerCase()) ?? type} here.`,
  ],
  [
    /must match exactly one schema in oneOf|must match a schema in anyOf/i,
    () => 'The value fits none, or several, of the alternatives of the schema.',
  ],
  [/must NOT have fewer than (\d+)/i, number => `There are too few: at least ${number}.`],
  [/must NOT have more than (\d+)/i, number => `There are too many: at most ${number}.`],
  [
    /Element '([^']+)': This element is not expected/,
    name => `The element "${localName(name)}" may not stand here: the schema wants another one, or none.`,
  ],
  [
    /Element '([^']+)': Missing child element/,
    name => `In the element "${localName(name)}" something is missing.`,
  ],
  [/The attribute '([^']+)' is required but missing/, name => `The attribute "${name}" is missing.`],
  [
    /is not a valid value of the atomic type/,
    () => 'The text does not have the type that the schema demands.',
  ],
]

/** The name of an element without its namespace, which a validator writes in braces. */
function localName(name = ''): string {
  return name.slice(name.lastIndexOf('}') + 1)
}

const typeWords = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a group of members'],
  ['null', 'no value'],
])

/** What the sentence of a validator means; undefined for others. */
export function findingInWords(message: string): string | undefined {
  for (const [form, say] of validatorSentences) {
    const found = form.exec(message)
    if (found) return say(...found.slice(1))
  }
  return undefined
}
