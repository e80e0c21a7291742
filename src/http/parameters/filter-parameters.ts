import type { Collection } from '../../core/records/collection.js'
import { type ListFilter, type ListFilters, listFilters } from '../../core/records/list-filters.js'
import type { ListQuery, Sort } from '../../core/records/list-query.js'
import { sentInstant } from '../openapi/value-schemas.js'
import { parseSchemaUrl } from '../record-formats/record-urls.js'
import { repeatedParameter, singleParameter } from './query-parameters.js'
import { queryParameter, type RequestParameter } from './request-parameter.js'
import { sortOfMetadata, sortOfSchemas } from './sort-parameter.js'

/*
 * The parameters that filter and order a list. Those of filters follow from the table of filters.
 * @see src/core/records/list-filters.ts; docs/contract.md#filters-of-schemas; docs/contract.md#filters-of-metadata
 */

type Table = typeof listFilters
/** The names of the filters that lists of a collection have. */
type FiltersOf<Kind extends Collection> = {
  [Name in keyof Table]: Kind extends Table[Name]['of'][number] ? Name : never
}[keyof Table]
/** The parameters of filters, by the names of their components. A value is the texts of the request. */
type ParametersOf<Name extends keyof Table> = {
  readonly [Component in Name extends Name ? keyof Table[Name]['parameters'] : never]: RequestParameter<
    readonly string[]
  >
}

function filterParametersOf<Kind extends Collection>(kind: Kind): ParametersOf<FiltersOf<Kind>> {
  const parameters = filtersOf(kind).flatMap(([, filter]) => Object.entries(filter.parameters))
  return Object.fromEntries(
    parameters.map(([component, { name = component, description, example, isTime, deprecated }]) => {
      const examples = example !== undefined && { examples: [isTime ? example : [example]] }
      const described = { component, description, ...(deprecated && { deprecated }) }
      const parameter = isTime
        ? queryParameter(name, { ...described, schema: { ...sentInstant, ...examples } }, timeIn)
        : queryParameter(
            name,
            {
              ...described,
              schema: { type: 'array', items: { type: 'string' }, ...examples },
              style: 'form',
              explode: true,
            },
            repeatedParameter,
          )
      return [component, parameter]
    }),
  ) as ParametersOf<FiltersOf<Kind>>
}

const timeIn: typeof repeatedParameter = (query, name) => {
  const text = singleParameter(query, name)
  return text === undefined ? [] : [text]
}

function filtersOf(kind: Collection): readonly (readonly [name: string, filter: ListFilter])[] {
  return Object.entries(listFilters as Readonly<Record<string, ListFilter>>).filter(([, filter]) =>
    filter.of.includes(kind),
  )
}

export const schemaFilterParameters = { ...filterParametersOf('schema'), sort: sortOfSchemas }
export const metadataFilterParameters = { ...filterParametersOf('metadata'), sort: sortOfMetadata }

/** What requests give for the parameters of filters, by the names of their components, and the order. */
type Given = Readonly<Record<string, unknown>> & { readonly sort?: Sort | undefined }

/**
 * The filters and the order of a list, from the values of its parameters; other values are ignored.
 * @param bases base URLs of this server: a request may name a schema by its URL
 * @throws ProblemError `malformed-request`
 */
export function listQuery(kind: Collection, given: Given, bases: readonly string[]): ListQuery {
  const filters: Record<string, unknown> = {}
  for (const [name, { parameters, parse }] of filtersOf(kind)) {
    const components = Object.keys(parameters)
    const texts = components.flatMap(component => (given[component] ?? []) as readonly string[])
    const [first = ''] = components
    const schemaIdOf = (text: string) => parseSchemaUrl(text, bases)?.schemaId ?? text
    const value =
      texts.length > 0 ? parse(texts, { parameter: parameters[first]?.name ?? first, schemaIdOf }) : undefined
    if (value !== undefined) filters[name] = value
  }
  return { ...(filters as ListFilters), ...(given.sort && { sort: given.sort }) }
}
