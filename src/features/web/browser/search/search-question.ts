/*
 * What the address of the search page asks.
 */

/** The facets, by their names in the address, in the order in which they are shown. */
export const facetNames = [
  'kind',
  'schema',
  'year',
  'author',
  'licence',
  'language',
  'state',
  'type',
] as const
export type FacetName = (typeof facetNames)[number]

/** Orders of what matches words that can be chosen. The first is the usual one: the best match first. */
export const orders = ['', 'lastUpdate,desc', 'lastUpdate,asc', 'id,asc'] as const

/** The fields by which the columns of a list sort, with the direction that a heading begins with. */
export const sortedColumns = {
  title: 'asc',
  id: 'asc',
  schema: 'asc',
  version: 'desc',
  lastUpdate: 'desc',
} as const
export type SortedColumn = keyof typeof sortedColumns

/** The order of a list, whose usual one is the last changed first. @returns undefined: it is by another field */
export function listOrderIn({
  sort,
}: SearchQuestion): { readonly by: SortedColumn; readonly direction: 'asc' | 'desc' } | undefined {
  const [by = '', direction = 'asc'] = (sort || usualListOrder).split(',')
  if (!Object.hasOwn(sortedColumns, by)) return undefined
  return { by: by as SortedColumn, direction: direction === 'desc' ? 'desc' : 'asc' }
}

const usualListOrder = 'lastUpdate,desc'

/** The list after its heading was pressed: sorted by this column, or the other way round if it is already. */
export function withSortedBy(question: SearchQuestion, column: SortedColumn): SearchQuestion {
  const order = listOrderIn(question)
  const turned = order?.direction === 'asc' ? 'desc' : 'asc'
  const sort = `${column},${order?.by === column ? turned : sortedColumns[column]}`
  return { ...question, sort: sort === usualListOrder ? '' : sort }
}

export interface SearchQuestion {
  readonly q: string
  /** Alternatives, by facet. A facet without any does not narrow. */
  readonly values: Readonly<Record<FacetName, readonly string[]>>
  /** A date, or a time of ISO 8601; empty: none. */
  readonly from: string
  readonly until: string
  readonly sort: string
  /** Only records that the person has stored, or may administer by name. */
  readonly isMine: boolean
}

/** @param search the query of an address */
export function questionIn(search: string): SearchQuestion {
  const query = new URLSearchParams(search)
  const text = (name: string) => query.get(name)?.trim() ?? ''
  const values = facetNames.map(name => [name, [...new Set(query.getAll(name).filter(Boolean))]])
  return {
    ...{ q: text('q'), from: text('from'), until: text('until'), sort: text('sort') },
    isMine: text('mine') !== '',
    values: Object.fromEntries(values) as SearchQuestion['values'],
  }
}

/** The address of a search, below the base of the application. */
export function searchAddress({ q, values, from, until, sort, isMine }: SearchQuestion): string {
  const parameters = [
    ['q', q],
    ...facetNames.flatMap(name => values[name].map(value => [name, value])),
    ...[
      ['from', from],
      ['until', until],
      ['mine', isMine ? 'true' : ''],
      ['sort', sort],
    ],
  ].filter(([, value]) => value !== '')
  const query = new URLSearchParams(parameters).toString()
  return `/search${query === '' ? '' : `?${query}`}`
}

/** The same search with a value of a facet, or without it if it has the value. */
export function withToggled(question: SearchQuestion, name: FacetName, value: string): SearchQuestion {
  const chosen = question.values[name]
  const changed = chosen.includes(value) ? chosen.filter(each => each !== value) : [...chosen, value]
  return { ...question, values: { ...question.values, [name]: changed } }
}

/** The same search without narrowing. */
export function withoutNarrowing({ q, sort }: SearchQuestion): SearchQuestion {
  return questionIn(new URLSearchParams({ q, sort }).toString())
}

/** How many values narrow the search. */
export function narrowingCount({ values, from, until, isMine }: SearchQuestion): number {
  const texts = [...facetNames.flatMap(name => values[name]), from, until].filter(value => value !== '')
  return texts.length + (isMine ? 1 : 0)
}
