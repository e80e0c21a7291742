import type { Agent } from '../../../core/records/record.js'

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
