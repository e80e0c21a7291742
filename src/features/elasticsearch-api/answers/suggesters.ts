import { malformedRequest } from '../../../core/problem.js'
import type { SuggestionRequest } from '../../search/search-engine.js'
import { oneField } from '../queries/field-names.js'
import { readMembers, readString, readWholeNumber, shortenedName } from '../queries/read-json.js'

/** A completion suggester of a request. */
export interface PlannedSuggester {
  readonly name: string
  readonly request: SuggestionRequest
}

const maxSuggesters = 10
const maxSuggestions = 100
const defaultSuggestions = 5

/**
 * Plans the member `suggest` of a request, such as
 * `{"<name>": {"prefix": "ste", "completion": {"field": "title", "size": 5}}}`. Whichever field of titles is named, the
 * suggestions are titles of readable records. Spelling mistakes are not corrected.
 * @param among the records whose titles are suggested
 * @throws ProblemError `malformed-request`
 */
export function compileSuggesters(
  value: unknown,
  among: Pick<SuggestionRequest, 'kinds' | 'condition'>,
): readonly PlannedSuggester[] {
  if (value === undefined || value === null) return []
  const { text: common, ...named } = readMembers(value, '[suggest]')
  const entries = Object.entries(named)
  if (entries.length > maxSuggesters)
    throw malformedRequest(`[suggest] has more than ${maxSuggesters} suggesters`)
  return entries.map(([name, sent]) => {
    const what = `the suggester [${shortenedName(name)}]`
    const members = readMembers(sent, what, ['prefix', 'text', 'completion'])
    const completion = readMembers(members.completion, `[completion] of ${what}`, [
      'field',
      'size',
      'skip_duplicates',
      'fuzzy',
    ])
    if (oneField(readString(completion.field, `[field] of ${what}`), what) !== 'title')
      throw malformedRequest(`${what} needs a field with titles, such as [metadataRecord.titles.value]`)
    return {
      name,
      request: {
        ...among,
        beginning: readString(members.prefix ?? members.text ?? common, `[prefix] of ${what}`),
        limit:
          completion.size === undefined
            ? defaultSuggestions
            : readWholeNumber(completion.size, `[size] of ${what}`, 1, maxSuggestions),
      },
    }
  })
}
