import { flagParameter, flagSchema, singleParameter } from './query-parameters.js'
import { pathParameter, queryParameter } from './request-parameter.js'

/*
 * The parameters that name a record.
 */

const name = { type: 'string', minLength: 1 }

export const schemaId = pathParameter('id', {
  component: 'schemaId',
  description: 'Id of the schema, or another of its names.',
  schema: name,
  example: 'measurement',
})

export const metadataId = pathParameter('id', {
  component: 'metadataId',
  description: 'Id of the metadata record, or another of its names.',
  schema: name,
  example: 'overview-7',
})

/** The parameter with the id in the paths of each kind of record. */
export const recordIds = { schema: schemaId, metadata: metadataId }

export const schemaPath = pathParameter('path', {
  component: 'path',
  description: 'Path of a further file of the schema; it may contain slashes.',
  schema: name,
  example: 'common/units.json',
  'x-has-slashes': true,
})

export const dryRun = queryParameter(
  'dryRun',
  {
    component: 'dryRun',
    isReadFirst: true,
    description:
      'Check the whole change, and store nothing: the record, the document, names that others have, permissions and ' +
      'preconditions. `?dryRun` means `true`.',
    schema: flagSchema,
  },
  flagParameter,
)

export const versionsOfSchema = queryParameter(
  'schemaId',
  {
    component: 'versionsOfSchema',
    description:
      'Lists all versions of this schema, newest first, instead of the newest version of every schema. Other filters are ignored.',
    schema: { type: 'string' },
  },
  singleParameter,
)

export const versionsOfRecord = queryParameter(
  'id',
  {
    component: 'versionsOfRecord',
    description:
      'Lists all versions of this record, newest first, instead of the newest version of every record. Other filters are ignored.',
    schema: { type: 'string' },
  },
  singleParameter,
)

/** For landing pages. The handler refuses a request that has neither this parameter nor {@link schemaNamedById}. */
export const schemaNamed = queryParameter(
  'schemaId',
  {
    component: 'schemaNamed',
    description: 'Id of the schema, or another of its names; `id` means the same.',
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
    description: 'Id of the metadata record, or another of its names.',
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
    description: 'Only the records of this schema, or all versions of this record.',
    schema: { type: 'string' },
  },
  singleParameter,
)
