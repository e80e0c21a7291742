import { malformedRequest } from '../../../core/problem.js'
import {
  documentPrefix,
  isShortBeginning,
  maxShortBeginnings,
  type SearchCondition,
} from '../search-condition.js'
import { type FacetRequest, maxBuckets } from '../search-engine.js'
import { wordRuns } from './match-expression.js'

const maxParts = 2000
const maxDepth = 40
/** Limit of the words of a condition. A word counts once for each field that it is searched in. */
const maxWords = 10_000
/** Limit of a text or a whole value, in UTF-16 units. */
const maxTextLength = 20_000
/** Limit of fields such as `document.*.name`: each is compared with every path of the index. */
const maxPathEndings = 100

/** @throws ProblemError `malformed-request` for a condition that would take too long */
export function checkSize(condition: SearchCondition): void {
  let [parts, words, pathEndings, shortBeginnings] = [0, 0, 0, 0]
  function countField(field: string): void {
    if (field.startsWith(`${documentPrefix}*.`) && ++pathEndings > maxPathEndings)
      throw malformedRequest(`The query has more than ${maxPathEndings} fields that begin with an asterisk.`)
  }
  function countText({ text, match, fields }: Extract<SearchCondition, { type: 'text' }>): void {
    if (text.length > maxTextLength) throw malformedRequest('The query has too many words.')
    const runs = wordRuns(text, match)
    const fieldCount = fields?.length ?? 1
    parts += runs.length * fieldCount
    words += runs.reduce((sum, run) => sum + run.words.length, 0) * fieldCount
    if (words > maxWords) throw malformedRequest('The query has too many words.')
    const isShort = runs.some(run => run.isBeginning && isShortBeginning(run.words.at(-1) ?? ''))
    // The index merges the rows of every word that begins so.
    if (isShort && ++shortBeginnings > maxShortBeginnings) {
      throw malformedRequest(
        `The query has more than ${maxShortBeginnings} beginnings of words with one or two letters: write more letters.`,
      )
    }
    for (const { field } of fields ?? []) countField(field)
  }
  function countPart(part: SearchCondition, depth: number): void {
    if (++parts > maxParts || depth > maxDepth) throw malformedRequest('The query has too many parts.')
    switch (part.type) {
      case 'all':
        break
      case 'not':
        countPart(part.condition, depth + 1)
        break
      case 'and':
      case 'or':
        for (const each of part.conditions) countPart(each, depth + 1)
        break
      case 'text':
        countText(part)
        break
      case 'equals':
        if (part.values.some(value => value.length > maxTextLength))
          throw malformedRequest('A value of the query is too long.')
        countField(part.field)
        break
      default:
        countField(part.field)
    }
  }
  countPart(condition, 0)
}

/** Limit of the facets of a search. */
const maxFacets = 40

/** @throws ProblemError `malformed-request` for more facets, or facets of more parts, than are counted at once */
export function checkFacets(facets: readonly FacetRequest[]): void {
  if (facets.length > maxFacets) throw malformedRequest(`At most ${maxFacets} facets can be counted.`)
  for (const { counts } of facets) {
    const parts =
      counts.type === 'ranges' ? counts.ranges : counts.type === 'conditions' ? counts.conditions : []
    if (parts.length > maxBuckets) throw malformedRequest(`A facet has at most ${maxBuckets} parts.`)
  }
}

/**
 * Checks the number of phrases that whole values are searched as: one for each value at each path.
 * @throws ProblemError `malformed-request`
 */
export function checkPhraseCount(count: number): void {
  if (count > maxParts) throw malformedRequest('The query has too many values.')
}
