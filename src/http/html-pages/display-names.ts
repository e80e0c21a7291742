import type { Agent, StoredRecord } from '../../core/records/record.js'

/** The name of a record: its main title, a schema's label, or its id. */
export function titleOf(record: StoredRecord): string {
  const { titles = [], descriptions = [] } = record
  const title = titles.find(({ titleType }) => titleType === undefined) ?? titles[0]
  const label = descriptions.find(({ type }) => type === 'OTHER')
  return [title?.value, label?.description].find(text => text?.trim()) ?? record.id
}

/** `IS_CITED_BY` as `Is cited by`. */
export function humanizeConstant(constant: string): string {
  const words = constant.replaceAll('_', ' ').trim().toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `Ada Lovelace (University of London)` */
export function agentName({ givenName, familyName, affiliations = [] }: Agent): string {
  const name = [givenName, familyName].filter(Boolean).join(' ')
  const from = affiliations.length > 0 ? `(${affiliations.join('; ')})` : ''
  return [name, from].filter(Boolean).join(' ')
}
