import { type Instant, parseQueryInstant, toInstant } from '../value-types.js'
import type { Collection, DocumentType } from './collection.js'
import { relatedResources } from './record.js'
import type { Revision } from './revision.js'

/** The filters of a list by their names. A record is listed if it passes all of them. */
export interface ListFilters {
  /** Only records whose document has one of these types. */
  readonly documentTypes?: readonly DocumentType[]
  /** Only metadata that describe one of these resources. */
  readonly resources?: readonly string[]
  /** Only metadata whose newest version follows any version of one of these schemas. */
  readonly schemaIds?: readonly string[]
  /**
   * Only records whose `lastUpdate` is later than `from`, if only that is given; earlier than `until`, if only that is
   * given; between the two, ends included, if both are given.
   * @see docs/contract.md#filters-of-schemas
   */
  readonly from?: Instant
  readonly until?: Instant
}

/** What a filter is: its parameters in requests, its SQL, and its test of one record. */
export interface ListFilter<Value = unknown> {
  /** The lists whose requests have the parameters. */
  readonly of: readonly Collection[]
  /** The query parameters that give its value, by the names of their components in the OpenAPI description. */
  readonly parameters: Readonly<Record<string, FilterParameter>>
  /**
   * Reads the value from the texts of the parameters, of which there is at least one.
   * @returns undefined for no filter
   * @throws ProblemError `malformed-request`
   */
  parse(texts: readonly string[], names: FilterNames): Value | undefined
  /**
   * The condition on a row `n` that has the columns `kind`, `id`, `age` (negated time of the last update), `schema`,
   * `type` (of the document), `rid` (row of the record) and `rev` (row of the revision). Its text depends on `filters`
   * only by which of them are given, never by their values.
   * @param row `newest`: the newest state of the record; `past`: a former state
   */
  sql(value: Value, filters: ListFilters, row: 'newest' | 'past'): SqlQuery
  /** Selects `rid` of the records that pass today, if they are few: the list then begins with them. */
  records?(value: Value): SqlQuery
  /** Says whether a revision passes. */
  matches(value: Value, revision: Revision, filters: ListFilters): boolean
}

/** A query parameter. It may be repeated, unless it is a time. Several values are alternatives. */
interface FilterParameter {
  /** Default: the name of the component. */
  readonly name?: string
  readonly description: string
  readonly example?: string
  readonly isTime?: true
  readonly deprecated?: true
}

export interface FilterNames {
  /** The name of the parameter, for messages. */
  readonly parameter: string
  /** The id in the URL of a schema on this server; any other text itself. */
  schemaIdOf(text: string): string
}

/** SQL with a question mark for each value. */
export interface SqlQuery {
  readonly sql: string
  readonly values: readonly (string | number | null)[]
}

/*
 * The filters of lists. The parameters of requests with their description, the SQL of lists, and the lists of branches
 * that are not served follow from this table. Its order is that of the parameters in the description.
 */
