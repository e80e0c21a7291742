import type { RecordName } from '../api/records.js'
import { authorInWords } from '../parts/author.js'
import { words } from '../words.js'
import type { FacetName } from './search-question.js'

/** The name of a found or changed record. */
export function recordOf({
  kind,
  record,
}: {
  readonly kind: 'schema' | 'metadata'
  readonly record: { readonly id: string }
}): RecordName {
  return { collection: kind === 'schema' ? 'schemas' : 'metadata', id: record.id }
}

/** The state of a record for people; undefined for the usual one. */
export function stateInWords(state: string | undefined): string | undefined {
  return state === undefined || state === 'VOLATILE' ? undefined : words.states[state]
}

/** A value of a facet for people: the title of a schema, not its id. */
export function valueInWords(name: FacetName, value: string, titleOfSchema: (id: string) => string): string {
  if (name === 'schema') return titleOfSchema(value)
  if (name === 'kind') return words.search.facetKinds[value] ?? value
  if (name === 'state') return words.states[value] ?? value
  if (name === 'language') return words.languageOf(value)
  return name === 'author' ? authorInWords(value) : value
}
