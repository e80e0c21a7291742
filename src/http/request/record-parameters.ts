import { singleParameter } from './query-parameters.js'
import { pathParameter, queryParameter } from './request-parameter.js'

/*
 * The parameters that name a record.
 */

const name = { type: 'string', minLength: 1 }

export const schemaId = pathParameter('id', {
  component: 'schemaId',
  description: 'Id of the schema, or another name it has.',
  schema: name,
  example: 'measurement',
})

export const metadataId = pathParameter('id', {
  component: 'metadataId',
  description: 'Id of the metadata record, or another name it has.',
  schema: name,
  example: 'overview-7',
})

export const schemaPath = pathParameter('path', {
  component: 'path',
  description: 'Path of a file the schema comes with; it may have slashes.',
  schema: name,
  example: 'common/units.json',
  'x-has-slashes': true,
})

export const versionsOfSchema = queryParameter(
  'schemaId',
  {
    component: 'versionsOfSchema',
    description:
      'All versions of this schema, newest first, in place of the newest of every schema; other filters are then ignored.',
    schema: { type: 'string' },
  },
  singleParameter,
)

export const versionsOfRecord = queryParameter(
  'id',
  {
    component: 'versionsOfRecord',
    description:
      'All versions of this record, newest first, in place of the newest of every record; other filters are then ignored.',
    schema: { type: 'string' },
  },
  singleParameter,
)

/** Of a landing page; the handler says what to do where neither this nor {@link schemaNamedById} is there. */
export const schemaNamed = queryParameter(
  'schemaId',
  {
    component: 'schemaNamed',
    description: 'Id or another name of the schema; `id` means the same.',
    required: true,
    schema: name,
    example: 'measurement',
  },
  singleParameter,
)

export const schemaNamedById = queryParameter(
  'id',
  {
    component: 'schemaNamedById',
    description: 'The same as `schemaId`.',
    deprecated: true,
    schema: { type: 'string' },
  },
  singleParameter,
)

export const recordNamed = queryParameter(
  'id',
  {
    component: 'recordNamed',
    description: 'Id or another name of the metadata record.',
    required: true,
    schema: name,
    example: 'overview-7',
  },
  singleParameter,
)

export const recordsOf = queryParameter(
  'id',
  {
    component: 'recordsOf',
    description: 'Only the records of this schema; or all versions of this record.',
    schema: { type: 'string' },
  },
  singleParameter,
)