export const listFilters = {
  documentTypes: {
    of: ['schema'],
    parameters: {
      mimeType: {
        description:
          'Only schemas of this type: a value that contains `json` means JSON Schemas, a value that contains `xml` means XML Schemas. Several values are alternatives.',
        example: 'application/json',
      },
    },
    parse: texts =>
      (['JSON', 'XML'] as const).filter(type =>
        texts.some(text => text.toLowerCase().includes(type.toLowerCase())),
      ),
    sql: types => ({ sql: `n.type IN ${anyOf}`, values: [JSON.stringify(types)] }),
    matches: (types, { documentType }) => types.includes(documentType),
  },

  resources: {
    of: ['metadata'],
    parameters: {
      resourceId: {
        description:
          'Only records about this resource. Several values, as several parameters or separated by commas, are alternatives.',
      },
      resoureId: {
        description: 'The same as `resourceId`, in the spelling of existing clients.',
        deprecated: true,
      },
    },
    parse: alternatives,
    sql: (resources, _filters, row) => ({
      sql: row === 'newest' ? describesNow : describedThen,
      values: [JSON.stringify(resources)],
    }),
    records: resources =>
      resources.length === 1
        ? { sql: 'SELECT rid FROM resource WHERE resource = ?', values: resources }
        : {
            sql: `SELECT DISTINCT rid FROM resource WHERE resource IN ${anyOf}`,
            values: [JSON.stringify(resources)],
          },
    matches: (resources, { record }) =>
      relatedResources(record).some(resource => resources.includes(resource)),
  },

  schemaIds: {
    of: ['metadata'],
    parameters: {
      schemaOfRecord: {
        name: 'schemaId',
        description:
          'Only records of this schema (of any version), by its id, another name, or its address. Several values, as several parameters or separated by commas, are alternatives.',
      },
    },
    parse: (texts, { schemaIdOf }) => alternatives(texts)?.map(schemaIdOf),
    // A single schema is compared, so that an index by schema gives the order.
    sql: ids =>
      ids.length === 1
        ? { sql: 'n.schema = ?', values: ids }
        : { sql: `n.schema IN ${anyOf}`, values: [JSON.stringify(ids)] },
    matches: (ids, { record }) => ids.some(id => id === record.schema?.schemaId),
  },

  from: {
    of: ['schema', 'metadata'],
    parameters: {
      from: {
        description:
          'Only records updated after this time; with `until`, at or after it. ISO 8601: a time (UTC if it has no zone), or only a year, month or day.',
        example: '2026-03-14T09:26:53.59Z',
        isTime: true,
      },
    },
    parse: parseTimeLimit,
    sql: (from, { until }) => ({ sql: until === undefined ? 'n.age < ?' : 'n.age <= ?', values: [-from] }),
    matches: (from, { time }, { until }) => time > from || (until !== undefined && time === from),
  },

  until: {
    of: ['schema', 'metadata'],
    parameters: {
      until: {
        description: 'Only records updated before this time; with `from`, at or before it.',
        example: '2027',
        isTime: true,
      },
    },
    parse: parseTimeLimit,
    sql: (until, { from }) => ({ sql: from === undefined ? 'n.age > ?' : 'n.age >= ?', values: [-until] }),
    matches: (until, { time }, { from }) => time < until || (from !== undefined && time === until),
  },
} satisfies { readonly [Name in keyof ListFilters]-?: ListFilter<NonNullable<ListFilters[Name]>> }

/** SQL of the values in a JSON array, so that the text of a statement does not depend on their number. */
const anyOf = '(SELECT value FROM json_each(?))'

/** The condition that the newest state describes one of the resources. */
const describesNow = `EXISTS (SELECT 1 FROM resource q WHERE q.rid = n.rid AND q.resource IN ${anyOf})`

/** The condition that a former state described one of the resources. It reads the stored record. */
const describedThen = `EXISTS (SELECT 1 FROM revision r CROSS JOIN body b ON b.body = r.body
    CROSS JOIN json_each(b.json, '$.relatedIdentifiers') i
  WHERE r.rev = n.rev AND json_extract(i.value, '$.relationType') = 'IS_METADATA_FOR'
    AND json_extract(i.value, '$.value') IN ${anyOf})`

/** The values, and their parts between commas: an identifier may contain a comma, so each value is also kept whole. */
function alternatives(values: readonly string[]): readonly string[] | undefined {
  const parts = values.flatMap(value => [value, ...value.split(',').flatMap(part => [part, part.trim()])])
  const found = [...new Set(parts)].filter(part => part !== '')
  return found.length > 0 ? found : undefined
}

/**
 * Parses a limit of a time range. Times of records are whole milliseconds, so half a millisecond stands for any smaller
 * fraction of the limit.
 * @throws ProblemError `malformed-request`
 */
function parseTimeLimit([text = '']: readonly string[], { parameter }: FilterNames): Instant {
  const instant = parseQueryInstant(text, `The parameter ${parameter}`)
  return /[.,]\d{3}0*[1-9]/.test(text) ? toInstant(instant + 0.5) : instant
}

/** A filter of a query with its value. */
interface GivenFilter {
  readonly name: keyof ListFilters
  readonly filter: ListFilter
  readonly value: unknown
}

/** The filters that a query has. */
export function givenFilters(query: ListFilters): readonly GivenFilter[] {
  const given: GivenFilter[] = []
  for (const name of filterNames) {
    const value = query[name]
    if (value !== undefined) given.push({ name, filter: listFilters[name] as ListFilter, value })
  }
  return given
}

const filterNames = Object.keys(listFilters) as readonly (keyof ListFilters)[]

/** Says whether a revision passes the filters of a query. */
export function passesFilters(query: ListFilters, revision: Revision): boolean {
  return givenFilters(query).every(({ filter, value }) => filter.matches(value, revision, query))
}
