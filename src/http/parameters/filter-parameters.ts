import type { DocumentType } from '../../core/records/collection.js'
import type { ListQuery, Sort } from '../../core/records/list-query.js'
import { type Instant, parseQueryInstant, toInstant } from '../../core/value-types.js'
import { sentInstant } from '../openapi/value-schemas.js'
import { parseSchemaUrl } from '../record-formats/record-urls.js'
import { parsedBy, repeatedParameter } from './query-parameters.js'
import { queryParameter, type RequestParameter } from './request-parameter.js'
import { sortOfMetadata, sortOfSchemas } from './sort-parameter.js'

/*
 * The parameters that filter and order a list.
 * @see docs/contract.md#filters-of-schemas; docs/contract.md#filters-of-metadata
 */

export const from = queryParameter(
  'from',
  {
    component: 'from',
    description:
      'Only records updated after this time; with `until`, at or after it. ISO 8601: a time (UTC if it has no zone), or only a year, month or day.',
    schema: { ...sentInstant, examples: ['2026-03-14T09:26:53.59Z'] },
  },
  parsedBy(parseTimeLimit),
)

export const until = queryParameter(
  'until',
  {
    component: 'until',
    description: 'Only records updated before this time; with `from`, at or before it.',
    schema: { ...sentInstant, examples: ['2027'] },
  },
  parsedBy(parseTimeLimit),
)

const mimeType = repeatableParameter('mimeType', {
  component: 'mimeType',
  description:
    'Only schemas of this type: a value that contains `json` means JSON Schemas, a value that contains `xml` means XML Schemas. Several values are alternatives.',
  schema: { type: 'array', items: { type: 'string' }, examples: [['application/json']] },
})

export const resourceId = repeatableParameter('resourceId', {
  component: 'resourceId',
  description:
    'Only records about this resource. Several values, as several parameters or separated by commas, are alternatives.',
})

/** The parameter `resourceId` in the misspelling of existing clients. */
const resoureId = repeatableParameter('resoureId', {
  component: 'resoureId',
  description: 'The same as `resourceId`, in the spelling of existing clients.',
  deprecated: true,
})

export const schemaOfRecord = repeatableParameter('schemaId', {
  component: 'schemaOfRecord',
  description:
    'Only records of this schema (of any version), by its id, another name, or its address. Several values, as several parameters or separated by commas, are alternatives.',
})

function repeatableParameter(
  name: string,
  described: Omit<Parameters<typeof queryParameter>[1], 'schema'> & {
    readonly schema?: RequestParameter<unknown>['described']['schema']
  },
): RequestParameter<readonly string[]> {
  const { schema = { type: 'array', items: { type: 'string' } }, ...more } = described
  return queryParameter(name, { ...more, schema, style: 'form', explode: true }, repeatedParameter)
}

export const schemaFilterParameters = { mimeType, from, until, sort: sortOfSchemas }
export const metadataFilterParameters = {
  resourceId,
  resoureId,
  schemaOfRecord,
  from,
  until,
  sort: sortOfMetadata,
}

interface CommonFilters {
  readonly from: Instant | undefined
  readonly until: Instant | undefined
  readonly sort: Sort | undefined
}

/** The filters of a list of schemas, from the values of {@link schemaFilterParameters}. */
export function schemaFilters(
  parameters: CommonFilters & { readonly mimeType: readonly string[] },
): ListQuery {
  const mimeTypes = parameters.mimeType.map(type => type.toLowerCase())
  const documentTypes: DocumentType[] = []
  if (mimeTypes.some(type => type.includes('json'))) documentTypes.push('JSON')
  if (mimeTypes.some(type => type.includes('xml'))) documentTypes.push('XML')
  return { ...(mimeTypes.length === 0 ? {} : { documentTypes }), ...commonFilters(parameters) }
}

interface MetadataFilters extends Partial<CommonFilters> {
  readonly resourceId: readonly string[]
  readonly resoureId?: readonly string[]
  readonly schemaOfRecord: readonly string[]
}

/**
 * The filters of a list of metadata records, from the values of {@link metadataFilterParameters}.
 * @param bases base URLs of this server: a request may name a schema by its URL
 */
export function metadataFilters(parameters: MetadataFilters, bases: readonly string[]): ListQuery {
  const resources = alternatives([...(parameters.resoureId ?? []), ...parameters.resourceId])
  const schemaIds = alternatives(parameters.schemaOfRecord).map(
    value => parseSchemaUrl(value, bases)?.schemaId ?? value,
  )
  return {
    ...(resources.length === 0 ? {} : { resources }),
    ...(schemaIds.length === 0 ? {} : { schemaIds }),
    ...commonFilters(parameters),
  }
}

/** The values, and their parts between commas: an identifier may contain a comma, so each value is also kept whole. */
function alternatives(values: readonly string[]): readonly string[] {
  const parts = values.flatMap(value => [value, ...value.split(',').flatMap(part => [part, part.trim()])])
  return [...new Set(parts)].filter(part => part !== '')
}

function commonFilters({
  from,
  until,
  sort,
}: Partial<CommonFilters>): Pick<ListQuery, 'from' | 'until' | 'sort'> {
  return {
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
    ...(sort === undefined ? {} : { sort }),
  }
}

/**
 * Parses a limit of a time range. Times of records are whole milliseconds, so half a millisecond stands for any smaller
 * fraction of the limit.
 * @throws ProblemError `malformed-request`
 */
function parseTimeLimit(text: string, name: string): Instant {
  const instant = parseQueryInstant(text, `The parameter ${name}`)
  return /[.,]\d{3}0*[1-9]/.test(text) ? toInstant(instant + 0.5) : instant
}
