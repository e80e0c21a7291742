import { shortestPrefix } from '../../core/history-point.js'
import type { Collection } from '../../core/records/collection.js'
import { defaultPageSize, largestPageSize } from '../../core/records/list-page.js'
import { fields } from '../request/sort-parameter.js'
import type { Parameter } from './specification-types.js'
import { sentInstant } from './value-schemas.js'

/**
 * Names of parameters that stay for existing clients beside the right spelling are marked as deprecated. Only what is
 * required has an `example`: the page fills a form in with it, and would narrow a list nobody asked to narrow. What can
 * be left out has its examples in the schema.
 */
export const parameters: Readonly<Record<string, Parameter>> = {
  version: {
    name: 'version',
    in: 'query',
    description: 'Number of a version. Absent: the newest.',
    schema: { type: 'integer', minimum: 1 },
  },
  ignoredVersion: {
    name: 'version',
    in: 'query',
    description:
      'Ignored, as `If-Match` alone says which state is changed; but it must be a whole number from 1.',
    deprecated: true,
    schema: { type: 'integer', minimum: 1 },
  },
  fromVersion: {
    name: 'from',
    in: 'query',
    description: 'Number of the version to compare from.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  toVersion: {
    name: 'to',
    in: 'query',
    description: 'Number of the version to compare to; it may be the older one.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
  versionOrNone: {
    name: 'version',
    in: 'query',
    description: 'Number of a version. Absent or empty: the newest.',
    schema: { type: 'string', pattern: '^\\d*$' },
  },
  schemaNamed: {
    name: 'schemaId',
    in: 'query',
    description: 'Id or another name of the schema; `id` means the same.',
    required: true,
    schema: { type: 'string', minLength: 1 },
    example: 'measurement',
  },
  schemaNamedById: {
    name: 'id',
    in: 'query',
    description: 'The same as `schemaId`.',
    deprecated: true,
    schema: { type: 'string' },
  },
  recordNamed: {
    name: 'id',
    in: 'query',
    description: 'Id or another name of the metadata record.',
    required: true,
    schema: { type: 'string', minLength: 1 },
    example: 'overview-7',
  },
  page: {
    name: 'page',
    in: 'query',
    description: 'Which page of the list, counted from 0.',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  pageFrom1: {
    name: 'page',
    in: 'query',
    description: 'Which page of the list, counted from 1.',
    schema: { type: 'integer', minimum: 0, default: 1 },
  },
  recordsOf: {
    name: 'id',
    in: 'query',
    description: 'Only the records of this schema; or all versions of this record.',
    schema: { type: 'string' },
  },
  size: {
    name: 'size',
    in: 'query',
    description: `Records a page. More than ${largestPageSize} are taken as ${largestPageSize}.`,
    schema: { type: 'integer', minimum: 1, default: defaultPageSize },
  },
  at: {
    name: 'at',
    in: 'query',
    description: `The point of history that is meant, in place of now: a tag, a branch, a commit (its 40 hex digits or at least the first ${shortestPrefix}) or a time (ISO 8601; the last state that is not later). A list that names a commit stays the same from page to page while others write; the addresses in \`Link\` do. What may not be seen today is not seen at any point.`,
    schema: {
      type: 'string',
      minLength: 1,
      examples: ['2026-11-21T05:12:00Z', '5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a', 'main'],
    },
  },
  after: {
    name: 'after',
    in: 'query',
    description:
      'Where the page begins: behind this place of the list, `<id>` or `<lastUpdate>,<id>`; of a list of versions `<version>`. The address of the next page in `Link` has it.',
    schema: { type: 'string', examples: ['2026-03-14T09:26:53.59Z,overview-7'] },
  },
  sortOfSchemas: {
    name: 'sort',
    in: 'query',
    description: `Order of the list: a field (${sortFields('schema')}), a comma, and \`asc\` or \`desc\`; by default \`id,asc\`.`,
    schema: { type: 'array', items: { type: 'string' }, examples: [['lastUpdate,desc']] },
    style: 'form',
    explode: true,
  },
  sortOfMetadata: {
    name: 'sort',
    in: 'query',
    description: `Order of the list: a field (${sortFields('metadata')}), a comma, and \`asc\` or \`desc\`; by default \`lastUpdate,desc\`.`,
    schema: { type: 'array', items: { type: 'string' }, examples: [['id,asc']] },
    style: 'form',
    explode: true,
  },
  from: {
    name: 'from',
    in: 'query',
    description:
      'Only records updated after this time; with `until`, at or after it. ISO 8601, UTC where it has no zone; a year, month or day alone will do.',
    schema: { ...sentInstant, examples: ['2026-03-14T09:26:53.59Z'] },
  },
  until: {
    name: 'until',
    in: 'query',
    description: 'Only records updated before this time; with `from`, at or before it.',
    schema: { ...sentInstant, examples: ['2027'] },
  },
  mimeType: {
    name: 'mimeType',
    in: 'query',
    description:
      'Only schemas of this type: a value with `json` in it means JSON Schemas, one with `xml` XML Schemas. Several are alternatives.',
    schema: { type: 'array', items: { type: 'string' }, examples: [['application/json']] },
    style: 'form',
    explode: true,
  },
  versionsOfSchema: {
    name: 'schemaId',
    in: 'query',
    description:
      'All versions of this schema, newest first, in place of the newest of every schema; other filters are then ignored.',
    schema: { type: 'string' },
  },
  versionsOfRecord: {
    name: 'id',
    in: 'query',
    description:
      'All versions of this record, newest first, in place of the newest of every record; other filters are then ignored.',
    schema: { type: 'string' },
  },
  resourceId: {
    name: 'resourceId',
    in: 'query',
    description: 'Only records about this resource. Several, repeated or joined by commas, are alternatives.',
    schema: { type: 'array', items: { type: 'string' } },
    style: 'form',
    explode: true,
  },
  resoureId: {
    name: 'resoureId',
    in: 'query',
    description: 'The same as `resourceId`, as existing clients spell it.',
    deprecated: true,
    schema: { type: 'array', items: { type: 'string' } },
    style: 'form',
    explode: true,
  },
  schemaOfRecord: {
    name: 'schemaId',
    in: 'query',
    description:
      'Only records of this schema, in whichever version, by any of its names or its address. Several, repeated or joined by commas, are alternatives.',
    schema: { type: 'array', items: { type: 'string' } },
    style: 'form',
    explode: true,
  },
  prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`handling=strict` (RFC 7240) refuses query parameters and members of records that are not described, with 400. Without it they are ignored, but for names that look like a misspelling of one that is described.',
    schema: { type: 'string', examples: ['handling=strict'] },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The ETag of the state that is to be changed, in its double quotes; several are alternatives, `*` is any.',
    required: true,
    schema: { type: 'string' },
    example: '"5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a"',
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags of states the client has: where it is one of them, the answer is 304 without a body.',
    schema: { type: 'string' },
  },
  schemaId: {
    name: 'id',
    in: 'path',
    description: 'Id of the schema, or another name it has.',
    required: true,
    schema: { type: 'string', minLength: 1 },
    example: 'measurement',
  },
  metadataId: {
    name: 'id',
    in: 'path',
    description: 'Id of the metadata record, or another name it has.',
    required: true,
    schema: { type: 'string', minLength: 1 },
    example: 'overview-7',
  },
  path: {
    name: 'path',
    in: 'path',
    description: 'Path of a file the schema comes with; it may have slashes.',
    required: true,
    schema: { type: 'string', minLength: 1 },
    example: 'common/units.json',
    'x-has-slashes': true,
  },
}

function sortFields(kind: Collection): string {
  return [...fields[kind].keys()].map(name => `\`${name}\``).join(', ')
}
