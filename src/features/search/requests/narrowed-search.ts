import type { Collection } from '../../../core/records/collection.js'
import { formatInstant, type Instant, toInstant } from '../../../core/value-types.js'
import { parseQueryText } from '../query-text/parse-query-text.js'
import {
  allOf,
  documentPrefix,
  isRecordField,
  namesField,
  type SearchCondition,
  type ValueRange,
} from '../search-condition.js'
import type { FacetRequest, SearchRequest, SearchWindow, SortKey } from '../search-engine.js'

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
  | 'owner'

export interface Narrowing {
  readonly values: ReadonlyMap<NarrowingField, readonly string[]>
  /** Values at declared paths. Those of one path are alternatives. */
  readonly declared?: readonly DeclaredNarrowing[]
  /** Range of `lastUpdate`: later than `from`; earlier than `until`; with both, between them, ends included. */
  readonly from?: Instant | undefined
  readonly until?: Instant | undefined
}

/**
 * A search with the text of a search box, limited to records with certain values. The search interfaces, the pages and
 * the command line all ask for one.
 */
export interface NarrowedSearch {
  readonly q: string
  readonly narrowing: Narrowing
  /** Undefined: metadata; both if the text names the field `kind`. */
  readonly kinds: readonly Collection[] | undefined
  /** Default: by score; if the text gives no score, the newest first. */
  readonly sort?: SortKey | undefined
  readonly window: SearchWindow
  /** Names of the fields whose values are counted, at most {@link facetSize} values of each. Default: none. */
  readonly facets?: readonly string[]
  readonly facetSize?: number
  /** Default: no highlights. */
  readonly highlight?: boolean
}

/** The request to an engine, and what is known of its text. */
export interface ReadSearch {
  readonly request: SearchRequest
  /** Sentences about parts of the text. */
  readonly notes: readonly string[]
  /** Whether the text has words, from which scores can be computed. */
  readonly isScored: boolean
  /** Whether each hit has words of the text, so that passages can show them. */
  readonly hasWords: boolean
}

/**
 * Reads the text, and makes the request to the engine. The counts of a facet leave out the narrowing by the facet's own
 * field: they say how many records another value would bring.
 */
export function readSearch(search: NarrowedSearch): ReadSearch {
  const { condition, notes } = parseQueryText(search.q)
  const kinds = search.kinds ?? (namesField(condition, 'kind') ? ['metadata', 'schema'] : ['metadata'])
  const scored = isScored(condition)
  const { narrowing, window, highlight = false, facetSize = 0 } = search
  const byField = new Map([
    ...[...narrowing.values].flatMap(([field, values]) =>
      values.length === 0 ? [] : [[field as string, valuesCondition(field, values)] as const],
    ),
    ...declaredConditions(narrowing.declared ?? []),
  ])
  const facets = [...new Set(search.facets ?? [])]
  const countedFields = facets.map(comparedField)
  const counted = [...byField.keys()].filter(field => countedFields.includes(field))
  const always = [...byField].flatMap(([field, each]) => (counted.includes(field) ? [] : [each]))
  const whole = allOf([condition, ...always, ...timeSpan(narrowing)])
  const filter = conditionsOf(byField, counted)
  const request: SearchRequest = {
    condition: whole,
    ...(filter && { filter }),
    kinds,
    sort: search.sort ? [search.sort] : usualOrder(scored),
    window,
    facets: facets.map((name, index) => {
      const others = counted.filter(field => field !== countedFields[index])
      return facetRequest(name, facetSize, conditionsOf(byField, others))
    }),
    highlight,
  }
  return { request, notes, isScored: scored, hasWords: hasWords(condition) }
}

/** Without a score: the newest of the history first, which costs least. The order of times may differ a little. */
function usualOrder(isScored: boolean): readonly SortKey[] {
  return isScored ? [{ field: 'score', order: 'desc' }] : []
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
function isScored(condition: SearchCondition): boolean {
  if (condition.type === 'and' || condition.type === 'or') return condition.conditions.some(isScored)
  return condition.type === 'text'
}

/** Whether each hit of a condition has words that the condition names. */
function hasWords(condition: SearchCondition): boolean {
  if (condition.type === 'and') return condition.conditions.some(hasWords)
  if (condition.type === 'or') return condition.conditions.every(hasWords)
  return condition.type === 'text'
}

/** Narrows a search to documents with a value at a path that a schema declares for the search. */
export interface DeclaredNarrowing {
  readonly path: string
  readonly value: string
}

/** The form of the parameter `declared`, such as `instrument.name=SEM`. */
export function textOfDeclared({ path, value }: DeclaredNarrowing): string {
  return `${path.replaceAll('%', '%25').replaceAll('=', '%3D')}=${value}`
}

/** Parses what {@link textOfDeclared} writes. @returns undefined for a text of another form */
export function parseDeclared(text: string): DeclaredNarrowing | undefined {
  const end = text.indexOf('=')
  const path = text.slice(0, Math.max(0, end))
  if (path === '' || /%(?!25|3[Dd])/.test(path)) return undefined
  const value = text.slice(end + 1)
  return { path: path.replace(/%3d/gi, '=').replaceAll('%25', '%'), value }
}
