import type { Collection } from '../../../core/records/collection.js'
import { formatInstant, type Instant, toInstant } from '../../../core/value-types.js'
import {
  allOf,
  documentPrefix,
  isRecordField,
  type SearchCondition,
  type ValueRange,
} from '../search-condition.js'
import type { FacetRequest, SearchRequest, SearchWindow, SortKey } from '../search-engine.js'
import type { DeclaredNarrowing } from './declared-narrowing.js'

/** Fields that a search can be narrowed by. The values of one field are alternatives. */
export type NarrowingField =
  | 'schema'
  | 'resource'
  | 'state'
  | 'year'
  | 'language'
  | 'licence'
  | 'creator'
  | 'type'
  | 'kind'

export interface Narrowing {
  readonly values: ReadonlyMap<NarrowingField, readonly string[]>
  /** Values at declared paths. Those of one path are alternatives. */
  readonly declared?: readonly DeclaredNarrowing[]
  /** Range of `lastUpdate`: later than `from`; earlier than `until`; with both, between them, ends included. */
  readonly from?: Instant | undefined
  readonly until?: Instant | undefined
}

/**
 * A search for words, limited to records with certain values. The search interfaces, the pages and the command line all
 * ask for one.
 */
export interface NarrowedSearch {
  /** The condition of the words; `all` if there are no words. */
  readonly condition: SearchCondition
  readonly narrowing: Narrowing
  readonly kinds: readonly Collection[]
  /** Default: by score; if the condition gives no score, the newest first. */
  readonly sort?: SortKey | undefined
  readonly window: SearchWindow
  /** Names of the fields whose values are counted, at most {@link facetSize} values of each. */
  readonly facets: readonly string[]
  readonly facetSize: number
  readonly highlight: boolean
}

/**
 * The request to the engine. The counts of a facet leave out the narrowing by the facet's own field: they say how many
 * records another value would bring.
 */
export function searchRequest(search: NarrowedSearch): SearchRequest {
  const { condition, narrowing, kinds, window, highlight } = search
  const byField = new Map([
    ...[...narrowing.values].flatMap(([field, values]) =>
      values.length === 0 ? [] : [[field as string, valuesCondition(field, values)] as const],
    ),
    ...declaredConditions(narrowing.declared ?? []),
  ])
  const facets = [...new Set(search.facets)]
  const countedFields = facets.map(comparedField)
  const counted = [...byField.keys()].filter(field => countedFields.includes(field))
  const always = [...byField].flatMap(([field, each]) => (counted.includes(field) ? [] : [each]))
  const whole = allOf([condition, ...always, ...timeSpan(narrowing)])
  const filter = conditionsOf(byField, counted)
  return {
    condition: whole,
    ...(filter && { filter }),
    kinds,
    sort: orderOf(search),
    window,
    facets: facets.map((name, index) => {
      const others = counted.filter(field => field !== countedFields[index])
      return facetRequest(name, search.facetSize, conditionsOf(byField, others))
    }),
    highlight,
  }
}

function orderOf({ sort, condition }: NarrowedSearch): readonly SortKey[] {
  if (sort) return [sort]
  // Without a score: the newest of the history first, which costs least. The order of times may differ a little.
  return isScored(condition) ? [{ field: 'score', order: 'desc' }] : []
}

/** The field that the name of a facet or a sort means: a field of the record, else a path into the document. */
function fieldNamed(name: string): string {
  if (isRecordField(name) || name.startsWith(documentPrefix)) return name
  return documentPrefix + name
}

/** The field that a name means, in lower case to compare names: case makes no difference in paths. */
function comparedField(name: string): string {
  return fieldNamed(name).toLowerCase()
}

function declaredConditions(
  declared: readonly DeclaredNarrowing[],
): readonly (readonly [field: string, condition: SearchCondition])[] {
  const values = new Map<string, string[]>()
  for (const { path, value } of declared) {
    const field = (documentPrefix + path).toLowerCase()
    const known = values.get(field)
    if (known) known.push(value)
    else values.set(field, [value])
  }
  return [...values].map(([field, wanted]) => [
    field,
    { type: 'equals', field, values: wanted, isDeclared: true },
  ])
}

function facetRequest(name: string, size: number, filter: SearchCondition | undefined): FacetRequest {
  return {
    name,
    field: fieldNamed(name),
    ...(filter && { filter }),
    counts: { type: 'terms', size, order: 'count' },
  }
}

function conditionsOf(
  byField: ReadonlyMap<string, SearchCondition>,
  fields: readonly string[],
): SearchCondition | undefined {
  const conditions = fields.flatMap(field => byField.get(field) ?? [])
  return conditions.length === 0 ? undefined : allOf(conditions)
}

/** The condition that a field has one of the values. A year can be a range: `2020..2024`. */
function valuesCondition(field: NarrowingField, values: readonly string[]): SearchCondition {
  const ranges = field === 'year' ? values.flatMap(value => yearRange(value) ?? []) : []
  const single = field === 'year' ? values.filter(value => yearRange(value) === undefined) : values
  const conditions: SearchCondition[] = ranges.map(range => ({ type: 'range', field, range }))
  if (single.length > 0) conditions.push({ type: 'equals', field, values: single })
  return conditions.length === 1 ? (conditions[0] as SearchCondition) : { type: 'or', conditions }
}

function yearRange(text: string): ValueRange | undefined {
  const [, from, until] = /^(\d{0,6})\.\.(\d{0,6})$/.exec(text) ?? []
  if (from === undefined || until === undefined || from + until === '') return undefined
  return {
    ...(from !== '' && { from: { value: from, inclusive: true } }),
    ...(until !== '' && { until: { value: until, inclusive: true } }),
  }
}

function timeSpan({ from, until }: Narrowing): readonly SearchCondition[] {
  if (from === undefined && until === undefined) return []
  const inclusive = from !== undefined && until !== undefined
  // Rounds a bound between two milliseconds so that the range has the same whole milliseconds.
  const [roundFrom, roundUntil] = inclusive ? [Math.ceil, Math.floor] : [Math.floor, Math.ceil]
  const bound = (instant: number) => ({ value: formatInstant(toInstant(instant)), inclusive })
  const range = {
    ...(from !== undefined && { from: bound(roundFrom(from)) }),
    ...(until !== undefined && { until: bound(roundUntil(until)) }),
  }
  return [{ type: 'range', field: 'updated', range }]
}

/** Whether the condition has words that a score can be made of. */
export function isScored(condition: SearchCondition): boolean {
  if (condition.type === 'and' || condition.type === 'or') return condition.conditions.some(isScored)
  return condition.type === 'text'
}

/** Whether each hit of a condition has words that the condition names, so that passages can show them. */
export function hasWords(condition: SearchCondition): boolean {
  if (condition.type === 'and') return condition.conditions.some(hasWords)
  if (condition.type === 'or') return condition.conditions.every(hasWords)
  return condition.type === 'text'
}
