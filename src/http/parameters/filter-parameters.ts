import { malformedRequest } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import { type ListFilter, type ListFilters, listFilters } from '../../core/records/list-filters.js'
import type { ListQuery, Sort } from '../../core/records/list-query.js'
import { truncate } from '../../core/value-types.js'
import { sentInstant } from '../openapi/value-schemas.js'
import { parseSchemaUrl } from '../record-formats/record-urls.js'
import { repeatedParameter, singleParameter } from './query-parameters.js'
import { queryParameter, type RequestParameter } from './request-parameter.js'

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

/** The names of the fields by which lists can be ordered. */
const fields: Readonly<Record<Collection, ReadonlyMap<string, Sort['by']>>> = {
  schema: new Map([
    ['id', 'id'],
    ['schemaId', 'id'],
    ['lastUpdate', 'lastUpdate'],
  ]),
  metadata: new Map([
    ['id', 'id'],
    ['lastUpdate', 'lastUpdate'],
  ]),
}

export const schemaFilterParameters = {
  ...filterParametersOf('schema'),
  sort: sortParameter('schema', 'sortOfSchemas', 'lastUpdate,desc', 'id,asc'),
}
export const metadataFilterParameters = {
  ...filterParametersOf('metadata'),
  sort: sortParameter('metadata', 'sortOfMetadata', 'id,asc', 'lastUpdate,desc'),
}

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

/**
 * The parameter `sort=<field>,…[,asc|desc]`. The first field of the first parameter counts. Records with equal values
 * are ordered by id.
 * @see docs/contract.md#order-of-lists
 */
function sortParameter(
  kind: Collection,
  component: string,
  example: string,
  otherwise: string,
): RequestParameter<Sort | undefined> {
  const names = [...fields[kind].keys()].map(name => `\`${name}\``).join(', ')
  return queryParameter(
    'sort',
    {
      component,
      description: `Order of the list: a field (${names}), a comma, and \`asc\` or \`desc\`; by default \`${otherwise}\`.`,
      schema: { type: 'array', items: { type: 'string' }, examples: [[example]] },
      style: 'form',
      explode: true,
    },
    (query, name) => repeatedParameter(query, name).flatMap(text => sortsOf(text, kind))[0],
  )
}

function sortsOf(text: string, kind: Collection): readonly Sort[] {
  const parts = text.split(',').filter(part => part !== '')
  const last = parts.at(-1)?.toLowerCase()
  const direction = last === 'asc' || last === 'desc' ? last : undefined
  const names = direction && parts.length > 1 ? parts.slice(0, -1) : parts
  return names.map(name => {
    const by = fields[kind].get(name)
    if (by) return { by, direction: direction ?? 'asc' }
    const allowed = [...fields[kind].keys()].join(', ')
    throw malformedRequest(
      `The parameter sort is "${truncate(text)}": write it as <field>,asc or <field>,desc with one of the fields ${allowed}.`,
    )
  })
}
